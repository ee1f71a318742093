"""The labelled mentions of InScript (Modi et al., LREC 2016), with the features of typicality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from spacy.language import Language

from kgscripts.corpora.inscript import GoldStory, read_stories
from kgscripts.extractors.events.events import judged_frames, mentions_of
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.text.pipeline import load_pipeline
from kgscripts.typicality.features import Numbers, ScenarioActions, Vectors, features
from schemas.records import Action

SCRIPT = ("ScrEv", "RelNScrEv", "Evoking")
GROUPS = {"all stories": 0, "nine stories": 9, "one story": 1}
"""The numbers of stories of a scenario that are known at once; 0 for all."""


@frozen(eq=False)
class Mentions:
    """Labelled mentions, one row each, with the features of their actions among the stories of their group."""

    features: Numbers
    vectors: Vectors
    scenario: NDArray[np.str_]
    is_train: NDArray[np.bool_]
    label: NDArray[np.str_]
    """Class of the label; "" where the corpus has none."""
    verb: NDArray[np.int64]
    """A number for each verb: a verb with two objects has two mentions."""

    def of(self, rows: NDArray[np.bool_]) -> Mentions:
        """Some of them."""
        return Mentions(
            self.features[rows],
            self.vectors[rows],
            self.scenario[rows],
            self.is_train[rows],
            self.label[rows],
            self.verb[rows],
        )


@frozen
class _Mention:
    action: Action
    verb: int
    label: str


@frozen
class _Story:
    scenario: str
    is_train: bool
    mentions: tuple[_Mention, ...]


def labelled_mentions(inscript: Path) -> dict[str, Mentions]:
    """The mentions of the `train` and `val` stories of InScript, with features for each of `GROUPS`."""
    nlp = load_pipeline(None)
    stories = [
        story
        for split in ("train", "val")
        for story in _read(nlp, read_stories(inscript / split), is_train=split == "train")
    ]
    labels = sorted(
        {mention.action.label for story in stories for mention in story.mentions} | {item.scenario for item in stories}
    )
    known = _Vectors(labels, quantised_vectors(labels))
    return {name: _joined(stories, size, known) for name, size in GROUPS.items()}


def _read(nlp: Language, stories: Sequence[GoldStory], *, is_train: bool) -> Iterator[_Story]:
    for story, doc in zip(stories, nlp.pipe(item.document.text for item in stories), strict=True):
        labels = {word.start: word.event.partition("_")[0] for word in story.words if word.is_event_head}
        mentions = (
            _Mention(mention.action, frame.verb.idx, labels.get(frame.verb.idx, ""))
            for frame, reason in judged_frames(doc)
            if reason is None
            for mention in mentions_of(frame, 0)
        )
        yield _Story(story.document.scenario, is_train, tuple(mentions))


@frozen(eq=False)
class _Vectors:
    labels: Sequence[str]
    values: Vectors
    row: dict[str, int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "row", {label: row for row, label in enumerate(self.labels)})


def _joined(stories: Sequence[_Story], size: int, known: _Vectors) -> Mentions:
    numbered = list(enumerate(story for story in stories if story.mentions))
    parts = []
    for scenario in sorted({story.scenario for story in stories}):
        of_scenario = [item for item in numbered if item[1].scenario == scenario]
        # Small groups are of one split, so that each judged mention has the same number of other stories.
        sets = (
            [[item for item in of_scenario if item[1].is_train is is_train] for is_train in (True, False)]
            if size
            else [of_scenario]
        )
        for group in sets:
            step = size or len(group)
            parts += [_of_group(group[start : start + step], known) for start in range(0, len(group), step)]
    return Mentions(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.scenario for part in parts]),
        np.concatenate([part.is_train for part in parts]),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.verb for part in parts]),
    )


def _of_group(group: Sequence[tuple[int, _Story]], known: _Vectors) -> Mentions:
    """The mentions of some stories of one scenario."""
    actions = sorted({mention.action.key for _, story in group for mention in story.mentions})
    row = {action: number for number, action in enumerate(actions)}
    counted: dict[tuple[int, int], list[int]] = {}
    rows, labels, verbs, is_train = [], [], [], []
    for number, (story_number, story) in enumerate(group):
        last = max(1, len(story.mentions) - 1)
        for place, mention in enumerate(story.mentions):
            count = counted.setdefault((number, row[mention.action.key]), [0, 0])
            count[0] += 1
            count[1] += round(place * 10**9 / last)
            rows.append(row[mention.action.key])
            labels.append(mention.label)
            verbs.append(story_number * 10**6 + mention.verb)
            is_train.append(story.is_train)
    pairs = np.array([(source, action, *count) for (source, action), count in sorted(counted.items())], dtype=np.int64)
    vectors = known.values[[known.row[" ".join(filter(None, action))] for action in actions]]
    scenario = group[0][1].scenario
    found = features(
        ScenarioActions(
            vectors=vectors,
            parts=np.array([(bool(action[2]), bool(action[3]), bool(action[1])) for action in actions]),
            source=pairs[:, 0],
            action=pairs[:, 1],
            mentions=pairs[:, 2],
            position=pairs[:, 3],
            scenario=known.values[known.row[scenario]],
        )
    )
    return Mentions(
        found[rows],
        vectors[rows],
        np.full(len(rows), scenario),
        np.array(is_train),
        np.array(labels),
        np.array(verbs),
    )
