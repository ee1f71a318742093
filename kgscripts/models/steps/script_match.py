"""Which actions of texts are a step of a written script of their scenario.

An action is compared with all wordings of each step. How near the nearest ones are, how much nearer than those of any
other step, and how far the place in the texts is from the place in the script give the probability that it is that
step. Texts tell the steps in the order of the script more often than not, so that the place counts, but does not
decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from kgscripts.models.sentence_vectors import Vectors
from kgscripts.models.steps.clusters import Floats, Integers, together
from kgscripts.models.steps.contexts import ActionParts, StepContexts, unit, words_of
from kgscripts.models.steps.opposites import opposed

WEIGHTS = (-5.28, 9.52, 8.66, -4.63, -2.5)
"""Of the nearest wording, of the three nearest, of the distance to the next step, of the distance in place, and a
constant; learnt from labels of InScript and DeScript (``kgscripts evaluate matches`` prints them)."""
FLOOR = 0.6
"""Below it, an action stays what the texts make of it. Chosen on the same labels for a precision of 0.88 and more."""
_SAME = 0.97
"""An action in the words of a wording, but for articles and endings, is that step wherever the texts tell it."""
_NEAREST = 3


@frozen
class ScriptStep:
    """A step of a written script: its action and its wordings, the name first."""

    action: ActionParts
    wordings: tuple[str, ...]


@frozen(eq=False)
class ScriptMatches:
    """The step of each action (actions,), -1 for none, and the probability of the most probable step (actions,)."""

    step: Integers
    probability: Floats


def match_features(contexts: StepContexts, steps: Sequence[ScriptStep], vectors: Vectors) -> Floats:
    """The features of each action and each step, (actions, steps, 4), in the order of `WEIGHTS`."""
    wordings = [list(dict.fromkeys((words_of(step.action), *step.wordings))) for step in steps]
    every = [words for of_step in wordings for words in of_step]
    cosines = contexts.vectors @ unit(vectors(every).astype(float)).T
    ends = np.cumsum([len(of_step) for of_step in wordings])
    best, mean = np.zeros((2, len(contexts.actions), len(steps)))
    for number, of_step in enumerate(wordings):
        block = np.sort(cosines[:, ends[number] - len(of_step) : ends[number]], axis=1)[:, ::-1]
        best[:, number] = block[:, 0]
        mean[:, number] = block[:, :_NEAREST].mean(axis=1)
    ordered = np.sort(best, axis=1)
    highest, second = ordered[:, -1:], ordered[:, -2:-1] if len(steps) > 1 else np.zeros_like(ordered[:, -1:])
    # How much the best step is ahead of the second one, and how much the others are behind it.
    ahead = best - np.where(best == highest, second, highest)
    places = np.arange(len(steps)) / max(1, len(steps) - 1)
    apart = np.abs(contexts.positions[:, None] - places)
    return np.stack([best, mean, ahead, apart], axis=-1)


def match_script(
    contexts: StepContexts,
    steps: Sequence[ScriptStep],
    vectors: Vectors,
    floor: float = FLOOR,
    weights: Sequence[float] = WEIGHTS,
) -> ScriptMatches:
    """The steps of a script that actions of texts are.

    Of two actions that stand in the same texts, one at most is a step: the more probable one.
    """
    features = match_features(contexts, steps, vectors)
    probabilities = 1 / (1 + np.exp(-(features @ np.array(weights[:-1]) + weights[-1])))
    probabilities = np.where(features[..., 0] >= _SAME, 1.0, probabilities).round(4)
    probabilities[opposed(contexts.actions, [step.action for step in steps])] = 0.0
    chosen = probabilities.argmax(axis=1)
    probable = probabilities[np.arange(len(chosen)), chosen]
    step = np.full(len(chosen), -1, dtype=np.int64)
    presence = contexts.presence
    taken = np.zeros((len(steps), presence.shape[1]), dtype=bool)
    for action in np.argsort(-probable, kind="stable"):
        if probable[action] < floor:
            break
        best = chosen[action]
        fewest = np.minimum(taken[best].sum(), presence[action].sum())
        if together((taken[best] & presence[action]).sum(), fewest):
            continue
        step[action] = best
        taken[best] |= presence[action]
    return ScriptMatches(step, probable)
