"""Any evaluation is printed within 80 columns, shares in percent, and is the same after a round trip as JSON."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kgscripts.commands.evaluation_output import finish, print_evaluations, print_summary
from kgscripts.evaluation.result import (
    Evaluation,
    Example,
    Figure,
    Role,
    System,
    as_json,
    counts,
    from_json,
    schema,
    shares,
)
from schemas.provenance import Direction, Exposure, Unit
from schemas.results import Table
from schemas.terminal import json_text

_TEXT = st.text("ab c.;:%é—\x1b\x07\u202e\n\t", max_size=120)
_NAME = st.one_of(st.sampled_from(["F1", "oracle match", "P_k", "a" * 100, " ", "\x1b[31m"]), _TEXT.filter(bool))
_VALUE = {
    Unit.SHARE: st.floats(0, 1),
    Unit.COUNT: st.integers(0, 99_999_999),
    Unit.CORRELATION: st.floats(-1, 1),
    Unit.NATS: st.floats(0, 1000),
    Unit.WORDS: st.floats(0, 1000),
    Unit.WORDS_PER_SECOND: st.floats(0, 1e6),
}


@st.composite
def _figures(draw: st.DrawFn) -> Figure:
    unit = draw(st.sampled_from(Unit))
    part = draw(st.one_of(st.just(""), _NAME))
    direction = draw(st.sampled_from(Direction))
    return Figure(metric=draw(_NAME), value=draw(_VALUE[unit]), unit=unit, direction=direction, part=part)


_SYSTEMS = st.builds(
    System,
    name=_TEXT,
    role=st.sampled_from(Role),
    figures=st.lists(_figures(), max_size=6),
    setting=st.one_of(st.just(""), _TEXT),
    source=_TEXT,
    remark=_TEXT,
)
_CELL = st.one_of(_TEXT, st.integers(), st.floats(), st.none())
_EVALUATIONS = st.builds(
    Evaluation,
    task=_NAME,
    dataset=_NAME,
    split=_NAME,
    exposure=st.one_of(st.none(), st.sampled_from(Exposure)),
    items=st.dictionaries(_NAME, st.integers(0, 10**9), max_size=3),
    systems=st.lists(_SYSTEMS, max_size=9),
    tables=st.dictionaries(
        _NAME,
        st.builds(Table, columns=st.just(("one", "two")), rows=st.lists(st.tuples(_CELL, _CELL), max_size=30)),
        max_size=2,
    ),
    notes=st.lists(_TEXT, max_size=2),
    examples=st.lists(
        st.builds(
            Example,
            system=_TEXT,
            where=_TEXT,
            text=_TEXT,
            gold=st.lists(_TEXT, max_size=3),
            found=st.lists(_TEXT, max_size=3),
        ),
        max_size=3,
    ),
)


def _printed(evaluations: Sequence[Evaluation], show: Callable[[Sequence[Evaluation]], None]) -> list[str]:
    stream = io.StringIO()
    with redirect_stdout(stream):
        show(evaluations)
    return stream.getvalue().split("\n")


def _evaluation(*systems: System) -> Evaluation:
    return Evaluation(task="t", dataset="d", split="s", systems=systems)


@pytest.mark.parametrize("show", [print_evaluations, print_summary])
@given(evaluations=st.lists(_EVALUATIONS, max_size=2))
@example(evaluations=[_evaluation()])
@example(evaluations=[_evaluation(System(name="", figures=()))])
def test_any_evaluation_fits_the_screen_and_cannot_control_it(
    show: Callable[[Sequence[Evaluation]], None], evaluations: list[Evaluation]
) -> None:
    lines = _printed(evaluations, show)
    assert max(map(len, lines)) <= 80
    assert not [char for line in lines for char in line if unicodedata.category(char) in ("Cc", "Cf")]


@given(evaluation=_EVALUATIONS)
def test_any_evaluation_is_the_same_after_a_round_trip(evaluation: Evaluation) -> None:
    content = json.loads(json_text(as_json([evaluation])))
    Draft202012Validator(schema()).validate(content)
    (found,) = from_json(content)
    assert json.loads(json_text(as_json([found]))) == content
    assert [system.role for system in found.systems] == [system.role for system in evaluation.systems]


_SHARES = {"precision": 0.12344, "recall": 1.0}


def _row(lines: Sequence[str], label: str) -> list[str]:
    (row,) = (line for line in lines if line.startswith(label) and line[-1].isdigit())
    return row.removeprefix(label).split()


def test_units_are_shown_as_people_expect_them() -> None:
    figures = [
        *shares(_SHARES),
        *counts({"pairs": 12345}),
        Figure(metric="surprisal", value=3.52349, unit=Unit.NATS, direction=Direction.LOWER),
        Figure(metric="speed", value=10_234.6, unit=Unit.WORDS_PER_SECOND),
        Figure(metric="order", value=-0.5, unit=Unit.CORRELATION),
    ]
    lines = _printed([_evaluation(System(name="ours", figures=figures))], print_evaluations)
    assert _row(lines, "precision") == ["12.34"]
    assert _row(lines, "recall") == ["100.00"]
    assert _row(lines, "pairs") == ["12,345"]
    assert _row(lines, "surprisal (nats) ↓") == ["3.523"]
    assert _row(lines, "speed (words/s)") == ["10,235"]
    assert _row(lines, "order") == ["-0.50"]
    assert "Shares in percent; ↓: lower is better" in lines


def test_what_there_is_more_of_are_rows() -> None:
    three = [System(name=name, figures=shares(_SHARES)) for name in ("ours", "theirs", "nobody's")]
    by_system = _printed([_evaluation(*three)], print_evaluations)
    assert [_row(by_system, system.name) for system in three] == 3 * [["12.34", "100.00"]]
    by_metric = _printed([_evaluation(*three[:2])], print_evaluations)
    assert [_row(by_metric, metric) for metric in _SHARES] == [["12.34", "12.34"], ["100.00", "100.00"]]


def test_parts_have_tables_of_their_own() -> None:
    figures = [*shares({"F1": 0.5}), *shares({"F1": 0.25}, "kitchen"), *shares({"F1": 0.75}, "office")]
    lines = _printed([_evaluation(System(name="ours", figures=figures))], print_evaluations)
    assert [_row(lines, label)[-1] for label in ("F1 ", "kitchen", "office")] == ["50.00", "25.00", "75.00"]
    assert "F1, by part" in lines


def test_the_summary_is_of_models_beside_the_best_that_was_published() -> None:
    evaluation = _evaluation(
        System(name="ours", figures=shares({"recall": 0.9, "micro F1": 0.5})),
        System(name="simple", role=Role.BASELINE, figures=shares({"micro F1": 0.6})),
        *(System(name=name, role=Role.PUBLISHED, figures=shares({"micro F1": value})) for name, value in _PUBLISHED),
    )
    lines = _printed([evaluation], print_summary)
    assert _row(lines, "t: ours") == ["d,", "s", "micro", "F1", "50.00", "40.00"]
    assert not any("simple" in line for line in lines)


_PUBLISHED = (("one", 0.4), ("two", 0.3))


def test_at_most_the_examples_asked_for_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = [
        Example(system=system, where="", text=f"text {number}", gold=(), found=("x",))
        for system in ("one", "two")
        for number in range(10)
    ]
    evaluation = Evaluation(task="t", dataset="d", split="s", systems=(), examples=examples)
    finish([evaluation], places={}, attach_as=None, output=tmp_path / "out.json", as_json=True, examples=2)
    (written,) = from_json(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))
    assert [(item.system, item.text) for item in written.examples] == [
        ("one", "text 0"),
        ("one", "text 5"),
        ("two", "text 0"),
        ("two", "text 5"),
    ]
    assert from_json(json.loads(capsys.readouterr().out)) == [written]
