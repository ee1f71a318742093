"""Features of the actions of one scenario, and of each pair of them, for judging whether they are the same step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.sentence_vectors import SIZE, Vectors
from kgscripts.text.lexicon import word_list

ActionParts: TypeAlias = tuple[str, ...]
"""Predicate, particle, object, preposition and its object; "" if there is none."""
Floats: TypeAlias = NDArray[np.float64]

FEATURES = 28
"""The number of features of a pair of actions."""

_MOST_AROUND = 4
"""The most actions before an action and after it by which it is described, the first in the alphabet; this limits the
cost."""
_NEAREST = 8
_NO_VECTORS = np.zeros((0, SIZE))
_UNRESOLVED = word_list("pronouns for things")
"""Objects without a meaning of their own: they do not count as common to two actions."""


@frozen(eq=False)
class StepContexts:
    """The actions of a scenario, ascending, with the features of each; `vectors` and the like are (actions, `SIZE`).
    `vectors` are unit vectors of the words of an action, `before` and `after` those of the mentions directly before
    and after it; from the centred ones, the mean of the scenario is subtracted.

    The words of an action are its own parts: two actions of one sentence or list item have different words.
    """

    actions: Sequence[ActionParts]
    mentions: Floats
    """Number of mentions of each action."""
    positions: Floats
    """Mean relative position in its texts: 0 first, 1 last."""
    presence: NDArray[np.bool_]
    """Whether a text has the action: (actions, texts)."""
    vectors: Floats
    before: Floats
    after: Floats
    centred: tuple[Floats, Floats, Floats]
    """Of `vectors`, `before` and `after`."""
    closeness: Floats
    """Mean cosine of each action and of its neighbours to the nearest actions: (2, actions)."""
    nouns: NDArray[np.int64]
    """The numbers of the heads of the object and of the preposition's object, (actions, 2); -1 for none, and for a
    second one that is the first."""
    words: NDArray[np.int64]
    """Numbers of predicate, head of the object, object, and head of the preposition's object; -1 for none."""

    @classmethod
    def of(cls, texts: Sequence[Sequence[ActionParts]], vectors: Vectors) -> StepContexts:
        """The contexts of all actions of a scenario's texts, each text with its mentions of actions in order."""
        places: dict[ActionParts, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts):
            for place, action in enumerate(text):
                places[action].append((number, place))
        actions = sorted(places)
        number_of = {action: number for number, action in enumerate(actions)}
        units = unit(vectors([words_of(action) for action in actions]).astype(float)) if actions else _NO_VECTORS

        def means(step: int) -> Floats:
            """Of the mentions `step` places away."""
            surroundings = np.zeros((len(actions), SIZE))
            for row, action in enumerate(actions):
                if neighbours := _around(texts, places[action], step):
                    surroundings[row] = units[[number_of[other] for other in neighbours]].mean(axis=0)
            return unit(surroundings)

        around = units, means(-1), means(1)
        centred = tuple(unit(item - item.mean(axis=0)) for item in around)
        presence = np.zeros((len(actions), len(texts)), dtype=np.bool_)
        for row, action in enumerate(actions):
            presence[row, [number for number, _ in places[action]]] = True
        positions = [
            np.mean([place / max(1, len(texts[number]) - 1) for number, place in places[action]]) for action in actions
        ]
        return cls(
            actions=actions,
            mentions=np.array([float(len(places[action])) for action in actions]),
            positions=np.array(positions),
            presence=presence,
            vectors=around[0],
            before=around[1],
            after=around[2],
            centred=(centred[0], centred[1], centred[2]),
            closeness=np.stack([_closeness(around[0]), _closeness(np.concatenate([centred[1], centred[2]], axis=1))]),
            nouns=_nouns(actions),
            words=np.stack(
                [_numbers([part(action) for action in actions]) for part in (_verb, _object_head, _object, _place_head)]
            ),
        )


def pair_features(contexts: StepContexts, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
    """The features of each pair of an action of `rows` and one of `columns`: (rows, columns, `FEATURES`)."""
    features: list[Floats] = []
    cosine = contexts.vectors[rows] @ contexts.vectors[columns].T
    kinds = (contexts.vectors, contexts.before, contexts.after)
    features += [cosine, *(kind[rows] @ kind[columns].T for kind in kinds[1:])]
    centred = [kind[rows] @ kind[columns].T for kind in contexts.centred]
    features += centred
    apart = np.abs(np.subtract.outer(contexts.positions[rows], contexts.positions[columns]))
    features += [apart, apart**2]
    features += _together(contexts, rows, columns)
    same = [_equal(words[rows], words[columns]) for words in contexts.words]
    shared = _shared_nouns(contexts.nouns, rows, columns)
    has_object = (contexts.words[2] >= 0).astype(float)
    one, other = has_object[rows], has_object[columns]
    features += [*same, shared, np.outer(one, other), np.outer(1 - one, 1 - other)]
    own, around = contexts.closeness
    features += [
        cosine - (own[rows][:, None] + own[columns]) / 2,
        centred[1] + centred[2] - (around[rows][:, None] + around[columns]),
        same[0] * cosine,
        shared * cosine,
    ]
    # The surroundings of one action resemble the other action: then they rather follow each other.
    for near, near_centred in zip(kinds[1:], contexts.centred[1:], strict=True):
        features.append(np.maximum(near[rows] @ contexts.vectors[columns].T, contexts.vectors[rows] @ near[columns].T))
        vectors = contexts.centred[0]
        features.append((near_centred[rows] @ vectors[columns].T + vectors[rows] @ near_centred[columns].T) / 2)
    return np.stack(features, axis=-1).astype(np.float32)


def words_of(action: ActionParts) -> str:
    """The words of an action: its verb, particle, object and place."""
    return " ".join(part for part in action if part)


def _around(
    texts: Sequence[Sequence[ActionParts]], places: Sequence[tuple[int, int]], step: int
) -> Sequence[ActionParts]:
    """The actions of the mentions `step` places behind those of an action: at most `_MOST_AROUND`."""
    actions = {texts[number][place + step] for number, place in places if 0 <= place + step < len(texts[number])}
    return sorted(actions)[:_MOST_AROUND]


def _together(contexts: StepContexts, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> list[Floats]:
    """How often two actions occur in one text, compared with chance, and the number of texts with them."""
    one, other = (contexts.presence[numbers].astype(np.float32) for numbers in (rows, columns))
    both = (one @ other.T).astype(float)
    texts = contexts.presence.sum(axis=1).astype(float)
    fewest, most = (join.outer(texts[rows], texts[columns]) for join in (np.minimum, np.maximum))
    expected = np.outer(texts[rows], texts[columns]) / contexts.presence.shape[1]
    # 0.3 is added to both, since many pairs share no text, and few texts must not weigh too much.
    against_chance = np.log((both + 0.3) / (expected + 0.3))
    return [against_chance, (both > 0).astype(float), both / fewest, np.log(fewest), np.log(most)]


def _shared_nouns(nouns: NDArray[np.int64], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Floats:
    """Jaccard index of the heads of two actions."""
    one, other = nouns[rows], nouns[columns]
    both = sum(_equal(one[:, first], other[:, second]) for first in (0, 1) for second in (0, 1))
    counts = (nouns >= 0).sum(axis=1).astype(float)
    shared: Floats = both / np.maximum(1, np.add.outer(counts[rows], counts[columns]) - both)
    return shared


def _equal(one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    equal: Floats = ((one[:, None] == other) & (one[:, None] >= 0)).astype(float)
    return equal


def _closeness(units: Floats) -> Floats:
    """The mean cosine of each to the nearest others, computed in blocks."""
    nearest = min(_NEAREST, len(units) - 1)
    means = np.zeros(len(units))
    for start in range(0, len(units), 512) if nearest > 0 else ():
        block = units[start : start + 512] @ units.T
        # None is its own neighbour.
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        means[start : start + 512] = np.partition(block, len(units) - nearest, axis=1)[:, -nearest:].mean(axis=1)
    return means


def _nouns(actions: Sequence[ActionParts]) -> NDArray[np.int64]:
    objects, places = ([head(action) for action in actions] for head in (_object_head, _place_head))
    numbers = _numbers([*objects, *places]).reshape(2, len(actions)).T.copy()
    numbers[numbers[:, 0] == numbers[:, 1], 1] = -1
    return numbers


def _numbers(words: Sequence[str]) -> NDArray[np.int64]:
    known = {word: number for number, word in enumerate(sorted(set(words) - {""}))}
    return np.array([known.get(word, -1) for word in words], dtype=np.int64)


def _verb(action: ActionParts) -> str:
    return action[0]


def _object(action: ActionParts) -> str:
    return "" if action[2] in _UNRESOLVED else action[2]


def _object_head(action: ActionParts) -> str:
    return _object(action).rsplit(" ", 1)[-1]


def _place_head(action: ActionParts) -> str:
    return action[4].rsplit(" ", 1)[-1]


def unit(vectors: Floats) -> Floats:
    """The vectors with length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Floats = vectors / np.where(lengths == 0, 1, lengths)
    return units
