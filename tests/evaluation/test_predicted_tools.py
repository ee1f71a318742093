"""The measure of predicted tools, against counting by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.evaluation.result import Evaluation, Role
from kgscripts.evaluation.tools import (
    KITCHEN,
    Ranking,
    ToolEvent,
    evaluate_predicted_tools,
    score,
    tool_events,
)
from kgscripts.models.registry import load
from kgscripts.models.tools.ranker import ToolRanker
from kgscripts.titles.plain import singular
from schemas.provenance import Exposure
from tests.commands import run
from tests.evaluation.test_every_command import check_output
from tests.models.test_shipped import check_slice

EVENTS = [
    ToolEvent(KITCHEN, "drain the pasta", frozenset({"colander", "tong"})),
    ToolEvent("car", "change a tyre", frozenset({"jack", "wrench"})),
    ToolEvent("office", "greet the boss", frozenset()),
    ToolEvent("office", "staple the pages", frozenset({"stapler"})),
]
RANKINGS = [
    Ranking(("tongs", "pot"), answered=True),
    Ranking(("pump", "rope", "pot", "pan", "cup", "jack"), answered=True),
    Ranking(("pen",), answered=True),
    Ranking(("pen", "stapler"), answered=False),
]


def test_scores_by_hand() -> None:
    found = score(EVENTS, RANKINGS)
    assert (found.events, found.with_tools, found.answered, found.right) == (4, 3, 3, 1)
    assert found.precision == pytest.approx(1 / 3), "an answer for an event that needs no tool is wrong"
    assert found.share_answered == pytest.approx(2 / 3)
    assert found.hits == 2, "tongs is tong, the sixth tool does not count, and what is not answered does"
    assert found.needless == 1
    nothing = score([], [])
    assert (nothing.precision, nothing.share_answered, nothing.hit) == (0, 0, 0)


@given(st.lists(st.tuples(st.lists(st.sampled_from("abcdefgh"), unique=True), st.booleans()), max_size=8), st.data())
def test_the_scores_of_any_rankings(ranked: list[tuple[list[str], bool]], data: st.DataObject) -> None:
    """A perfect ranking that answers exactly where a tool is needed has the best scores; no other exceeds it."""
    gold = [frozenset(data.draw(st.sets(st.sampled_from("abcdefgh"), max_size=3))) for _ in ranked]
    events = [ToolEvent("car", "e", tools) for tools in gold]
    rankings = [Ranking(tuple(tools), answered and bool(tools)) for tools, answered in ranked]
    found = score(events, rankings)
    best = score(events, [Ranking(tuple(sorted(tools)), bool(tools)) for tools in gold])
    assert 0 <= found.precision <= 1
    assert 0 <= found.share_answered <= best.share_answered
    assert found.hits <= best.hits == best.with_tools
    assert found.right <= found.answered - found.needless
    assert best.needless == 0


def test_the_lists_have_what_their_page_says() -> None:
    development = tool_events("development")
    assert len(development) == 100
    assert sum(event.domain == KITCHEN for event in development) == 20
    assert sum(not event.tools for event in development) == 10


@pytest.fixture(scope="module")
def evaluated() -> Evaluation:
    """The ranker that ships on the events for development, evaluated once."""
    return evaluate_predicted_tools(load("tools", "default"), "development")


@pytest.fixture
def _evaluated_once(evaluated: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands take what is evaluated, if that is what they ask for."""

    def known(ranker: ToolRanker, split: str, *, source: str = "") -> Evaluation:
        assert ranker.model == load("tools", "default").model
        assert split == "development"
        systems = [evolve(item, source=source) if item.role is Role.MODEL else item for item in evaluated.systems]
        return evolve(evaluated, systems=systems)

    monkeypatch.setattr("kgscripts.evaluation.tools.evaluate_predicted_tools", known)


@pytest.mark.usefixtures("_evaluated_once")
def test_the_command_prints_the_ranker_and_what_it_is_compared_with(evaluated: Evaluation, tmp_path: Path) -> None:
    output = tmp_path / "scores.json"
    shown = run("evaluate", "tools", "--split", "development", "--json", "--examples", 2, "-o", output)
    (found,) = check_output(shown, output)
    assert found.exposure is Exposure.DEVELOPMENT
    (ranker,) = found.models
    simpler = [system for system in found.systems if system.role is Role.BASELINE]
    assert [item.name for item in simpler] == ["most frequent tools", "MiniLM, event and tool"]
    assert ranker["precision@1, all"] >= 0.6
    assert ranker["hit@5, all"] >= 0.7
    assert 0 < ranker["events, unlike known events"] < 100
    for item in simpler:
        assert item["hit@5, elsewhere"] < ranker["hit@5, elsewhere"], item.name
    answers = [item for item in evaluated.examples if item.found]
    right = sum(singular(item.found[0]) in item.gold for item in answers)
    assert ranker["precision@1, all"] == pytest.approx(right / len(answers), abs=1e-4)


@pytest.mark.usefixtures("_evaluated_once")
def test_the_scores_on_the_slice_are_those_of_the_card() -> None:
    check_slice("tools", {Exposure.UNSEEN})
