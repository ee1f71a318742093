"""Splitting labelled stories into those to train on and those held out, with scenarios withheld from the labels."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import field, frozen

from kgscripts.reproductions.scenarios.documents import LabelledStory
from schemas.errors import ConfigurationError


@frozen(kw_only=True)
class StoryParts:
    """Stories for two sets of merged documents that share no story, and no scenario of their fillers."""

    train: tuple[LabelledStory, ...] = field(converter=tuple[LabelledStory, ...])
    held_out: tuple[LabelledStory, ...] = field(converter=tuple[LabelledStory, ...])
    train_filler: tuple[tuple[str, ...], ...] = field(converter=tuple[tuple[str, ...], ...])
    held_out_filler: tuple[tuple[str, ...], ...] = field(converter=tuple[tuple[str, ...], ...])


def story_parts(
    stories: Iterable[LabelledStory],
    *,
    seed: int,
    held_out: float = 0.4,
    withheld: float = 0.15,
    filler: Sequence[Sequence[str]] = (),
    linked: Mapping[str, Collection[str]] | None = None,
) -> StoryParts:
    """Split labelled stories into those for training and those held out, with filler for both.

    `withheld` is the share of scenarios that are taken from the label set: their stories are filler, half of the
    scenarios for training and half held out. They are chosen among the scenarios that have no `linked` scenario (such
    as a broader one) among the others, so that filler is about no label. Half of the texts of `filler` goes to either
    part. Of each other scenario, the share `held_out`
    of its stories is held out, and at least one is kept for training.

    Raises
    ------
    ConfigurationError
        For shares out of range, and for more withheld scenarios than have no linked ones.
    """
    if not (0 <= held_out < 1 and 0 <= withheld < 1):
        raise ConfigurationError(f"shares of {held_out} and {withheld}", remedy="they are at least 0 and less than 1")
    choice = random.Random(seed)
    by_scenario: dict[str, list[LabelledStory]] = defaultdict(list)
    for story in stories:
        if story.scenario:
            by_scenario[story.scenario].append(story)
    free = [
        scenario for scenario in sorted(by_scenario) if not set((linked or {}).get(scenario, ())) & set(by_scenario)
    ]
    count = round(withheld * len(by_scenario))
    if count > len(free):
        remedy = f"withhold at most {len(free) / max(1, len(by_scenario)):.2f}"
        raise ConfigurationError(f"{count} scenarios to withhold, and {len(free)} without linked ones", remedy=remedy)
    taken = choice.sample(free, count)
    texts = [tuple(text) for text in filler]
    choice.shuffle(texts)
    fillers = [
        [*(story.sentences for name in taken[half::2] for story in by_scenario[name]), *texts[half::2]]
        for half in (0, 1)
    ]
    train: list[LabelledStory] = []
    held: list[LabelledStory] = []
    owed = 0.0
    for scenario in sorted(by_scenario.keys() - set(taken)):
        own = list(by_scenario[scenario])
        choice.shuffle(own)
        # Over all scenarios the share is right, although most have few stories.
        owed += held_out * len(own)
        number = min(len(own) - 1, int(owed))
        owed -= number
        held += own[:number]
        train += own[number:]
    return StoryParts(train=train, held_out=held, train_filler=fillers[0], held_out_filler=fillers[1])
