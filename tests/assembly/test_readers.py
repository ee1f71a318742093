"""Several extractors that give the same kind of record: one order, equal mentions merged, nothing counted twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve, frozen

from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph
from schemas.records import EventMention, Record
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.tiny_reader import TinySegmenter, read_tiny, tiny_document


@frozen
class _SomeVerbs(Extractor):
    """Reads the events of some verbs of the tiny language, with a confidence of its own."""

    name = "some-verbs"
    rules = "1"
    task = "events"
    gives = (EventMention,)

    verbs: tuple[str, ...]
    confidence: float

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [
                evolve(record, score=self.confidence)
                for record in read_tiny(item.document)
                if isinstance(record, EventMention) and record.action.predicate in self.verbs
            ]
            for item in documents
        ]


class _OtherVerbs(_SomeVerbs):
    name = "other-verbs"


def _rows(directory: Path, *extractors: Extractor) -> Rows:
    text = "boil the water. add the pasta. drain the pasta with the sieve."
    build_graph(
        output=directory,
        texts=[tiny_document(text, scenario="cooking pasta")],
        extractors=[*extractors, LabelExtractor()],
    )
    return graph_rows(directory)


@pytest.mark.parametrize(
    ("some", "others"),
    [(("boil", "drain"), ("add",)), (("add",), ("boil", "drain")), (("drain",), ("boil", "add"))],
)
def test_events_of_several_readers_are_in_text_order(
    some: tuple[str, ...], others: tuple[str, ...], tmp_path: Path
) -> None:
    rows = _rows(tmp_path, _SomeVerbs(some, 0.5), _OtherVerbs(others, 0.5))
    steps = labels(rows, "SubEvent")
    assert {(steps[row["from_id"]], steps[row["to_id"]]) for row in rows["PRECEDES"]} == {
        ("boil water", "add pasta"),
        ("add pasta", "drain pasta"),
    }
    ranks = {steps[row["to_id"]]: (row["rank"], row["mean_position"]) for row in rows["HAS_SUB_EVENT"]}
    assert ranks == {"boil water": (1, 0.0), "add pasta": (2, 0.5), "drain pasta": (3, 1.0)}


def test_an_event_that_two_readers_find_counts_once_and_keeps_both(tmp_path: Path) -> None:
    alone = _rows(tmp_path / "alone", _SomeVerbs(("boil", "add", "drain"), 0.5))
    rows = _rows(tmp_path / "both", _SomeVerbs(("boil", "add", "drain"), 0.5), _OtherVerbs(("drain",), 0.75))
    unread = {name: those for name, those in rows.items() if name not in ("READ_BY", "REALIZES", "Model")}
    assert unread == {name: alone[name] for name in unread}
    models, steps = {row["id"]: row["name"] for row in rows["Model"]}, labels(rows, "SubEvent")
    read_by = {
        (steps[statement["subject"]], models[row["to_id"]], row["score"])
        for statement in rows["Statement"]
        for row in rows["READ_BY"]
        if row["from_id"] == statement["id"] and statement["relation"] == "USES"
    }
    assert read_by == {("drain pasta", "some-verbs", 0.5), ("drain pasta", "other-verbs", 0.75)}
    scores = {steps[row["to_id"]]: row["score"] for row in rows["REALIZES"]}
    assert scores == {"boil water": 0.5, "add pasta": 0.5, "drain pasta": 0.75}


_BOIL_FOR_SOUP = ("making soup", "boil water")
_BOIL_FOR_PASTA = ("cooking pasta", "boil water")
_ADD_PASTA = ("cooking pasta", "add pasta")


def test_what_a_scenario_consists_of_is_also_read_by_those_who_found_the_scenario(tmp_path: Path) -> None:
    rows = _rows(tmp_path, _SomeVerbs(("boil", "add"), 0.25), TinySegmenter())
    scenarios, steps = labels(rows, "Scenario"), labels(rows, "SubEvent")
    models = {row["id"]: row["name"] for row in rows["Model"]}
    statements = {row["id"]: row for row in rows["Statement"]}
    read_by = {
        (scenarios[statement["subject"]], steps[statement["object"]], models[row["to_id"]], row["score"])
        for row in rows["READ_BY"]
        if (statement := statements[row["from_id"]])["relation"] == "HAS_SUB_EVENT"
    }
    assert read_by == {
        *((*step, "some-verbs", 0.25) for step in (_BOIL_FOR_SOUP, _BOIL_FOR_PASTA, _ADD_PASTA)),
        (*_BOIL_FOR_SOUP, "tiny-segments", 0.5),
        (*_BOIL_FOR_PASTA, "labels", 1.0),
        (*_ADD_PASTA, "labels", 1.0),
        (*_ADD_PASTA, "tiny-segments", 0.75),
    }
    others = {row["from_id"] for row in rows["READ_BY"] if models[row["to_id"]] in ("labels", "tiny-segments")}
    assert {statements[identifier]["relation"] for identifier in others} == {"HAS_SUB_EVENT"}
