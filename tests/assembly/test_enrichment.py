"""Enrichers: what was said once is not computed again, and nothing stale is kept."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.parquet as pq
import pytest
from attrs import frozen

from kgscripts import ScriptGraph
from kgscripts.enrichers.named_scenarios import NamedScenarios
from kgscripts.enrichers.predicted_tools import ToolPredictor
from kgscripts.enrichers.protocol import Enricher, choose_enrichers, with_records
from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.kinds import decode
from kgscripts.records.store import RecordStore
from schemas.errors import ConfigurationError
from schemas.provenance import Model
from schemas.records import Document, PredictedTool, Record, Segment, SentenceVector
from tests.assembly.built import Rows, graph_bytes, graph_rows, labels
from tests.assembly.tiny_reader import TinyDecomposer, tiny, tiny_document
from tests.plugins import install


@frozen
class Guesser(Enricher):
    """Predicts every candidate with a probability that depends on both words; `log` holds what it was asked."""

    name = "guesser"
    rules = "1"
    task = "guesses"
    gives = PredictedTool
    query = """
        SELECT s.step AS target, [a.predicate, a.object] AS content FROM step s JOIN action a ON a.action = s.leader
        WHERE s.step IN (SELECT r.step FROM aligned_step w JOIN realization r ON r.mention = w.abstract) ORDER BY target
    """
    candidates = (
        "SELECT label FROM tool n JOIN tool_total t ON t.key = n.tool WHERE support >= least_support() ORDER BY label"
    )
    predicts = ToolPredictor.predicts
    log: ClassVar[list[tuple[str, ...]]] = []

    version_of_network: str = "c"

    @property
    def networks(self) -> tuple[Model, ...]:
        return (Model(name="guesser", version="1", digest=self.version_of_network * 64, task="guessing"),)

    def enrich(self, contents: Sequence[Sequence[str]], candidates: Sequence[str]) -> list[Sequence[Record]]:
        self.log.extend((*content, *candidates) for content in contents)
        return [
            [PredictedTool(lemma=tool, probability=0.9 - place / 10) for place, tool in enumerate(candidates)]
            for _ in contents
        ]


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a package that brings the enricher."""
    site = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        install(site, "kgscripts.enrichers", {"guesser": "tests.assembly.test_enrichment:Guesser"}, patch)
        yield site


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of the texts, made after two questions; nobody writes to it."""
    directory = tmp_path_factory.mktemp("guessed") / "graph"
    Guesser.log.clear()
    _build(directory, _TEXTS)
    assert len(Guesser.log) == 2
    return directory


@pytest.fixture
def guesser(request: pytest.FixtureRequest) -> Guesser:
    """One that nobody has asked anything since the graph was made."""
    request.getfixturevalue("graph")
    Guesser.log.clear()
    return Guesser()


_TEXTS = [
    tiny_document("cook the pasta. boil the water in the pot with the spoon. add the pasta with the sieve."),
    tiny_document("cook the rice. stir the rice with the fork."),
]
_EXTRACTORS: list[Extractor] = [*tiny(), TinyDecomposer()]


def _build(directory: Path, documents: Sequence[Document], *enrichers: Enricher) -> Rows:
    build_graph(output=directory, texts=documents, extractors=[*_EXTRACTORS, *(enrichers or (Guesser(),))])
    return graph_rows(directory)


def _predicted(rows: Rows) -> set[tuple[str, str, float]]:
    names = labels(rows, "SubEvent") | labels(rows, "Tool")
    return {
        (names[row["from_id"]], names[row["to_id"]], row["probability"]) for row in rows["USES"] if row["predicted"]
    }


def test_what_is_predicted_is_in_the_graph_marked_and_read_by_the_network(graph: Path) -> None:
    rows = graph_rows(graph)
    assert _predicted(rows) == {
        ("cook pasta", "fork", 0.9),
        ("cook rice", "sieve", 0.8),
        ("cook rice", "spoon", 0.7),
    }, "what texts name is not predicted"
    models = {row["id"]: row["name"] for row in rows["Model"]}
    statements = {row["statement"]: row["probability"] for row in rows["USES"] if row["predicted"]}
    assert {
        (row["from_id"], models[row["to_id"]], row["score"]) for row in rows["READ_BY"] if row["from_id"] in statements
    } == {(statement, "guesser", probability) for statement, probability in statements.items()}
    assert not {row["from_id"] for row in rows["EVIDENCED_BY"]} & statements.keys()
    assert [row["support"] for row in rows["USES"] if row["predicted"]] == [0, 0, 0]


def test_nothing_is_computed_twice_and_nothing_stale_is_kept(tmp_path: Path, graph: Path, guesser: Guesser) -> None:
    shutil.copytree(graph, tmp_path / "graph")
    _build(tmp_path / "graph", _TEXTS)
    assert guesser.log == []
    assert graph_bytes(tmp_path / "graph") == graph_bytes(graph)

    # A text without tools and steps changes nothing that the enricher reads.
    other = tiny_document("sleep. snore.", name="other")
    _build(tmp_path / "graph", [*_TEXTS, other])
    assert [content[:2] for content in guesser.log] == [("sleep", "")]
    before = graph_bytes(tmp_path / "graph")
    guesser.log.clear()

    # A new tool is a candidate for every event, so that all are asked for again.
    whisk = tiny_document("beat the eggs. stir the eggs with the whisk.", name="whisk")
    rows = _build(tmp_path / "graph", [*_TEXTS, whisk])
    assert {content[:2] for content in guesser.log} == {
        ("cook", "pasta"),
        ("cook", "rice"),
        ("beat", "eggs"),
        ("sleep", ""),
    }
    assert ("cook rice", "sieve", 0.8) in _predicted(rows)

    # Taken out again, nothing is left of it, and what was dropped is computed anew.
    guesser.log.clear()
    remove_source(tmp_path / "graph", "whisk")
    assert graph_bytes(tmp_path / "graph") == before
    assert {content[:2] for content in guesser.log} >= {("cook", "pasta"), ("cook", "rice")}


def test_another_network_is_asked_anew(tmp_path: Path, graph: Path, guesser: Guesser) -> None:
    _build(shutil.copytree(graph, tmp_path / "graph"), _TEXTS, Guesser(version_of_network="d"))
    assert len(guesser.log) == 2


def test_what_too_few_sources_say_can_be_predicted(tmp_path: Path, guesser: Guesser) -> None:
    texts = [
        tiny_document("cook the pasta. boil the water with the spoon. add the salt with the sieve.", name="a"),
        tiny_document("cook the pasta. boil the water with the spoon. add the salt.", name="b"),
        tiny_document("drain the rice with the sieve. eat.", name="c"),
    ]
    build_graph(output=tmp_path, texts=texts, extractors=[*_EXTRACTORS, guesser], min_support=2)
    rows = graph_rows(tmp_path)
    assert {row["label"] for row in rows["Tool"]} == {"sieve", "spoon"}
    assert {content[2:] for content in guesser.log} == {("sieve", "spoon")}, "there is no other tool in the graph"
    assert _predicted(rows) == {("cook pasta", "sieve", 0.9)}, "one source has it, which is too few"
    predicted = {row["statement"] for row in rows["USES"] if row["predicted"]}
    assert not {row["from_id"] for row in rows["EVIDENCED_BY"]} & predicted
    nodes = {row["id"] for name in ("SubEvent", "Tool") for row in rows[name]}
    assert {row[end] for row in rows["USES"] for end in ("from_id", "to_id")} <= nodes


@frozen(kw_only=True)
class Length:
    """A kind of record that no rule reads yet."""

    letters: int


class Counter(Enricher):
    """Counts the letters of every action, as soon as there are names."""

    name = "lengths"
    rules = "1"
    task = "lengths"
    gives = Length
    query = "SELECT action AS target, [label] AS content FROM action ORDER BY target"
    candidates = "SELECT label FROM action WHERE false"
    networks = (Model(name="counter", version="1", digest="e" * 64, task="counting"),)

    def enrich(self, contents: Sequence[Sequence[str]], candidates: Sequence[str]) -> list[Sequence[Record]]:
        assert not candidates
        return [[Length(letters=len(label))] for [label] in contents]


def test_several_enrichers_before_and_after_the_clusters(tmp_path: Path, graph: Path) -> None:
    alone = graph_rows(graph)
    rows = _build(tmp_path / "both", _TEXTS, Counter(), Guesser())
    assert rows["USES"] == alone["USES"]
    assert {row["name"] for row in rows["Model"]} == {*(row["name"] for row in alone["Model"]), "counter"}
    with RecordStore(tmp_path / "both/records") as store:
        (file,) = store.shards.files(Length)
        lengths = [record.letters for _, _, _, record in decode(Length, pq.read_table(file))]
    assert sorted(lengths) == sorted(len(row["label"]) for row in rows["Action"])


def test_a_graph_whose_enricher_is_not_installed_is_not_made_into_another_one(
    graph: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = graph_bytes(graph)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder != str(installed)])
    with pytest.raises(ConfigurationError, match="made with the enricher 'guesser', which is not installed") as error:
        remove_source(graph, ScriptGraph.open(graph).table("Source")["digest"][0].as_py())
    assert error.value.where == str(graph)
    assert graph_bytes(graph) == before


def test_which_enrichers_a_build_has(guesser: Guesser) -> None:
    def names(*arguments: Any, **others: Any) -> list[str]:
        return [item.name for item in choose_enrichers(*arguments, **others)]

    assert names(None) == ["action-vectors", "guesser", "named-scenarios", "scenario-vectors", "steps"]
    assert names(None, ["steps"], also=["predicted-tools"]) == [
        "guesser",
        "named-scenarios",
        "predicted-tools",
        "scenario-vectors",
    ], "what requires steps goes too"
    assert names(None, ["steps", "scenario-vectors"]) == ["guesser"]
    assert names([]) == []
    assert names(["steps"]) == ["action-vectors", "steps"]
    assert names([guesser, "predicted-tools"]) == ["guesser", "predicted-tools"]
    assert with_records([guesser, NamedScenarios()], [Segment]) == [guesser]
    assert len(with_records([guesser, NamedScenarios()], [Segment, SentenceVector])) == 2
    with pytest.raises(ConfigurationError, match="no enricher 'step' is installed"):
        names(["step"])
    with pytest.raises(ConfigurationError, match="two enrichers have the name 'guesser'"):
        names([guesser, Guesser(version_of_network="d")])
