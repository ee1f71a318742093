"""Which scenario a whole story is about, by cross-validation over labelled stories."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.evaluation.result import Evaluation, Example, System, shares
from kgscripts.reproductions.scenarios.documents import LabelledStory
from schemas.errors import ConfigurationError, InputError

_NAME = "detector"

Classifier = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[str]]]
"""Ranks the scenarios of each story, from its sentences, the most probable first."""
Training = Callable[[Sequence[LabelledStory]], Classifier]
"""Learns from stories; the classifier chooses among all scenarios, also those of which there was no story."""


def story_accuracy(
    stories: Sequence[LabelledStory],
    train: Training,
    *,
    whole_scenarios: bool,
    folds: int = 5,
    seed: int = 0,
    on_story: Callable[[int], object] = lambda _: None,
) -> Evaluation:
    """The accuracy on stories of scenarios of which other stories were trained on, or with `whole_scenarios` no story.

    Variants of a label are merged; the accuracy among theirs has only the scenarios of the stories as candidates.
    Examples are the stories whose scenario is another one than predicted.

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
    mistakes: list[Example] = []
    right_among_theirs = 0
    for story, ranking in _rankings(stories, parts, train, on_story):
        gold = resolve(story.scenario)
        predicted = [resolve(label) for label in ranking]
        if predicted[0] != gold:
            mistakes.append(
                Example(
                    system=_NAME, where=story.id, text=story.sentences[0], gold=[story.scenario], found=[ranking[0]]
                )
            )
        right_among_theirs += next((label for label in predicted if label in theirs), "") == gold
    number = sum(map(len, parts))
    figures = shares({"accuracy": 1 - len(mistakes) / number, "accuracy among theirs": right_among_theirs / number})
    return Evaluation(
        task="scenarios of whole stories",
        dataset="labelled stories",
        split=f"{folds} folds",
        items={"stories": number, "scenarios": len(theirs)},
        systems=[System(name=_NAME, figures=figures)],
        examples=mistakes,
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
