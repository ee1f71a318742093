"""Scenarios that titles of a graph name, in its texts without a label: which passages get them, and in what order."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from kgscripts.editing.merging import merge_graphs
from kgscripts.enrichers.named_scenarios import LEAST_CONFIDENCE, NamedScenarios, named_segments
from kgscripts.enrichers.vectors import MOST_SENTENCES, ScenarioVectors
from kgscripts.models.scenarios import whole_texts
from kgscripts.models.scenarios.whole_texts import main_of, without_asides
from kgscripts.pipeline import build_graph, remove_source
from schemas.scenario_documents import NONE, DetectedSegment
from tests.assembly.built import graph_bytes
from tests.pipeline.stopping import until_assembly

TYRE = {
    "id": "tyre",
    "text": "I was driving to work when the car began to pull to one side. I stopped and saw that the front tyre was "
    "flat. I took the jack and the spare wheel out of the boot. I loosened the nuts and jacked up the car. I pulled "
    "off the wheel and put on the spare. I tightened the nuts and lowered the car again.",
}
BUS = {
    "id": "bus",
    "text": "I walked to the stop and waited for the bus. I got on and paid the driver. I found a seat at the window. "
    "I pressed the button and got off at the library.",
}
HOW_TO = {
    "id": "how-to",
    "title": "How to Change a Tyre",
    "steps": [
        "Stop on level ground and put on the handbrake.",
        "Loosen the wheel nuts before you raise the car.",
        "Raise the car with the jack.",
        "Pull off the flat wheel and put on the spare.",
        "Lower the car and tighten the nuts.",
    ],
}
OTHER = {"id": "other", "title": "How to Prune Roses", "steps": ["Cut off dead canes.", "Cut above an outward bud."]}
CHOSEN = ("labels", "sentences", "events", "scenarios", "scenario-vectors", "named-scenarios")


@define
class Asked:
    """What enrichers are asked: scenarios to be described, of how many texts, and how many stories to be compared."""

    described: list[str] = field(factory=list)
    sentences: list[int] = field(factory=list)
    compared: list[int] = field(factory=list)

    def forget(self) -> None:
        """Begin anew."""
        for found in (self.described, self.sentences, self.compared):
            found.clear()


def _build(output: Path, texts: Sequence[Any], extractors: Sequence[str] = CHOSEN, **options: Any) -> Path:
    build_graph(output=output, texts=texts, extractors=list(extractors), **options)
    return output


def _about(directory: Path) -> dict[str, set[str]]:
    """The scenarios of each source, by its name."""
    graph = ScriptGraph.open(directory)
    names = {row["id"]: row["label"] for row in graph.rows("Scenario")}
    sources = {row["id"]: row["name"].partition("#")[2] for row in graph.rows("Source")}
    found: dict[str, set[str]] = {name: set() for name in sources.values()}
    for row in graph.rows("ABOUT"):
        if row["from_id"] in sources:
            found[sources[row["from_id"]]].add(names[row["to_id"]])
    return found


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    """What the enrichers of this module's builds are asked."""
    found = Asked()
    describe, compare = ScenarioVectors.enrich, NamedScenarios.enrich

    def describing(self: ScenarioVectors, contents: Any, candidates: Any) -> Any:
        found.described.extend(content[0] for content in contents)
        found.sentences.extend(map(len, contents))
        return describe(self, contents, candidates)

    def comparing(self: NamedScenarios, contents: Any, candidates: Any) -> Any:
        found.compared.append(len(contents))
        return compare(self, contents, candidates)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScenarioVectors, "enrich", describing)
        patch.setattr(NamedScenarios, "enrich", comparing)
        yield found


@pytest.fixture(scope="module")
def beside(asked: Asked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of stories and a how-to; nobody writes to it."""
    asked.forget()
    directory = _build(tmp_path_factory.mktemp("beside") / "graph", [TYRE, BUS, HOW_TO])
    assert (asked.described, asked.compared) == (["changing a tyre"], [2])
    return directory


def test_a_story_gets_the_scenario_of_the_how_to_beside_it_and_others_keep_theirs(beside: Path) -> None:
    assert _about(beside) == {
        "tyre": {"changing a tyre"},
        "bus": {"riding on a bus"},
        "how-to": {"changing a tyre"},
    }
    graph = ScriptGraph.open(beside)
    assert {row["label"] for row in graph.rows("Scenario")} == {"changing a tyre", "riding on a bus"}
    models = {row["id"]: row["digest"] for row in graph.rows("Model")}
    steps = {row["statement"] for row in graph.rows("HAS_SUB_EVENT")}
    [detector] = NamedScenarios().networks
    read = [row for row in graph.rows("READ_BY") if row["from_id"] in steps and models[row["to_id"]] == detector.digest]
    assert {row["from_id"] for row in read} > set(), "the detector has read the steps of what it found"
    assert all(LEAST_CONFIDENCE <= row["score"] <= 1 for row in read)


def test_any_order_gives_the_same_bytes_and_nothing_is_computed_twice(
    beside: Path, asked: Asked, tmp_path: Path
) -> None:
    expected = graph_bytes(beside)
    asked.forget()
    grown = tmp_path / "grown"
    with until_assembly():
        _build(grown, [BUS])
    _build(grown, [TYRE])
    alone = shutil.copytree(grown, tmp_path / "alone")
    assert _about(alone) == {"tyre": {"changing a car tyre"}, "bus": {"riding on a bus"}}, "no listed one is about it"
    _build(grown, [HOW_TO, OTHER])
    _build(grown, [HOW_TO])
    assert asked.described == ["changing a tyre", "pruning roses"], "once in a directory"
    assert asked.compared == [2], "both texts are compared when there are titles, and not again"
    remove_source(grown, "text#other")
    assert graph_bytes(grown) == expected
    one = _build(tmp_path / "one", [HOW_TO, BUS])
    merge_graphs([one, alone], tmp_path / "merged")
    assert graph_bytes(tmp_path / "merged") == expected
    remove_source(grown, "text#how-to")
    assert graph_bytes(grown) == graph_bytes(alone)


@pytest.mark.parametrize("mode", ["given", "detected", "both"])
def test_nothing_is_offered_where_nothing_is_detected_or_named(mode: str, tmp_path: Path) -> None:
    build_graph(output=tmp_path, texts=[TYRE, HOW_TO], scenarios=mode, without=["state-changes"])
    graph, about = ScriptGraph.open(tmp_path), _about(tmp_path)
    assert about["tyre"] == ({"changing a tyre"} if mode == "both" else set()), "all texts have what is detected alone"
    assert ("changing a tyre" in about["how-to"]) == (mode != "detected")
    # Without sentences of detection it has nothing to do. Steps are merged all the same.
    enrichers = {"action-vectors", "steps"} | ({"named-scenarios", "scenario-vectors"} if mode != "given" else set())
    assert set(str(graph.manifest.configuration["enrichers"]).split()) == enrichers
    assert {row["name"] for row in graph.rows("Model")} >= {"steps", "all-MiniLM-L6-v2"}


def test_a_text_gets_no_scenario_of_another_being(tmp_path: Path) -> None:
    dog = "I lifted the dog into the tub. I wet its coat. I lathered the coat. I dried its coat with a towel."
    coat = {
        "id": "coat",
        "title": "How to put a coat on a toddler",
        "steps": ["Lay the coat on the floor.", "Put both arms in the sleeves.", "Flip the coat over the head."],
    }
    about = _about(_build(tmp_path, [{"id": "dog", "text": dog}, coat]))
    assert about["coat"] == {"putting a coat on a toddler"}
    assert len(about["dog"]) == 1
    assert about["dog"].isdisjoint(about["coat"])


def test_a_title_among_the_listed_scenarios_changes_nothing(tmp_path: Path) -> None:
    listed = {
        "id": "listed",
        "title": "How to Repair a Bicycle",
        "steps": ["Turn the bicycle over.", "Patch the tube."],
    }
    assert _about(_build(tmp_path, [TYRE, listed]))["tyre"] == {"changing a car tyre"}, "as without it"


def test_many_sentences_of_a_scenario_are_not_read(asked: Asked, tmp_path: Path) -> None:
    long = [{**HOW_TO, "id": str(number), "steps": [f"Turn nut {number}."] * 9} for number in range(4)]
    asked.forget()
    _build(tmp_path, [BUS, *long])
    assert asked.sentences == [1 + MOST_SENTENCES]


_SURE = st.sampled_from([0.2, 0.4, LEAST_CONFIDENCE, 0.6, 0.9])
_RUNS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["", "a", "b"]), _SURE), max_size=5)


def _spread(runs: Sequence[tuple[int, str, float]]) -> list[tuple[str, float]]:
    return [(name, sure) for length, name, sure in runs for _ in range(length)]


@given(_RUNS, _RUNS)
def test_a_sentence_is_about_what_the_detector_is_surer_of(
    detected: list[tuple[int, str, float]], offered: list[tuple[int, str, float]]
) -> None:
    length = min(len(_spread(detected)), len(_spread(offered)))
    spans = [(10 * place, 10 * place + 8) for place in range(length)]
    before, named = _spread(detected)[:length], _spread(offered)[:length]

    def stretches(labels: Sequence[tuple[str, float]]) -> list[tuple[int, int, str, float]]:
        found, start = [], 0
        for (name, sure), run in itertools.groupby(labels):
            end = start + len(list(run))
            found.append((start, end, name, sure))
            start = end
        return found

    expected: list[tuple[str, float]] = []
    for (old, old_sure), (new, sure) in zip(before, named, strict=True):
        wins = bool(new) and sure >= LEAST_CONFIDENCE and sure > (old_sure if old else 0)
        expected.append((f"offered {new}", sure) if wins else (old, old_sure))
    found = named_segments(
        spans,
        [(spans[start][0], spans[end - 1][1], name, sure) for start, end, name, sure in stretches(before) if name],
        [
            DetectedSegment(
                start=start, end=end, ranking=[(f"offered {name}", sure), (NONE, 0.1)], scenarios=[f"offered {name}"]
            )
            for start, end, name, sure in stretches(named)
            if name
        ],
    )
    labels = without_asides([{name: sure} if name else {} for name, sure in expected])
    is_offered = main_of(labels).startswith("offered")
    assert {(item.start, item.end, item.scenario, item.confidence) for item in found} == {
        (spans[start][0], spans[end - 1][1], name, round(sure, 4))
        for name, start, end, sure in whole_texts.stretches(labels)
        if is_offered
    }


@pytest.mark.parametrize(("told", "is_about"), [(1, False), (2, True)])
def test_what_a_text_is_guessed_to_be_about_stays_unless_enough_of_it_is_offered(told: int, is_about: bool) -> None:
    spans = [(10 * place, 10 * place + 8) for place in range(16)]
    offered = [DetectedSegment(start=0, end=told, ranking=[("a", 0.9), (NONE, 0.1)], scenarios=["a"])]
    assert bool(named_segments(spans, [], offered, is_guessed=True)) is is_about
    assert named_segments(spans, [], offered)
