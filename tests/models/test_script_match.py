"""Actions of texts matched to the steps of a written script."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from kgscripts.models.registry import load
from kgscripts.models.steps.contexts import ActionParts, StepContexts
from kgscripts.models.steps.merger import StepMerger
from kgscripts.models.steps.script_match import ScriptStep, match_features, match_script

OPEN: ActionParts = ("open", "", "box", "", "")
TAKE: ActionParts = ("take", "", "lamp", "out of", "box")
PLUG: ActionParts = ("plug", "in", "lamp", "", "")
SCRIPT = [
    ScriptStep(OPEN, ("open the box", "lift the lid of the box")),
    ScriptStep(TAKE, ("take the lamp out of the box", "get the lamp from the box")),
    ScriptStep(PLUG, ("plug in the lamp", "put the plug of the lamp in the socket")),
]
LIFT: ActionParts = ("lift", "", "lid", "", "")
GET: ActionParts = ("get", "", "lamp", "from", "box")
SING: ActionParts = ("sing", "", "song", "", "")


@pytest.fixture(scope="module")
def merger() -> StepMerger:
    found: StepMerger = load("steps", "steps")
    return found


def directions(texts: Sequence[str]) -> NDArray[np.int8]:
    """Vectors by the words: the same words have the same direction."""
    rows = np.zeros((len(texts), 384), np.int8)
    for number, text in enumerate(texts):
        for word in text.split():
            rows[number, hash_of(word)] = 100
    return rows


def hash_of(word: str) -> int:
    return sum(ord(letter) * (place + 7) for place, letter in enumerate(word)) % 384


def test_features_are_those_of_the_nearest_wordings() -> None:
    """The oracle computes each cosine by itself."""
    contexts = StepContexts.of([[LIFT, GET]], directions)
    found = match_features(contexts, SCRIPT, directions)
    assert found.shape == (2, 3, 4)
    texts = {LIFT: "lift lid", GET: "get lamp from box"}
    for row, action in enumerate(contexts.actions):
        for step, own in enumerate(SCRIPT):
            names = [" ".join(filter(None, own.action)), *own.wordings]
            cosines = sorted((cosine(texts[action], name) for name in dict.fromkeys(names)), reverse=True)
            assert found[row, step, 0] == pytest.approx(cosines[0])
            assert found[row, step, 1] == pytest.approx(np.mean(cosines[:3]))
        best = found[row, :, 0]
        others = [max(np.delete(best, step)) for step in range(3)]
        assert found[row, :, 2] == pytest.approx(best - others)


def cosine(one: str, other: str) -> float:
    first, second = directions([one, other]).astype(float)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_what_no_step_resembles_stays_by_itself(merger: StepMerger) -> None:
    contexts = StepContexts.of([[LIFT, GET, SING]], merger.vectors)
    found = match_script(contexts, SCRIPT, merger.vectors)
    steps = dict(zip(contexts.actions, found.step.tolist(), strict=True))
    assert steps == {LIFT: 0, GET: 1, SING: -1}
    assert found.probability[contexts.actions.index(SING)] < 0.3


def test_two_actions_of_one_text_are_not_one_step_of_a_script(merger: StepMerger) -> None:
    raise_lid: ActionParts = ("raise", "", "lid", "of", "box")
    contexts = StepContexts.of([[LIFT, raise_lid]], merger.vectors)
    found = match_script(contexts, SCRIPT, merger.vectors, floor=0.0)
    assert sorted(found.step.tolist())[0] == -1 or len(set(found.step.tolist())) == 2


def test_groups_have_the_action_of_the_script_and_other_texts_are_merged_as_before(merger: StepMerger) -> None:
    wipe: ActionParts = ("wipe", "", "table", "", "")
    clean: ActionParts = ("wipe", "off", "table", "", "")
    groups = [set(group.actions) for group in merger.merge([[LIFT, GET, wipe], [clean]], SCRIPT)]
    assert {LIFT, OPEN} in groups
    assert {GET, TAKE} in groups
    assert not any(PLUG in group for group in groups), "a step that no text tells is in no group"
    assert merger.merge([[wipe], [clean]]) == [
        group
        for group in merger.merge([[wipe], [clean]], SCRIPT)
        if not {step.action for step in SCRIPT} & set(group.actions)
    ]
