"""Whether typical steps are those of the script, on the labels of InScript (Modi et al., LREC 2016).

A mention is a verb that the extractor keeps and that carries a label. `ScrEv`, `RelNScrEv` and `Evoking` are events of
the script, its surroundings or the whole scenario; `UnrelEv` and `Unclear` are bystanders. Each scenario is judged with
weights learnt from the other scenarios' `train` stories. A scenario is known by the mentions of its stories, without
their labels: of all stories, of nine at a time, or of one story by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import astuple, frozen
from numpy.typing import NDArray
from spacy.language import Language

from kgscripts.corpora.inscript import GoldStory, read_stories
from kgscripts.evaluation.result import Evaluation, Figure, compared, shares
from kgscripts.extractors.events.events import events_of_docs
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.text.pipeline import load_pipeline
from kgscripts.typicality.features import FEATURES, Numbers, ScenarioActions, Vectors, features
from kgscripts.typicality.weights import Weights, learn
from schemas.provenance import Exposure
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
        return Mentions(*(values[rows] for values in astuple(self, recurse=False)))

    @classmethod
    def joined(cls, parts: Iterable[Mentions]) -> Mentions:
        """Those of several, in order."""
        columns = zip(*(astuple(part, recurse=False) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


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
    known = dict(zip(labels, quantised_vectors(labels), strict=True))
    return {name: _joined(stories, size, known) for name, size in GROUPS.items()}


def _read(nlp: Language, stories: Sequence[GoldStory], *, is_train: bool) -> Iterator[_Story]:
    docs = nlp.pipe(item.document.text for item in stories)
    for story, events in zip(stories, events_of_docs(docs), strict=True):
        labels = {word.start: word.event.partition("_")[0] for word in story.words if word.is_event_head}
        mentions = (
            _Mention(mention.action, event.frame.verb.idx, labels.get(event.frame.verb.idx, ""))
            for event in events
            for mention in event.mentions
        )
        yield _Story(story.document.scenario, is_train, tuple(mentions))


def _joined(stories: Sequence[_Story], size: int, known: Mapping[str, Vectors]) -> Mentions:
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
    return Mentions.joined(parts)


def _of_group(group: Sequence[tuple[int, _Story]], known: Mapping[str, Vectors]) -> Mentions:
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
            # In whole billionths, whose sum does not depend on the order.
            count[1] += round(place * 10**9 / last)
            rows.append(row[mention.action.key])
            labels.append(mention.label)
            # One number for each verb of all stories, none of which has a million characters.
            verbs.append(story_number * 10**6 + mention.verb)
            is_train.append(story.is_train)
    pairs = np.array([(source, action, *count) for (source, action), count in sorted(counted.items())], dtype=np.int64)
    vectors = np.stack([known[" ".join(filter(None, action))] for action in actions])
    scenario = group[0][1].scenario
    table = features(
        ScenarioActions(
            vectors=vectors,
            parts=np.array([(bool(action[2]), bool(action[3]), bool(action[1])) for action in actions]),
            source=pairs[:, 0],
            action=pairs[:, 1],
            mentions=pairs[:, 2],
            position=pairs[:, 3],
            scenario=known[scenario],
        )
    )
    return Mentions(
        table[rows],
        vectors[rows],
        np.full(len(rows), scenario),
        np.array(is_train),
        np.array(labels),
        np.array(verbs),
    )


KEPT = (1.0, 0.99, 0.95, 0.9, 0.8, 0.5)
"""Shares of the ScrEv mentions at which the curve is given."""
OURS = "typicality"
ENOUGH = 0.95
"""The share of the ScrEv mentions that usual steps are to have."""


@frozen
class Point:
    """The mentions above a threshold: the share of ScrEv that is kept, and shares among all kept mentions.

    `script` and `core` (ScrEv alone) are shares of the labelled ones among them, `of_all` that of script events with
    mentions without a label counted as wrong.
    """

    recall: float
    kept: float
    script: float
    core: float
    of_all: float

    def figures(self, part: str) -> tuple[Figure, ...]:
        """The shares, as figures of a part."""
        return shares(
            {
                "script events among the labelled": self.script,
                "ScrEv kept": self.recall,
                "all kept": self.kept,
                "ScrEv among the labelled": self.core,
                "script events among all": self.of_all,
            },
            part,
        )


def evaluate_typicality(inscript: Path, split: str = "val") -> Evaluation:
    """Measure it on the stories of a split, `train` or `val`; see above.

    The part of a figure is what is known of the scenario, and where the threshold is: the share of the ScrEv mentions
    that are above it, or `usual`. Figures without a part are those of `usual` where all stories are known.

    Raises
    ------
    InputError
        if the folders `train` and `val` of `inscript` have no stories.
    """
    groups = labelled_mentions(inscript)
    scores, usual = left_out(groups)
    figures: dict[str, list[Figure]] = {}
    items: dict[str, int] = {}
    for name, mentions in groups.items():
        rows = mentions.is_train == (split == "train")
        judged = mentions.of(rows)
        nearest, support, scenario = (judged.features[:, FEATURES.index(item)] for item in _BASELINES)
        alone = GROUPS[name] == 1
        orders = {OURS: scores[name][rows], "support": support, "similarity": scenario if alone else nearest}
        for order, values in orders.items():
            for share, item in zip(KEPT, curve(judged, values), strict=True):
                figures.setdefault(order, []).extend(item.figures(f"{name}, {100 * share:.0f} % of ScrEv"))
        at_usual = point(judged, scores[name][rows], usual)
        figures[OURS] += at_usual.figures(f"{name}, usual")
        if not items:
            items = {"mentions": len(judged.label), "labelled": int((judged.label != "").sum())}
            figures[OURS] += at_usual.figures("")
    return Evaluation(
        task="typicality",
        dataset="InScript",
        split=split,
        exposure=Exposure.DEVELOPMENT,
        items=items,
        systems=compared(figures, OURS, source=OURS),
    )


_BASELINES = ("nearest quarter", "same sources", "scenario")


def left_out(groups: Mapping[str, Mentions]) -> tuple[dict[str, Numbers], float]:
    """Typicality of all mentions, by weights learnt from the `train` stories of the other scenarios.

    Also the typicality that 0.95 of the ScrEv mentions of `train` have.
    """
    scores = {name: np.zeros(len(mentions.label)) for name, mentions in groups.items()}
    for scenario in np.unique(next(iter(groups.values())).scenario):
        weights = learn_from([item.of(item.is_train & (item.scenario != scenario)) for item in groups.values()])
        for name, mentions in groups.items():
            rows = mentions.scenario == scenario
            scores[name][rows] = weights.probability(mentions.features[rows], mentions.vectors[rows])
    core = np.concatenate(
        [scores[name][mentions.is_train & (mentions.label == SCRIPT[0])] for name, mentions in groups.items()]
    )
    return scores, round(float(np.quantile(core, 1 - ENOUGH)), 2)


def learn_from(groups: Sequence[Mentions]) -> Weights:
    """Weights from all mentions of `groups`, those without a label as bystanders."""
    every = Mentions.joined(groups)
    return learn(every.features, every.vectors, np.isin(every.label, SCRIPT), len(groups))


def curve(mentions: Mentions, scores: Numbers) -> tuple[Point, ...]:
    """The point at which each share of `KEPT`, or a little more, of the ScrEv mentions is kept."""
    label, best = _best(mentions, scores)
    core = -np.sort(-best[label == SCRIPT[0]])
    return tuple(point(mentions, scores, core[max(0, int(np.ceil(share * len(core))) - 1)]) for share in KEPT)


def point(mentions: Mentions, scores: Numbers, least: float) -> Point:
    """The shares of the mentions with at least this score."""
    label, best = _best(mentions, scores)
    kept = best >= least
    labelled = kept & (label != "")
    script, core = np.isin(label, SCRIPT), label == SCRIPT[0]
    return Point(
        recall=_share(kept & core, core),
        kept=_share(kept, np.ones_like(kept)),
        script=_share(labelled & script, labelled),
        core=_share(labelled & core, labelled),
        of_all=_share(kept & script, kept),
    )


def _best(mentions: Mentions, scores: Numbers) -> tuple[NDArray[np.str_], Numbers]:
    """The label and the highest score of each verb."""
    _, first, verb = np.unique(mentions.verb, return_index=True, return_inverse=True)
    best = np.full(len(first), -np.inf)
    np.maximum.at(best, verb, scores)
    return mentions.label[first], best


def _share(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return round(float(part.sum() / max(1, whole.sum())), 4)
