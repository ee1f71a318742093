"""Which scenario a whole story is about, by cross-validation over labelled stories."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.reproductions.scenarios.documents import LabelledStory
from schemas.errors import ConfigurationError, InputError

Classifier = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[str]]]
"""Ranks the scenarios of each story, from its sentences, the most probable first."""
Training = Callable[[Sequence[LabelledStory]], Classifier]
"""Learns from stories; the classifier chooses among all scenarios, also those of which there was no story."""


@frozen
class StoryMistake:
    """A story whose scenario is another one than predicted."""

    id: str
    gold: str
    predicted: str


@frozen(kw_only=True)
class StoryAccuracy:
    """The share of stories whose scenario was predicted, variants of a label merged."""

    stories: int
    scenarios: int
    mistakes: tuple[StoryMistake, ...]
    right_among_theirs: int
    """Stories whose scenario ranks first among the scenarios that stories have."""

    @property
    def accuracy(self) -> float:
        """From 0 to 1; candidates are all scenarios."""
        return 1 - len(self.mistakes) / self.stories

    @property
    def accuracy_among_theirs(self) -> float:
        """As `accuracy`, with the scenarios of the stories as candidates."""
        return self.right_among_theirs / self.stories


def story_accuracy(
    stories: Sequence[LabelledStory],
    train: Training,
    *,
    whole_scenarios: bool,
    folds: int = 5,
    seed: int = 0,
    on_story: Callable[[int], object] = lambda _: None,
) -> StoryAccuracy:
    """The accuracy on stories of scenarios of which other stories were trained on, or with `whole_scenarios` no story.

    The stories of each scenario are dealt out to the folds, and those that are the only one of their scenario are
    trained on and not predicted; of whole scenarios, all stories are withheld together.

    Parameters
    ----------
    stories:
        Labelled stories, in any order: the result depends on their ids.
    folds:
        Each part of the stories is predicted by a classifier trained on the others.
    on_story:
        Is told how many more stories were predicted.

    Raises
    ------
    InputError
        If no scenario has two stories, or of whole scenarios, if there are no stories.
    ConfigurationError
        If there are fewer than two folds.
    """
    if folds < 2:
        raise ConfigurationError(f"{folds} folds", remedy="take at least two")
    groups = [group for group in _by_scenario(stories) if whole_scenarios or len(group) > 1]
    if not groups:
        message = "no labelled stories" if whole_scenarios else "no scenario has two stories"
        raise InputError(message, remedy="add labelled stories")
    draw = random.Random(seed)
    if whole_scenarios:
        draw.shuffle(groups)
        parts = [[story for group in groups[first::folds] for story in group] for first in range(folds)]
    else:
        dealt = [story for group in groups for story in draw.sample(group, len(group))]
        parts = [dealt[first::folds] for first in range(folds)]
    theirs = {resolve(story.scenario) for part in parts for story in part}
    mistakes: list[StoryMistake] = []
    right_among_theirs = 0
    for story, ranking in _rankings(stories, parts, train, on_story):
        gold = resolve(story.scenario)
        predicted = [resolve(label) for label in ranking]
        if predicted[0] != gold:
            mistakes.append(StoryMistake(story.id, story.scenario, ranking[0]))
        right_among_theirs += next((label for label in predicted if label in theirs), "") == gold
    return StoryAccuracy(
        stories=sum(map(len, parts)),
        scenarios=len(theirs),
        mistakes=tuple(mistakes),
        right_among_theirs=right_among_theirs,
    )


def _by_scenario(stories: Iterable[LabelledStory]) -> list[list[LabelledStory]]:
    groups: dict[str, list[LabelledStory]] = {}
    for story in sorted(stories, key=lambda story: story.id):
        groups.setdefault(resolve(story.scenario), []).append(story)
    return [group for _, group in sorted(groups.items())]


def _rankings(
    stories: Sequence[LabelledStory],
    parts: Sequence[Sequence[LabelledStory]],
    train: Training,
    on_story: Callable[[int], object],
) -> Iterator[tuple[LabelledStory, Sequence[str]]]:
    """Each story with the ranking by a classifier that was trained without the stories of its part."""
    for part in filter(None, parts):
        withheld = {story.id for story in part}
        classify = train([story for story in stories if story.id not in withheld])
        yield from zip(part, classify([story.sentences for story in part]), strict=True)
        on_story(len(part))
