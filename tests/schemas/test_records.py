"""Records refuse what breaks their rules, and say why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InputError, KGScriptsError, RecordError
from schemas.provenance import BenchmarkScore, Direction, Model
from schemas.records import (
    Action,
    Argument,
    Discard,
    DiscardReason,
    Document,
    EventMention,
    Passage,
    PassageKind,
    PredictedTool,
    Role,
    Segment,
    Sentence,
    Tool,
)

_ACTION = Action(predicate="boil", object="water")


def _document(text: str = "Boil the water.", passages: list[Passage] | None = None, **fields: str) -> Document:
    plain: dict[str, Any] = {"name": "x", "format": "text"} | fields
    return Document(**plain, text=text, passages=passages or [])


def _score(**fields: object) -> BenchmarkScore:
    plain = {"dataset": "EWT", "split": "test", "metric": "LAS", "value": 1.0, "unit": "share", "exposure": "unseen"}
    return BenchmarkScore(**plain | fields)  # type: ignore[arg-type]


def _step(start: int, end: int) -> Passage:
    return Passage(kind=PassageKind.STEP, start=start, end=end)


@pytest.mark.parametrize(
    "make",
    [
        lambda: _step(-1, 2),
        lambda: _step(2, 2),
        lambda: _step(3, 2),
        lambda: Passage(kind="chapter", start=0, end=1),
        lambda: Argument(lemma="", role=Role.AGENT, start=0, end=1),
        lambda: Argument(lemma="pot", role="hero", start=0, end=1),
        lambda: Argument(lemma="pot", role=Role.AGENT, start=1, end=1),
        lambda: Tool(lemma="", start=0, end=1),
        lambda: Tool(lemma="pot", start=2, end=1),
        lambda: Action(predicate=""),
        lambda: EventMention(action=_ACTION, start=0, end=0),
        lambda: EventMention(action=_ACTION, start=0, end=1, score=1.1),
        lambda: EventMention(action=_ACTION, start=0, end=1, score=-0.1),
        lambda: EventMention(action=_ACTION, start=0, end=1, score=float("nan")),
        lambda: Discard(reason="boredom"),
        lambda: Sentence(start=3, end=3),
        lambda: Segment(scenario="", start=0, end=1),
        lambda: Segment(scenario="taking a bath", start=1, end=0),
        lambda: Segment(scenario="taking a bath", start=0, end=1, confidence=1.5),
        lambda: PredictedTool(lemma="", probability=0.5),
        lambda: PredictedTool(lemma="pot", probability=-0.1),
        lambda: _document("a\ud800"),
        lambda: _document("ab", [_step(0, 3)]),
        lambda: _document("abcd", [_step(2, 3), _step(0, 1)]),
        lambda: _document("abcd", [_step(0, 1), _step(0, 4)]),
        lambda: Model(name="m", version="1", digest="abc", task="t"),
        lambda: Model(name="", version="1", digest="a" * 64, task="t"),
        lambda: _score(value=float("nan")),
        lambda: _score(value=float("inf")),
        lambda: _score(unit="miles"),
        lambda: _score(metric=""),
        lambda: _score(direction="sideways"),
        lambda: _score(exposure="secret"),
    ],
)
def test_broken_records_cannot_be_made(make: Callable[[], object]) -> None:
    with pytest.raises((RecordError, ValueError)):
        make()


@pytest.mark.parametrize("record", [_ACTION, _step(0, 1), _document(), Sentence(start=0, end=1), _score()])
def test_records_are_immutable_and_closed(record: attrs.AttrsInstance) -> None:
    name = attrs.fields(type(record))[0].name
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(record, name, "other")
    with pytest.raises(TypeError):
        type(record)(unknown=1)  # type: ignore[call-arg]


def test_scores_are_rounded_before_they_decide() -> None:
    assert EventMention(action=_ACTION, start=0, end=1, score=0.123449).score == 0.1234
    assert _score(value=92.00004999) == _score(value=92)
    assert _score().direction is Direction.HIGHER


def test_an_action_in_words() -> None:
    action = Action(predicate="pour", particle="out", object="water", preposition="into", prepositional_object="sink")
    assert action.label == "pour out water into sink"
    assert Action(predicate="sleep").label == "sleep"


def test_the_digest_depends_on_content_and_not_on_the_name() -> None:
    plain = _document(passages=[_step(0, 15)])
    assert attrs.evolve(plain, name="elsewhere").digest == plain.digest
    others = [
        attrs.evolve(plain, text="Boil the water!"),
        attrs.evolve(plain, format="markdown"),
        attrs.evolve(plain, title="t"),
        attrs.evolve(plain, scenario="t"),
        attrs.evolve(plain, passages=[]),
        attrs.evolve(plain, passages=[_step(0, 14)]),
        attrs.evolve(plain, passages=[Passage(kind=PassageKind.PARAGRAPH, start=0, end=15)]),
    ]
    assert len({plain.digest, *(other.digest for other in others)}) == 8


@given(first=st.tuples(st.text(), st.text()), second=st.tuples(st.text(), st.text()))
def test_fields_do_not_run_into_each_other(first: tuple[str, str], second: tuple[str, str]) -> None:
    digests = [_document(title=title, scenario=scenario).digest for title, scenario in (first, second)]
    assert (digests[0] == digests[1]) == (first == second)


def test_errors_say_what_where_and_what_to_do() -> None:
    error = InputError("it is empty", where="a.txt:3", remedy="write something")
    assert isinstance(error, KGScriptsError)
    assert str(error) == "a.txt:3: it is empty\n  write something"
    assert str(KGScriptsError("it is empty")) == "it is empty"


def test_every_reason_is_in_words() -> None:
    assert len({reason.value for reason in DiscardReason}) == len(DiscardReason)
    assert all(" " in reason.value or reason.value.isalpha() for reason in DiscardReason)


def test_every_score_decides_whether_its_data_was_unseen() -> None:
    row = attrs.asdict(_score(exposure="development"))
    assert BenchmarkScore.from_rows([row]) == (_score(exposure="development"),)
    del row["exposure"]
    assert BenchmarkScore.from_rows([row]) == ()
    with pytest.raises(TypeError, match="exposure"):
        BenchmarkScore(**row)


def test_a_label_has_no_nul() -> None:
    document = Document(name="a", format="text", text="", scenario="washing\0a dog", passages=())
    assert document.scenario == "washing a dog"
