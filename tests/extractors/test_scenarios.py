"""Detected segments: against a plain reading, in which texts they are sought, and the modes of a build."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli import app
from kgscripts import ScriptGraph
from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.extractors.registry import choose
from kgscripts.extractors.scenarios import ScenarioExtractor, ScenarioSettings, _tells_of_its_writer
from kgscripts.pipeline import build_graph
from schemas.errors import ConfigurationError
from schemas.provenance import Model
from schemas.records import Action, Document, EventMention, Record, Segment, Sentence
from schemas.scenario_documents import NONE, DetectedSegment
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import TinyExtractor

_SCENARIOS = {"water": "making soup", "pasta": "cooking pasta"}
_SURE = {1: 0.75, 2: 0.5}
"""The confidence of `WordModel` in a scenario, by the number of scenarios."""


_MODEL = Model(name="words", version="1", digest="c" * 64, task="scenarios")


@define
class WordModel:
    """A sentence with a word of `_SCENARIOS` is about its scenario; equal neighbours are one segment."""

    model: Model = _MODEL
    read: int = 0

    def detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        self.read += sum(map(bool, documents))
        return [self._segments(document) for document in documents]

    def _segments(self, sentences: Sequence[str]) -> list[DetectedSegment]:
        found, start = [], 0
        for scenarios, run in itertools.groupby(sentences, _about):
            end = start + len(list(run))
            ranking = [*((scenario, _SURE[len(scenarios)]) for scenario in scenarios), (NONE, 0.25)]
            found.append(DetectedSegment(start=start, end=end, ranking=ranking, scenarios=scenarios))
            start = end
        return found


def _about(sentence: str) -> tuple[str, ...]:
    return tuple(scenario for word, scenario in _SCENARIOS.items() if word in sentence)


def _parsed(text: str, records: Sequence[Record]) -> ParsedDocument:
    document = Document(name="text", format="text", text=text, passages=[])
    kinds: tuple[type[Record], ...] = (Sentence, EventMention)
    return ParsedDocument(
        document, records={kind: [item for item in records if isinstance(item, kind)] for kind in kinds}
    )


_SENTENCES = st.lists(st.tuples(st.sampled_from(["water", "pasta", "water pasta", "sky"]), st.booleans()), max_size=12)


@given(_SENTENCES)
def test_segments_are_the_longest_of_each_scenario_in_which_something_happens(told: list[tuple[str, bool]]) -> None:
    text, spans = "", []
    records: list[Record] = []
    for words, happens in told:
        start = len(text)
        text += f"{words}.\n  "
        spans.append((start, start + len(words) + 1))
        records.append(Sentence(start=start, end=spans[-1][1]))
        if happens:
            records.append(EventMention(action=Action(predicate="boil"), start=start + 1, end=start + 3))
    expected = set()
    for word, scenario in _SCENARIOS.items():
        for first, last in itertools.combinations_with_replacement(range(len(told)), 2):
            whole = range(first, last + 1)
            around = {place for place in (first - 1, last + 1) if 0 <= place < len(told)}
            if (
                all(word in told[place][0] for place in whole)
                and not any(word in told[place][0] for place in around)
                and any(told[place][1] for place in whole)
            ):
                sure = [0.5 if " " in told[place][0] else 0.75 for place in whole]
                expected.add((scenario, spans[first][0], spans[last][1], round(sum(sure) / len(sure), 4)))
    [found] = ScenarioExtractor(WordModel(), settings=ScenarioSettings(labelled_too=True)).read(
        [_parsed(text, records)]
    )
    assert [(item.start, -item.end) for item in found if isinstance(item, Segment)] == sorted(
        (start, -end) for _, start, end, _ in expected
    )
    assert {(item.scenario, item.start, item.end, item.confidence) for item in found if isinstance(item, Segment)} == (
        expected
    )


def test_sentences_of_several_extractors_are_read_once() -> None:
    text = "boil water. boil pasta."
    spans = [(0, 11), (0, 11), (12, 23), (0, 4), (5, 14)]
    records = [Sentence(start=start, end=end) for start, end in spans]
    events = [EventMention(action=Action(predicate="boil"), start=start, end=start + 4) for start in (0, 12)]
    settings = ScenarioSettings(labelled_too=True)
    [found] = ScenarioExtractor(WordModel(), settings=settings).read([_parsed(text, [*records, *events])])
    assert [(item.start, item.end) for item in found if isinstance(item, Segment)] == [(0, 11), (12, 23)]


TEXTS: dict[str, dict[str, Any]] = {
    "story": {"text": "we boil the water. we boil the pasta."},
    "labelled": {"text": "we boil the water.", "scenario": "taking a bath"},
    "how-to": {"text": "we boil the pasta.", "title": "How to fill a pot"},
    "steps": {"steps": ["boil the pasta."], "title": "Noodles"},
    "pair": {"abstract": "cook the pasta.", "concrete": "boil the water."},
    "empty": {"text": "not we boil the water."},
}
READ_IN = {"story": {"making soup"}}
"""The scenario of a text without a label: a short one has one."""
GIVEN = {"labelled": {"taking a bath"}, "how-to": {"filling a pot"}, "steps": {"noodles"}}
EVERYWHERE = {
    "story": {"making soup", "cooking pasta"},
    "labelled": {"making soup"},
    "how-to": {"cooking pasta"},
    "steps": {"cooking pasta"},
}


def _build(directory: Path, mode: str | None) -> int:
    """How many documents the model was asked about; a log beside the graph has what else was read."""
    model = WordModel()
    texts = [{"id": name, **text} for name, text in TEXTS.items()]
    extractors = [TinyExtractor(log=directory.with_suffix(".log")), LabelExtractor(), ScenarioExtractor(model)]
    build_graph(output=directory, texts=texts, extractors=extractors, scenarios=mode)
    return model.read


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> dict[str | None, tuple[Path, int]]:
    """A new build in each mode, with what `_build` says."""
    folder = tmp_path_factory.mktemp("modes")
    modes = {mode: folder / f"{mode}" for mode in (None, "given", "detected", "both")}
    return {mode: (directory, _build(directory, mode)) for mode, directory in modes.items()}


def _found(graph: ScriptGraph) -> dict[str, set[str]]:
    scenarios = {row["id"]: row["label"] for row in graph.rows("Scenario")}
    names = {row["id"]: row["name"].removeprefix("text#") for row in graph.rows("Source")}
    found: dict[str, set[str]] = {}
    for row in graph.rows("ABOUT"):
        if row["from_id"] in names:
            found.setdefault(names[row["from_id"]], set()).add(scenarios[row["to_id"]])
    return found


_BOTH = {name: EVERYWHERE[name] | GIVEN.get(name, set()) for name in EVERYWHERE}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(None, READ_IN | GIVEN), ("given", GIVEN), ("detected", EVERYWHERE), ("both", _BOTH)],
)
def test_modes_say_whose_scenarios_count(
    mode: str | None, expected: dict[str, set[str]], new: dict[str | None, tuple[Path, int]]
) -> None:
    directory, read = new[mode]
    assert _found(ScriptGraph.open(directory)) == expected
    assert read == {None: 2, "given": 0}.get(mode, 5), "pairs are never read"


def test_another_mode_gives_the_graph_of_a_new_build_and_only_detects_anew(
    tmp_path: Path, new: dict[str | None, tuple[Path, int]]
) -> None:
    first, graph = new[None][0], tmp_path / "graph"
    assert len(first.with_suffix(".log").read_text(encoding="utf-8").splitlines()) == len(TEXTS)
    shutil.copytree(first, graph)
    for mode, read in (("detected", 5), ("given", 0), ("both", 0), (None, 2)):
        assert _build(graph, mode) == read, mode
        assert graph_bytes(graph) == graph_bytes(new[mode][0]), mode
    assert not graph.with_suffix(".log").exists(), "nothing else is read again"


@pytest.mark.parametrize(
    ("mode", "extractors", "without", "message"),
    [
        ("guessed", None, (), "no mode of scenarios 'guessed'"),
        ("", None, (), "no mode of scenarios ''"),
        ("detected", ["labels"], (), "need the extractor 'scenarios'"),
        ("both", None, ["labels"], "need the extractor 'labels'"),
        ("both", None, ["scenarios"], "need the extractor 'scenarios'"),
        ("given", ["events"], (), "need the extractor 'labels'"),
        ("detected", None, ["sentences"], "requires Sentence records"),
        ("given", None, ["evnts"], "'evnts' is not among the extractors"),
    ],
)
def test_modes_that_contradict_other_options_are_refused(
    mode: str, extractors: list[str] | None, without: Sequence[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        build_graph(output=tmp_path / "graph", extractors=extractors, without=without, scenarios=mode)
    assert caught.value.remedy
    assert not (tmp_path / "graph").exists()


def test_the_version_depends_on_the_model_and_on_whether_labels_count() -> None:
    other = WordModel(Model(name="words", version="1", digest="d" * 64, task="scenarios"))
    extractors = [
        ScenarioExtractor(WordModel()),
        ScenarioExtractor(WordModel(), settings=ScenarioSettings(labelled_too=True)),
        ScenarioExtractor(other),
    ]
    versions = {choose([TinyExtractor(), item], (), lambda: other.model)[1].version for item in extractors}
    assert len(versions) == len(extractors)


_STORY = (
    "I filled a pot with water and put the pot on the stove. I boiled the water and added the spaghetti. I drained the "
    "spaghetti in the sink. Then I went to the bathroom and ran the hot tap. I lay in the tub and washed my hair with "
    "shampoo. I dried myself with a towel."
)


def test_the_shipped_model_reads_anything(tmp_path: Path) -> None:
    """Text without sentences, in other scripts, or in one endless sentence is read, and so is the story beside it."""
    texts = [
        "?!",
        "…\n\n\n…",
        "水を沸かす。" * 50,
        "and then I boiled water " * 250,
        "x" * 20_000,
        "\x00\x07",
        _STORY,
    ]
    (tmp_path / "in").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "in" / f"{number}.txt").write_text(text, encoding="utf-8")
    options = ["-o", str(tmp_path / "graph"), "--scenarios", "detected", "--without", "state-changes,steps"]
    done = CliRunner().invoke(app, ["build-graph", str(tmp_path / "in"), *options], catch_exceptions=False)
    assert done.exit_code == 0
    graph = ScriptGraph.open(tmp_path / "graph")
    scenarios = {row["id"]: row["label"] for row in graph.rows("Scenario")}
    passages = {row["id"]: row for row in graph.rows("Passage")}
    story = {row["id"] for row in graph.rows("Source") if row["characters"] == len(_STORY)}
    found = {
        scenarios[row["to_id"]]: passages[row["from_id"]]
        for row in graph.rows("ABOUT")
        if row["from_id"] in passages and passages[row["from_id"]]["source"] in story
    }
    assert found["cooking pasta"]["start"] == 0
    assert all(_STORY[row["start"] : row["end"]] == row["text"] for row in found.values())
    assert all(0 < row["confidence"] <= 1 for row in graph.rows("ABOUT"))
    models = {row["id"] for row in graph.rows("Model") if row["task"] == "scenarios of the passages of a text"}
    assert models & {row["from_id"] for row in graph.rows("SCORED")}
    assert models & {row["to_id"] for row in graph.rows("READ_BY")}


def test_documents_read_together_give_what_each_gives_alone() -> None:
    from kgscripts.models.registry import load

    model = load("scenarios", "default")
    sentences = _STORY.split(". ")
    documents = [sentences, [], sentences[3:], sentences[:1], ["It rained."], sentences * 3]
    assert model.detect(documents) == [model.detect([document])[0] for document in documents]


def test_stories_of_several_activities_tell_of_their_writer() -> None:
    """Where they did not, each would be one activity as a whole."""
    for name in ("natural_stories.jsonl", "natural_stories_unseen.jsonl"):
        for line in (Path(__file__).parents[1] / "data" / name).read_text(encoding="utf-8").splitlines():
            assert _tells_of_its_writer(" ".join(json.loads(line)["sentences"]))
    assert not _tells_of_its_writer("Fill the pot with earth. You press the seeds in, and then you water them.")
