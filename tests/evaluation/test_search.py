"""The evaluation of search: what counts as right, the figures, and the questions that ship."""

from __future__ import annotations

import re

import pytest

from kgscripts import ScriptGraph
from kgscripts.evaluation import search as module
from kgscripts.evaluation.search import Question, evaluate_search, questions
from kgscripts.search.entries import Kind
from schemas.errors import InputError
from tests.exports.kitchen import kitchen_graph


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


def question(text: str, kind: Kind, *words: str, scenarios: tuple[str, ...] = ()) -> Question:
    return Question(text, kind, frozenset(scenarios), tuple(map(re.compile, words)))


ASKED = [
    question("drain pasta", Kind.STEP, "drain.*pasta", scenarios=("cooking pasta",)),
    question("cooking pasta", Kind.SCENARIO, scenarios=("cooking pasta",)),
    question("strainer", Kind.TOOL, "^colander$"),
    question("fly to the moon", Kind.STEP, "moon"),
]


def test_figures_are_means_of_reciprocal_ranks(kitchen: ScriptGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "questions", lambda _: ASKED)
    found = evaluate_search(kitchen, "development")
    assert (found.items["questions"], found.items["not answerable"]) == (3, 1)
    figures = {(each.metric, each.part): each.value for each in found.systems[0].figures}
    tools = [each.label for each in kitchen.search("strainer", kind="tool", limit=10).found]
    rank = tools.index("colander") + 1
    assert rank > 1
    assert figures["MRR", "tools"] == pytest.approx(1 / rank)
    assert figures["MRR", ""] == pytest.approx((2 + 1 / rank) / 3)
    assert figures["hit@1", ""] == pytest.approx(2 / 3)
    assert [each.text for each in found.examples] == ["strainer"]


def test_a_graph_that_answers_nothing_is_refused(kitchen: ScriptGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "questions", lambda _: ASKED[-1:])
    with pytest.raises(InputError, match="nothing in the graph"):
        evaluate_search(kitchen, "development")


@pytest.mark.parametrize("split", ["development", "unseen"])
def test_the_questions_that_ship(split: str) -> None:
    found = questions(split)
    assert len({item.text for item in found}) == 75
    assert all(bool(item.scenarios) == (item.kind is not Kind.TOOL) for item in found)
    assert all(bool(item.words) == (item.kind is not Kind.SCENARIO) for item in found)


def test_no_question_is_in_both_halves() -> None:
    texts = [{item.text for item in questions(split)} for split in ("development", "unseen")]
    assert not set.intersection(*texts)
