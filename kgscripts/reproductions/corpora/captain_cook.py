"""CaptainCook4D (Peddi et al. 2024): what people did while they cooked, and which step of a recipe must precede which.

`recordings.json` has the steps of each recording with their start times; a negative time is a step that was left out.
`task_graphs/*.json` has the steps of an activity by number, "START" and "END" among them, and edges from a step to one
that needs it; a file is called like the activity, without spaces. Numbers of recordings are not those of task graphs:
steps are the same if their description is. A description is a verb, "-" and the instruction, which may repeat the verb
("Chop-Chop 1 scallion", "Add-1 egg to a blender").
"""

from __future__ import annotations

from pathlib import Path

import networkx as nx
from attrs import field, frozen, validators

from kgscripts.corpora.how_tos import HowTo, Section, document_of_how_to
from kgscripts.reproductions.corpora.typed_json import read_typed
from schemas.errors import InputError
from schemas.records import Document

RECORDINGS, TASK_GRAPHS = "recordings.json", "task_graphs"
_ENDS = ("START", "END")
_PUBLISHED = "use the annotations of CaptainCook4D as published"


@frozen
class CookingStep:
    """A step as annotated: the verb, and the instruction as a sentence."""

    verb: str
    sentence: str

    @classmethod
    def of(cls, description: str) -> CookingStep:
        """The step of a description; its sentence begins with the verb if the instruction has none of this name."""
        verb, dash, instruction = description.partition("-")
        verb, instruction = " ".join(verb.split()), " ".join(instruction.split())
        if not dash or not instruction:
            return cls(verb.partition(" ")[0].lower(), verb)
        has_verb = f" {verb.lower()} " in f" {''.join(c if c.isalnum() else ' ' for c in instruction.lower())} "
        return cls(verb.lower(), instruction if has_verb else f"{verb} {instruction}")


@frozen
class Recording:
    """The steps of a person, in the order in which they were begun."""

    name: str
    steps: tuple[CookingStep, ...]


@frozen(eq=False)
class Activity:
    """A recipe: its steps, the task graph over them (an edge from a step to one that needs it), and its recordings."""

    name: str
    steps: tuple[CookingStep, ...]
    graph: nx.DiGraph
    """Its nodes are places in `steps`; it has no cycle. Several steps can have the same description."""
    recordings: tuple[Recording, ...]

    def documents(self) -> list[Document]:
        """A how-to of each recording; the scenario is to make the dish.

        Its title has the name of the recording: equal texts would be one source.
        """
        return [
            document_of_how_to(
                HowTo(
                    title=f"{self.name}, recording {recording.name}",
                    sections=[Section(steps=[step.sentence for step in recording.steps])],
                ),
                name=recording.name,
                format="captaincook",
                scenario=f"make {self.name}",
            )
            for recording in self.recordings
        ]


@frozen
class _RecordedStep:
    start_time: float
    description: str = field()

    @description.validator
    def _has_words(self, _: object, value: str) -> None:
        if not value.strip(" -"):
            raise ValueError("a step without description")


@frozen
class _Recorded:
    activity_name: str = field(validator=validators.matches_re(r"(?s).*\S.*"))
    steps: list[_RecordedStep]


@frozen
class _TaskGraph:
    steps: dict[str, str]
    edges: list[list[int]]

    def __attrs_post_init__(self) -> None:
        for number, text in self.steps.items():
            if not number.isdecimal() or not text.strip(" -"):
                raise ValueError(f"step {number!r} has no number and description")
        for edge in self.edges:
            if len(edge) != 2 or not {str(end) for end in edge} <= self.steps.keys():
                raise ValueError(f"the edge {edge} does not join the numbers of two steps")


def read_activities(directory: Path) -> list[Activity]:
    """The activities that have a task graph, by name; recordings of others are left out.

    Raises
    ------
    InputError
        With the file and the entry, for one that cannot be read or has another form, for a task graph with a cycle, and
        where a task graph has no recording.
    """
    graphs = directory / TASK_GRAPHS
    files = sorted(graphs.glob("*.json"))
    if not files:
        raise InputError("no task graphs (*.json)", where=str(graphs), remedy=_PUBLISHED)
    recordings: dict[str, list[Recording]] = {}
    names: dict[str, str] = {}
    path = directory / RECORDINGS
    for name, entry in read_typed(path, dict[str, _Recorded], _PUBLISHED).items():
        activity = entry.activity_name.lower()
        key = "".join(activity.split())
        names[key] = activity
        recordings.setdefault(key, []).append(_recording(name, entry, f"{path}: recording {name!r}"))
    activities = []
    for file in files:
        if file.stem not in recordings:
            raise InputError("no recording of this activity", where=str(file), remedy=f"add some to {path}")
        steps, graph = _task_graph(read_typed(file, _TaskGraph, _PUBLISHED), file)
        activities.append(Activity(names[file.stem], steps, graph, tuple(recordings[file.stem])))
    return activities


def _recording(name: str, entry: _Recorded, where: str) -> Recording:
    done = sorted((step for step in entry.steps if step.start_time >= 0), key=lambda step: step.start_time)
    if not done:
        raise InputError("none of its steps was done", where=where, remedy=_PUBLISHED)
    return Recording(name, tuple(CookingStep.of(step.description) for step in done))


def _task_graph(content: _TaskGraph, file: Path) -> tuple[tuple[CookingStep, ...], nx.DiGraph]:
    numbers = [int(number) for number, text in content.steps.items() if text not in _ENDS]
    place_of = {number: place for place, number in enumerate(numbers)}
    graph = nx.DiGraph()
    graph.add_nodes_from(place_of.values())
    graph.add_edges_from((place_of[one], place_of[other]) for one, other in content.edges if {one, other} <= {*numbers})
    if not nx.is_directed_acyclic_graph(graph):
        circle = " -> ".join(str(numbers[start]) for start, _ in nx.find_cycle(graph))
        message = f"the steps {circle} precede each other in a circle"
        raise InputError(message, where=str(file), remedy=_PUBLISHED)
    return tuple(CookingStep.of(content.steps[str(number)]) for number in numbers), graph
