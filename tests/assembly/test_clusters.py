"""Which actions are the same step, and what a step is called."""

from __future__ import annotations

import pytest

from kgscripts.assembly.clusters import cluster, label
from schemas.records import Action

_POT = Action(predicate="put", object="pasta", preposition="in", prepositional_object="pot")
_WATER = Action(predicate="put", object="pasta", preposition="in", prepositional_object="boiling water")
_PUT = Action(predicate="put", object="pasta")
_OUT = Action(predicate="put", particle="out", object="pasta")
_STORE = Action(predicate="go", preposition="to", prepositional_object="store")
_KITCHEN = Action(predicate="go", preposition="to", prepositional_object="kitchen")


@pytest.mark.parametrize(
    ("actions", "clusters"),
    [
        ([_POT, _WATER], {_POT: _WATER, _WATER: _WATER}),
        ([_POT, _WATER, _PUT], {_POT: _PUT, _WATER: _PUT, _PUT: _PUT}),
        ([_PUT, _OUT], {_PUT: _PUT, _OUT: _OUT}),
        ([_STORE, _KITCHEN], {_STORE: _STORE, _KITCHEN: _KITCHEN}),
        ([], {}),
    ],
)
def test_same_object_same_step(actions: list[Action], clusters: dict[Action, Action]) -> None:
    assert cluster(actions) == clusters
    assert cluster(reversed(actions)) == clusters


@pytest.mark.parametrize(
    ("actions", "words"), [([_POT], "put pasta in pot"), ([_POT, _WATER], "put pasta"), ([_STORE], "go to store")]
)
def test_labels_say_what_the_actions_share(actions: list[Action], words: str) -> None:
    assert label(actions) == words
