"""Which action of a merged step names it: one that many sources have, similar to the others and specific enough.

"Call" is a worse name than "dial number", since "call" usually has an object, and "put tape on end" is a worse one than
"put down tape" if the other actions of the step resemble the latter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgscripts.models.stored_vectors import SCALE
from kgscripts.text.lexicon import verbs, word_classes
from kgscripts.text.verb_objects import verb_objects
from kgscripts.typicality.features import Integers, Numbers, Vectors


def vague_words(label: str) -> frozenset[str]:
    """Lemmas of a class: objects that name no definite thing, verbs that need a place or a particle."""
    return word_classes("kgscripts.typicality", "vague_words.txt")[label]


def listed(label: str) -> str:
    """The words of a class as a list of SQL."""
    return ", ".join(f"'{word}'" for word in sorted(vague_words(label)))


_CANDIDATES = 200
"""At most this number of actions of a step, those with the most support, can name it."""

_OF_BARE = 5
_LEAST = 0.1
_PER_MILLE = 1_000


def content(predicate: str, particle: str, object_: str, preposition: str) -> float:
    """How specific an action is, 0.1 to 1: 1 with an object; without one, the less specific, the more often its verb
    has one.

    "It" and "thing" are no objects here. A verb by itself has half of that, and so has a verb of saying and thinking,
    or "put" with an object alone.
    """
    alone = not particle and not preposition
    if object_ and object_ not in vague_words("object"):
        return 0.5 if alone and predicate in vague_words("verb") else 1.0
    says = 1 - verb_objects().transitivity(predicate, particle)
    if alone or predicate in verbs("reporting"):
        says /= 2
    return max(_LEAST, says)


def naming_actions(step: Integers, vectors: Vectors, support: Integers, weight: Numbers) -> Integers:
    """For each step, in ascending order of its number, the row of the action that names it.

    It has the highest product of its weight, the square root of its support, and the sum over the other actions of
    their support times the fourth power of the cosine. The first of equal ones names the step; one without weight only
    if all are.

    Parameters
    ----------
    step, vectors, support, weight:
        Of each action its step, (actions,), its vector, (actions, size), the number of its sources, and its weight as a
        name, (actions,).
    """
    # The candidates of a step come first: those with weight, and of them those of most sources.
    order = np.lexsort((-support, weight <= 0, step))
    starts = np.flatnonzero(np.diff(step[order], prepend=-1))
    names = []
    for rows in np.split(order, starts[1:]):
        chosen = rows[:_CANDIDATES]
        # Dot products of integers, in a type in which they are exact and that BLAS computes.
        products = (vectors[chosen].astype(np.float32) @ vectors[rows].T.astype(np.float32)).astype(np.int64)
        cosine = np.clip(products, 0, SCALE**2) * _PER_MILLE // SCALE**2
        stands_for = (cosine**4 * support[rows]).sum(axis=1) / float(_PER_MILLE) ** 4
        names.append(chosen[np.argmax(weight[chosen] * np.sqrt(support[chosen]) * stands_for)])
    return np.array(names, dtype=np.int64)


def with_things(
    names: Integers, step: Integers, support: Integers, words: Sequence[tuple[str, str, str, str]]
) -> Integers:
    """The names, where one without a thing gives way to the most frequent one of its step that has the same verb and
    names a thing: "wait for food" instead of "wait".

    That needs a fifth of the sources of the name.

    Parameters
    ----------
    names:
        The row of the action that names each step, in ascending order of its number, (steps,).
    step, support:
        Of each action its step and the number of its sources, (actions,).
    words:
        Of each action its predicate, particle, object and preposition.
    """
    nothing = {"", *vague_words("object")}
    fuller: dict[tuple[int, str, str], int] = {}
    for row in np.lexsort((np.arange(len(step)), -support)).tolist():
        predicate, particle, object_, preposition = words[row]
        if object_ not in nothing:
            fuller.setdefault((int(step[row]), predicate, particle), row)
        elif preposition and not object_:
            # "Get in the car" has the word as a preposition, "get in" as a particle.
            for word in {particle, particle or preposition}:
                fuller.setdefault((int(step[row]), predicate, word), row)
    result = names.copy()
    for place, row in enumerate(names.tolist()):
        predicate, particle, object_, preposition = words[row]
        other = fuller.get((int(step[row]), predicate, particle))
        if object_ in nothing and not preposition and other is not None:
            result[place] = other if _OF_BARE * support[other] >= support[row] else row
    return result
