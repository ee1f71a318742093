"""Which action names a merged step."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.enrichers.protocol import Enricher
from kgscripts.enrichers.vectors import ActionVectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.pipeline import build_graph
from kgscripts.typicality.naming import content, naming_actions, with_things
from schemas.provenance import Model
from schemas.records import Action, ActionVector, Record, StepCluster
from tests.assembly.built import graph_rows
from tests.assembly.tiny_reader import tiny, tiny_document
from tests.typicality.test_features import unit


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.integers(1, 10)), min_size=1, max_size=12))
def test_the_name_has_the_greatest_product(actions: list[tuple[int, int, int]]) -> None:
    steps = sorted({step for step, _, _ in actions})
    step = np.array([steps.index(number) for number, _, _ in actions])
    support = np.array([number for _, number, _ in actions])
    weight = np.array([number / 10 for _, _, number in actions])
    vectors = unit(len(actions), 5)
    named = naming_actions(step, vectors, support, weight)
    assert step[named].tolist() == sorted(set(step.tolist()))
    for row in range(len(actions)):
        scores = {}
        for one in np.flatnonzero(step == step[row]).tolist():
            stands_for = 0.0
            for other in np.flatnonzero(step == step[row]).tolist():
                cosine = int(vectors[one].astype(int) @ vectors[other].astype(int)) / SCALE**2
                stands_for += min(1, max(0, cosine)) ** 4 * int(support[other])
            scores[one] = weight[one] * support[one] ** 0.5 * stands_for
        assert scores[named[step[row]]] == pytest.approx(max(scores.values()), rel=0.02)


def test_equal_actions_are_named_by_the_first_and_large_steps_by_a_frequent_one() -> None:
    vectors = np.repeat(unit(1, 1), 500, axis=0)
    step, weight = np.zeros(500, np.int64), np.ones(500)
    assert naming_actions(step, vectors, np.ones(500, np.int64), weight).tolist() == [0]
    support = np.ones(500, np.int64)
    support[400] = 2
    assert naming_actions(step, vectors, support, weight).tolist() == [400]


@pytest.mark.parametrize(
    ("says_less", "says_more"),
    [
        (("call", "", "", ""), ("dial", "", "number", "")),
        (("put", "", "it", "in"), ("wait", "", "", "in")),
        (("put", "", "thing", ""), ("put", "", "plate", "")),
        (("remove", "", "", ""), ("arrive", "", "", "")),
        (("dance", "", "", ""), ("dance", "", "", "in")),
        (("ask", "", "", "for"), ("wait", "", "", "for")),
    ],
)
def test_what_an_action_says(says_less: tuple[str, ...], says_more: tuple[str, ...]) -> None:
    assert 0 < content(*says_less) < content(*says_more) <= 1


@pytest.mark.parametrize(
    ("name", "others", "found"),
    [
        (("wait", "", "", ""), {("wait", "", "", "for"): 2, ("wait", "", "turn", ""): 1}, ("wait", "", "", "for")),
        (("wait", "", "", ""), {("wait", "", "", "for"): 1}, ("wait", "", "", "")),
        (("wait", "", "it", ""), {("wait", "", "turn", ""): 3}, ("wait", "", "turn", "")),
        (("wait", "", "", ""), {("stay", "", "", "for"): 9}, ("wait", "", "", "")),
        (("get", "in", "", ""), {("get", "", "", "in"): 4, ("get", "", "car", ""): 9}, ("get", "", "", "in")),
        (("get", "in", "", ""), {("get", "in", "thing", ""): 9}, ("get", "in", "", "")),
        (("boil", "", "water", ""), {("boil", "", "egg", ""): 9}, ("boil", "", "water", "")),
    ],
)
def test_a_name_without_a_thing_gives_way_to_one_with_a_thing(
    name: tuple[str, str, str, str],
    others: dict[tuple[str, str, str, str], int],
    found: tuple[str, str, str, str],
) -> None:
    words = [name, *others]
    support = np.array([10, *others.values()])
    chosen = with_things(np.array([0]), np.zeros(len(words), np.int64), support, words)
    assert words[chosen[0]] == found
    # The actions of another step do not count.
    step = np.array([0, *[1] * len(others)])
    assert with_things(np.array([0, 1]), step, support, words)[0] == 0


@frozen
class _Vectors(Enricher):
    """The same vector for all."""

    name = "action-vectors"
    rules = "1"
    task = "vectors"
    gives = ActionVector
    query = ActionVectors.query

    @property
    def networks(self) -> tuple[Model, ...]:
        return (Model(name="same", version="1", digest="d" * 64, task="vectors"),)

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        values = base64.b64encode(np.full(384, 20, np.int8).tobytes()).decode("ascii")
        return [[ActionVector(values=values)] for _ in contents]


@frozen
class _Merger(Enricher):
    """Merges taking and removing, and pouring."""

    name = "steps"
    rules = "1"
    task = "steps"
    gives = StepCluster
    query = "SELECT scenario AS target, [label] AS content FROM scenario"

    @property
    def networks(self) -> tuple[Model, ...]:
        return (Model(name="all", version="1", digest="e" * 64, task="steps"),)

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        clusters = (
            [("remove", "", "", ""), ("take", "lid", "", "")],
            [("pour", "tea", "in", x) for x in ("cup", "pot")],
        )
        names = ("predicate", "object", "preposition", "prepositional_object")
        return [
            [
                StepCluster(
                    actions=tuple(Action(particle="", **dict(zip(names, words, strict=True))) for words in cluster),
                    probability=0.9,
                )
                for cluster in clusters
            ]
            for _ in contents
        ]


def test_a_step_of_several_actions_has_the_name_that_says_most(tmp_path: Path) -> None:
    texts = ["remove. pour the tea in the cup.", "remove. take the lid.", "take the lid. pour the tea in the pot."]
    documents = [tiny_document(text, name=str(number), scenario="tea") for number, text in enumerate(texts)]
    build_graph(output=tmp_path, texts=documents, extractors=[*tiny(), _Vectors(), _Merger()])
    # Actions that differ in their places only keep the name without it.
    assert {row["label"] for row in graph_rows(tmp_path)["SubEvent"]} == {"take lid", "pour tea"}
