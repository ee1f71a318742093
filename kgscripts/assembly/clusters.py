"""Which actions of one scenario are the same step. Later clusterings take the place of `cluster`."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.records import Action


def same_step(action: Action) -> tuple[str, ...]:
    """What two actions of one scenario share that are the same step."""
    return action.key[:3] if action.object else action.key


def cluster(actions: Iterable[Action]) -> dict[Action, Action]:
    """Each action of a scenario and the smallest one of its cluster.

    Actions are the same step if they share predicate, particle and object, wherever it is done ("put pasta in pot",
    "put pasta in boiling water"); without an object, if they share all their parts.
    """
    smallest: dict[tuple[str, ...], Action] = {}
    keys: dict[Action, tuple[str, ...]] = {}
    for action in actions:
        key = same_step(action)
        keys[action] = key
        known = smallest.get(key)
        if known is None or action.key < known.key:
            smallest[key] = action
    return {action: smallest[key] for action, key in keys.items()}


def label(members: Iterable[Action]) -> str:
    """A cluster in words: its only action, or what its actions share."""
    actions = sorted(members, key=lambda action: action.key)
    if len(actions) == 1:
        return actions[0].label
    return Action(predicate=actions[0].predicate, particle=actions[0].particle, object=actions[0].object).label
