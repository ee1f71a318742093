"""CaptainCook4D (Peddi et al. 2024): what people did while they cooked, and which step of a recipe must precede which.

`recordings.json` has the steps of each recording with their start times; a negative time is a step that was left out.
`task_graphs/*.json` has the steps of an activity by number, "START" and "END" among them, and edges from a step to one
that needs it; a file is called like the activity, without spaces. Numbers of recordings are not those of task graphs:
steps are the same if their description is. A description is a verb, "-" and the instruction, which may repeat the verb
("Chop-Chop 1 scallion", "Add-1 egg to a blender").
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import networkx as nx
from attrs import frozen

from kgscripts.corpora.how_tos import HowTo, Section, document_of_how_to
from schemas.errors import InputError
from schemas.input_files import open_input
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
    for name, content in _object(path).items():
        activity, recording = _recording(name, content, f"{path}: recording {name!r}")
        key = "".join(activity.lower().split())
        names[key] = activity.lower()
        recordings.setdefault(key, []).append(recording)
    found = []
    for file in files:
        if file.stem not in recordings:
            raise InputError("no recording of this activity", where=str(file), remedy=f"add some to {path}")
        steps, graph = _task_graph(_object(file), file)
        found.append(Activity(names[file.stem], steps, graph, tuple(recordings[file.stem])))
    return found


def _recording(name: str, content: object, where: str) -> tuple[str, Recording]:
    activity, steps = _values(content, "activity_name", "steps")
    if not isinstance(activity, str) or not activity.strip() or not isinstance(steps, list):
        _refuse('not an object with "activity_name" and a list of "steps"', where)
    told = []
    for place, step in enumerate(steps, start=1):
        start, text = _values(step, "start_time", "description")
        if isinstance(start, bool) or not isinstance(start, int | float) or not _is_text(text):
            _refuse(f'step {place} has no "start_time" in seconds and "description"', where)
        if start >= 0:
            told.append((start, text))
    if not told:
        _refuse("none of its steps was done", where)
    ordered = sorted(told, key=lambda item: item[0])
    return activity, Recording(name, tuple(CookingStep.of(text) for _, text in ordered))


def _task_graph(content: Mapping[str, Any], file: Path) -> tuple[tuple[CookingStep, ...], nx.DiGraph]:
    steps, edges = _values(content, "steps", "edges")
    if not isinstance(steps, dict) or not isinstance(edges, list):
        _refuse('not an object with "steps" and a list of "edges"', str(file))
    for number, text in steps.items():
        if not number.isdecimal() or not _is_text(text):
            _refuse(f"step {number!r} has no number and description", str(file))
    numbers = [int(number) for number, text in steps.items() if text not in _ENDS]
    place_of = {number: place for place, number in enumerate(numbers)}
    graph = nx.DiGraph()
    graph.add_nodes_from(place_of.values())
    for edge in edges:
        pair: Sequence[Any] = edge if isinstance(edge, list) and len(edge) == 2 else (None, None)
        if any(isinstance(end, bool) or not isinstance(end, int) or str(end) not in steps for end in pair):
            _refuse(f"the edge {edge} does not join the numbers of two steps", str(file))
        if all(end in place_of for end in pair):
            graph.add_edge(place_of[pair[0]], place_of[pair[1]])
    if not nx.is_directed_acyclic_graph(graph):
        circle = " -> ".join(str(numbers[start]) for start, _ in nx.find_cycle(graph))
        _refuse(f"the steps {circle} precede each other in a circle", str(file))
    return tuple(CookingStep.of(steps[str(number)]) for number in numbers), graph


def _object(path: Path) -> dict[str, Any]:
    try:
        with open_input(path) as file:
            content = json.loads(file.read().decode("utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON: {error.msg} at column {error.colno}", where=f"{path}:{error.lineno}", remedy=_PUBLISHED
        ) from error
    except (ValueError, RecursionError, OSError) as error:
        raise InputError(f"it cannot be read: {error}", where=str(path), remedy=_PUBLISHED) from error
    if not isinstance(content, dict):
        _refuse("not a JSON object", str(path))
    return content


def _values(content: object, *keys: str) -> list[Any]:
    """The values of an object; None for what it lacks, and for another value than an object."""
    return [content.get(key) if isinstance(content, dict) else None for key in keys]


def _is_text(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip(" -"))


def _refuse(detail: str, where: str) -> NoReturn:
    raise InputError(detail, where=where, remedy=_PUBLISHED)
