"""What two readers agree on, against a plain computation over what they read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve, frozen

from kgscripts.assembly import engine
from kgscripts.evaluation.agreement import MENTIONS, OVERLAPPING, SCENARIOS, evaluate_agreement
from kgscripts.evaluation.result import System
from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph
from schemas.records import EventMention, Need, Record, Segment
from tests.assembly.tiny_reader import read_tiny, tiny_document
from tests.commands import run
from tests.evaluation.test_every_command import check

TEXTS = [
    tiny_document("boil the water with the kettle. add the pasta in the pot. drain the pasta with the sieve."),
    tiny_document("boil the water. stir the pasta with the spoon.", scenario="folding a paper boat"),
    tiny_document("drain the pasta with the sieve. boil the egg in the pot.", scenario="Cook some pasta"),
    tiny_document("boil the soup. fail the test."),
]


@frozen
class _Reader(Extractor):
    """Reads the events of some verbs; one that is `short` ends them before the tool, and cannot read "fail"."""

    rules = "1"
    task = "events"
    gives = (EventMention, Need, Segment)

    name: str  # type: ignore[misc]
    verbs: str
    is_short: bool = False

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [self.records(item.document.text) for item in documents]

    def records(self, text: str) -> list[Record]:
        if self.is_short and "fail" in text:
            raise ValueError("no idea")
        events = [item for item in read_tiny(tiny_document(text)) if isinstance(item, EventMention)]
        events = [item for item in events if item.action.predicate in self.verbs.split()]
        if self.is_short:
            events = [evolve(item, end=item.end - 5) if item.action.object == "water" else item for item in events]
        needs = [Need(lemma="pot", start=text.index("pot"), end=len(text)) for _ in range("pot" in text)]
        about = [Segment(scenario="fold paper boats", start=0, end=4)] if "stir" in text else []
        return [*events, *needs, *about]


ONE = _Reader(name="one", verbs="boil add drain")
TWO = _Reader(name="two", verbs="boil stir drain", is_short=True)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("agreement") / "graph"
    build_graph(output=directory, texts=TEXTS, extractors=[ONE, TWO, LabelExtractor()])
    return directory


@pytest.fixture(scope="module")
def pair(graph: Path) -> System:
    return evaluate_agreement(graph).system("one, two")


def _mentions(reader: _Reader) -> set[tuple[int, EventMention]]:
    """The mentions in the texts that both can read, without what does not count."""
    return {
        (number, evolve(item, participants=(), words="", phrase="", measures=()))
        for number, document in enumerate(TEXTS[:-1])
        for item in reader.records(document.text)
        if isinstance(item, EventMention)
    }


def _keys(reader: _Reader) -> set[tuple[object, ...]]:
    return {(number, item.start, item.end, item.action) for number, item in _mentions(reader)}


def _tools(reader: _Reader) -> set[tuple[object, ...]]:
    return {
        (number, item.start, item.end, item.action, tool.lemma)
        for number, item in _mentions(reader)
        for tool in item.tools
    }


def _numbers(system: System, part: str) -> list[float | None]:
    return [system.get(metric, part) for metric in ("both", "either", "first", "second")]


def test_equal_mentions_and_tools_in_texts_that_both_have_read_are_counted(pair: System) -> None:
    for part, found in ((MENTIONS, _keys), ("tools", _tools)):
        one, two = found(ONE), found(TWO)
        assert all((one - two, two - one, one & two))
        assert _numbers(pair, part) == [len(one & two), len(one | two), len(one), len(two)]
        assert pair.value("agreement", part) == len(one & two) / len(one | two)
    assert pair["texts"] == 3


def test_other_spans_of_the_same_action_agree_loosely(pair: System) -> None:
    exact, loose = (pair.value("both", part) for part in (MENTIONS, OVERLAPPING))
    assert loose - exact == 2
    assert pair.value("either", OVERLAPPING) == pair.value("either", MENTIONS) - 2


def test_partitions_change_nothing(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluate_agreement(graph)
    monkeypatch.setattr(engine, "_BYTES_A_DOCUMENT", engine.default_memory())
    monkeypatch.setattr(engine, "_VERY_FEW_RECORDS", 0)
    assert evaluate_agreement(graph) == found


def test_scenarios_are_compared_by_their_key_in_texts_for_which_both_name_one(graph: Path) -> None:
    found = evaluate_agreement(graph)
    assert _numbers(found.system("labels, one"), SCENARIOS) == [1, 1, 1, 1]
    assert found.system("labels, one").parts == (SCENARIOS,)
    assert _numbers(found.system("one, two"), "needs") == [2, 2, 2, 2]


def test_the_command_prints_pairs_in_eighty_columns_and_examples_of_what_one_has_read(graph: Path) -> None:
    lines = run("evaluate", "agreement", str(graph), "--examples", "9").splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("stir pasta, only by two, in ") for line in lines)
    (found,) = check(json.loads(run("evaluate", "agreement", str(graph), "--json")))
    assert {system.name for system in found.systems} == {"one, two", "labels, one", "labels, two"}


def test_a_graph_of_one_reader_says_what_to_do(tmp_path: Path) -> None:
    build_graph(output=tmp_path / "graph", texts=TEXTS[:1], extractors=[ONE])
    assert evaluate_agreement(tmp_path / "graph").systems == ()
    shown = run("evaluate", "agreement", str(tmp_path / "graph"))
    assert "build with another one, such as --also llm" in " ".join(shown.split())
    assert "Shares" not in shown
