"""Which scenario a whole story is about, by cross-validation over labelled stories."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.scenario_documents import LabelledStory
from kgscripts.corpora.scenarios import resolve
from schemas.errors import ConfigurationError, InputError

Classifier = Callable[[Sequence[Sequence[str]]], Sequence[str]]
"""Gives the scenario of each story, from its sentences."""
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

    @property
    def accuracy(self) -> float:
        """From 0 to 1."""
        return 1 - len(self.mistakes) / self.stories


def seen_accuracy(
    stories: Sequence[LabelledStory],
    train: Training,
    *,
    folds: int = 5,
    seed: int = 0,
    same: Callable[[str], str] = resolve,
    on_story: Callable[[int], object] | None = None,
) -> StoryAccuracy:
    """The accuracy on stories of scenarios of which other stories were trained on.

    The stories of each scenario are dealt out to the folds. Stories that are the only one of their scenario are trained
    on and not predicted.

    Parameters
    ----------
    stories:
        Labelled stories, in any order: the result depends on their ids.
    folds:
        Each part of the stories is predicted by a classifier trained on the others.
    same:
        Gives the variants of a label ("go to the dentist", "going to the dentist") one name.
    on_story:
        Is told how many more stories were predicted.

    Raises
    ------
    InputError
        If no scenario has two stories.
    ConfigurationError
        If there are fewer than two folds.
    """
    if folds < 2:
        raise ConfigurationError(f"{folds} folds", remedy="take at least two")
    groups = [group for group in _by_scenario(stories, same) if len(group) > 1]
    if not groups:
        raise InputError("no scenario has two stories", remedy="add labelled stories")
    draw = random.Random(seed)
    parts: list[list[LabelledStory]] = [[] for _ in range(folds)]
    place = 0
    for group in groups:
        for story in draw.sample(group, len(group)):
            parts[place % folds].append(story)
            place += 1
    return _accuracy(stories, parts, train, same, on_story)


def named_accuracy(
    stories: Sequence[LabelledStory],
    train: Training,
    *,
    same: Callable[[str], str] = resolve,
    on_story: Callable[[int], object] | None = None,
) -> StoryAccuracy:
    """The accuracy on stories of scenarios that are known by their names only.

    The stories of each scenario are withheld in turn and predicted by a classifier trained on all others. Parameters
    are those of `seen_accuracy`. Raises InputError if there are no stories.
    """
    if not stories:
        raise InputError("no labelled stories", remedy="add labelled stories")
    return _accuracy(stories, _by_scenario(stories, same), train, same, on_story)


def _by_scenario(stories: Iterable[LabelledStory], same: Callable[[str], str]) -> list[list[LabelledStory]]:
    groups: dict[str, list[LabelledStory]] = {}
    for story in sorted(stories, key=lambda story: story.id):
        groups.setdefault(same(story.scenario), []).append(story)
    return [group for _, group in sorted(groups.items())]


def _accuracy(
    stories: Sequence[LabelledStory],
    parts: Sequence[Sequence[LabelledStory]],
    train: Training,
    same: Callable[[str], str],
    on_story: Callable[[int], object] | None,
) -> StoryAccuracy:
    tested = [story for part in parts for story in part]
    return StoryAccuracy(
        stories=len(tested),
        scenarios=len({same(story.scenario) for story in tested}),
        mistakes=tuple(_mistakes(stories, parts, train, same, on_story)),
    )


def _mistakes(
    stories: Sequence[LabelledStory],
    parts: Sequence[Sequence[LabelledStory]],
    train: Training,
    same: Callable[[str], str],
    on_story: Callable[[int], object] | None,
) -> Iterator[StoryMistake]:
    for part in filter(None, parts):
        withheld = {story.id for story in part}
        classify = train([story for story in stories if story.id not in withheld])
        for story, predicted in zip(part, classify([story.sentences for story in part]), strict=True):
            if same(predicted) != same(story.scenario):
                yield StoryMistake(story.id, story.scenario, predicted)
        if on_story is not None:
            on_story(len(part))
