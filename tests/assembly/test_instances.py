"""The texts in the graph: passages, their nesting and order, and the evidence that hangs on statements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from attrs import frozen

from kgscripts import ScriptGraph
from kgscripts.assembly.writing.passages import parents
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph
from schemas.records import Document, Passage, PassageKind, Record, Sentence
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.tiny_reader import TinySegmenter, tiny, tiny_document

_TEXT = "we boil the water in the pot. not stir the pot. add the pasta with the spoon. boil the water."


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    directory = tmp_path_factory.mktemp("graph")
    documents = [tiny_document(_TEXT, scenario="cooking pasta"), tiny_document("boil the water.")]
    build_graph(output=directory, texts=documents, extractors=tiny())
    return graph_rows(directory)


def test_every_passage_is_its_text(rows: Rows) -> None:
    texts = {row["id"]: (_TEXT if row["scenario_label"] else "boil the water.") for row in rows["Source"]}
    assert {row["kind"] for row in rows["Passage"]} == {"paragraph", "sentence", "mention"}
    for row in rows["Passage"]:
        assert row["text"] == texts[row["source"]][row["start"] : row["end"]]


def test_mentions_lie_in_sentences_in_paragraphs_in_sources(rows: Rows) -> None:
    kinds = {row["id"]: row["kind"] for row in rows["Passage"]} | {row["id"]: "source" for row in rows["Source"]}
    ends = [(kinds[row["from_id"]], kinds[row["to_id"]]) for row in rows["WITHIN"]]
    assert set(ends) == {("mention", "sentence"), ("sentence", "paragraph"), ("paragraph", "source")}
    assert len(ends) == len(rows["Passage"])


def test_mentions_follow_each_other_in_the_text(rows: Rows) -> None:
    texts = {row["id"]: row["text"] for row in rows["Passage"]}
    order = nx.DiGraph([(row["from_id"], row["to_id"]) for row in rows["NEXT"]])
    assert [texts[passage] for passage in nx.topological_sort(order)] == [
        "we boil the water in the pot",
        "add the pasta with the spoon",
        "boil the water",
    ]


def test_mentions_realize_their_step(rows: Rows) -> None:
    steps, texts = labels(rows, "SubEvent"), {row["id"]: row["text"] for row in rows["Passage"]}
    told = {(texts[row["from_id"]], steps[row["to_id"]], row["score"]) for row in rows["REALIZES"]}
    assert told == {
        ("we boil the water in the pot", "boil water", 0.54),
        ("boil the water", "boil water", 0.54),
        ("add the pasta with the spoon", "add pasta", 0.53),
    }


def test_every_statement_has_passages_models_and_their_scores(rows: Rows) -> None:
    statements = {row["id"]: row for row in rows["Statement"]}
    relations = ("HAS_SUB_EVENT", "PRECEDES", "EXPRESSED_AS", "HAS_PARTICIPANT", "USES", "NEEDS")
    stated = {row["statement"]: (name, row) for name in relations for row in rows[name]}
    assert stated.keys() == statements.keys()
    for identifier, (name, row) in stated.items():
        statement = statements[identifier]
        assert (statement["subject"], statement["relation"], statement["object"]) == (
            row["from_id"],
            name,
            row["to_id"],
        )
    models = {row["id"]: row["name"] for row in rows["Model"]}
    readers = {(row["from_id"], models[row["to_id"]]) for row in rows["READ_BY"]}
    steps = {identifier for identifier, (name, _) in stated.items() if name == "HAS_SUB_EVENT"}
    of_events = {(identifier, name) for identifier in statements for name in ("tiny", "tiny-syntax")}
    assert readers == of_events | {(identifier, "labels") for identifier in steps}
    assert {row["name"] for row in rows["Model"]} == {"tiny", "tiny-syntax", "labels"}
    assert {row["from_id"] for row in rows["EVIDENCED_BY"]} == statements.keys()
    assert {models[row["from_id"]] for row in rows["SCORED"]} == {"tiny", "labels"}
    values = {row["id"]: row["value"] for row in rows["BenchmarkScore"]}
    assert [values[row["to_id"]] for row in rows["SCORED"] if models[row["from_id"]] == "tiny"] == [1]


def test_evidence_is_the_mentions_that_say_so(rows: Rows) -> None:
    texts = {row["id"]: row["text"] for row in rows["Passage"]}
    tools = labels(rows, "Tool")
    said = {
        (statement["relation"], tools[statement["object"]], texts[row["to_id"]])
        for statement in rows["Statement"]
        for row in rows["EVIDENCED_BY"]
        if row["from_id"] == statement["id"] and statement["relation"] == "USES"
    }
    assert said == {("USES", "spoon", "add the pasta with the spoon")}
    order = [statement["id"] for statement in rows["Statement"] if statement["relation"] == "PRECEDES"]
    assert {texts[row["to_id"]] for row in rows["EVIDENCED_BY"] if row["from_id"] in order} == {
        "we boil the water in the pot",
        "add the pasta with the spoon",
    }


def test_scenarios_that_are_not_listed_come_from_labels_and_titles_of_how_tos(tmp_path: Path) -> None:
    step = Passage(kind=PassageKind.STEP, start=0, end=15)
    how_to = Document(name="x", format="text", text="boil the water.", title="How to carve a pumpkin?", passages=[step])
    others = [tiny_document("stir the tea.", scenario="Drying a cat."), tiny_document("add.", scenario="bath")]
    report = build_graph(output=tmp_path, texts=[how_to, *others], extractors=tiny())
    assert report.discards == {"scenario not listed": 1}, "of labels only"
    rows = graph_rows(tmp_path)
    assert {row["label"]: (row["listed"], row["support"]) for row in rows["Scenario"]} == {
        "carving a pumpkin": (False, 1),
        "drying a cat": (False, 1),
        "taking a bath": (True, 1),
    }
    assert len(rows["ABOUT"]) == 3


@frozen
class _ManySentences(Extractor):
    """Gives the last 100,000 stretches of three characters as sentences."""

    name = "many"
    rules = "1"
    task = "sentences"
    gives = (Sentence,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [Sentence(start=end - 3, end=end) for end in range(len(item.document.text), 0, -3)[:_MANY]]
            for item in documents
        ]


_MANY = 100_000


# For ever: with the text read from its beginning for each of its passages this took over five minutes.
@pytest.mark.timeout(120)
def test_passages_of_a_long_text_take_linear_time(tmp_path: Path) -> None:
    text = "é" + "ab " * 1_000_000 + "😀b"
    build_graph(output=tmp_path, texts=[text], extractors=[_ManySentences(), *tiny()[:1]])
    sentences = [row for row in ScriptGraph.open(tmp_path).rows("Passage") if row["kind"] == "sentence"]
    assert len(sentences) == _MANY
    assert all(row["text"] == text[row["start"] : row["end"]] for row in sentences)


def test_overlapping_passages_lie_in_the_smallest_that_holds_them_whole() -> None:
    step, sentence, across, mention, other = (0, 10, True), (0, 10, True), (0, 15, True), (0, 9, False), (1, 9, False)
    columns = zip(step, sentence, across, mention, other, strict=True)
    assert parents(*(np.array(column) for column in columns)).tolist() == [-1, 0, -1, 2, -1]


def test_ids_of_passages_name_their_document_and_ascend_with_their_place(rows: Rows) -> None:
    digests = {row["id"]: row["digest"] for row in rows["Source"]}
    for row in rows["Passage"]:
        assert row["id"] == f"passage/{digests[row['source']][:24]}-{row['start']:09d}-{row['end']:09d}-{row['kind']}"


def test_segments_are_passages_and_an_event_of_several_realizes_a_step_of_each(tmp_path: Path) -> None:
    text = "boil the water. add the pasta in the water. stir the pot."
    documents = [tiny_document(text, scenario="taking a bath"), tiny_document("boil the water.")]
    both = tiny_document("drain the pasta in the water.", scenario="making tea")
    build_graph(output=tmp_path, texts=[*documents, both], extractors=[*tiny(), TinySegmenter()])
    rows = graph_rows(tmp_path)
    scenarios, texts = labels(rows, "Scenario"), {row["id"]: row["text"] for row in rows["Passage"]}
    sources = {row["id"]: row["scenario_label"] for row in rows["Source"]}
    about = {(texts.get(row["from_id"]), scenarios[row["to_id"]], row["confidence"]) for row in rows["ABOUT"]}
    assert about - {item for item in about if item[0] is None} == {
        ("boil the water.", "making soup", 0.5),
        ("add the pasta in the water.", "making soup", 0.5),
        ("add the pasta in the water.", "cooking pasta", 0.75),
    }
    # A segment over a whole text is the source itself, which is about all that its segments are about.
    assert {
        (sources[row["from_id"]], scenarios[row["to_id"]], row["confidence"])
        for row in rows["ABOUT"]
        if row["from_id"] in sources
    } == {
        ("taking a bath", "taking a bath", 1.0),
        ("taking a bath", "making soup", 0.5),
        ("taking a bath", "cooking pasta", 0.75),
        ("making tea", "making tea", 1.0),
        ("making tea", "making soup", 0.5),
        ("making tea", "cooking pasta", 0.75),
        (None, "making soup", 0.5),
    }
    kinds = {row["id"]: row["kind"] for row in rows["Passage"]}
    within = {(kinds[row["from_id"]], kinds.get(row["to_id"], "source")) for row in rows["WITHIN"]}
    assert ("sentence", "segment") in within
    assert not any(
        row["confidence"] in (0.5, 0.75)
        for name in ("REALIZES", "READ_BY")
        for row in rows[name]
        if "confidence" in row
    )
    steps = {row["id"]: scenarios[row["scenario"]] for row in rows["SubEvent"] if row["label"].startswith("drain")}
    realized = [steps[row["to_id"]] for row in rows["REALIZES"] if row["to_id"] in steps]
    assert sorted(realized) == ["cooking pasta", "making soup", "making tea"]
    assert [row["support"] for row in rows["Action"] if row["label"].startswith("drain")] == [1]
    assert {row["mentions"] for row in rows["SubEvent"] if row["id"] in steps} == {1}
