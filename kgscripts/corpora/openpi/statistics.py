"""The tables of OpenPI's paper (Tandon et al., EMNLP 2020, Table 3 and sections 4.2 to 4.4) for any of its layouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from attrs import frozen

from kgscripts.corpora.openpi.reading import OpenPIStep
from kgscripts.corpora.pairs.pair import tokens
from schemas.errors import InputError

PREDEFINED_ATTRIBUTES = 51
"""The number of attributes from which the annotators could choose. The list is neither in the paper nor in the data."""

_COVERED = 0.8
# fmt: off
_DETERMINERS = frozenset((
    "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "this", "that", "these", "those",
))
_PREPOSITIONS = frozenset((
    "aboard", "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "atop",
    "away", "before", "behind", "below", "beneath", "beside", "besides", "between", "beyond", "by",
    "concerning", "down", "during", "except", "for", "from", "in", "inside", "into", "like", "near", "nearby",
    "of", "off", "on", "onto", "opposite", "out", "outside", "over", "past", "per", "round", "since", "through",
    "throughout", "till", "to", "toward", "towards", "under", "underneath", "until", "up", "upon", "via",
    "with", "within", "without",
))
# fmt: on


@frozen(kw_only=True)
class TopicStatistics:
    """A row of Table 3: how-tos and state changes of a topic."""

    procedures: int
    changes: int
    with_image: int
    without_image: int


@frozen(kw_only=True)
class OpenPIStatistics:
    """Sizes, and what makes the task hard. Shares lie between 0 and 1; a mean or share of nothing is 0.

    `changes_per_step` is a mean over all steps, the other two over the steps with such changes. An entity of a step is
    unmentioned if a word of it, by lemma and without determiners, is neither in the step nor in an earlier one.
    `frequent_attributes` is the share of changes whose attribute is one of the 51 most frequent, at least that of any
    other 51. `attributes_of_most` is the share of attributes that make up 80 % of the changes. A value is a relational
    phrase if one of its words is a preposition, otherwise an adjective phrase; lengths are words without determiners.
    """

    procedures: int
    steps: int
    changes: int
    with_image: int
    without_image: int
    changes_per_step: float
    changes_per_step_with_image: float
    changes_per_step_without_image: float
    steps_without_changes: float
    unparsed_sentences: int
    unmentioned_entities: float
    frequent_attributes: float
    other_attributes: int
    attributes_of_most: float
    relational_phrases: float
    adjective_length: float
    relational_length: float


PUBLISHED: Mapping[str, float] = {
    "procedures": 810,
    "steps": 4050,
    "changes": 29928,
    "with_image": 15445,
    "without_image": 14483,
    "changes_per_step": 7,
    "changes_per_step_with_image": 4.3,
    "changes_per_step_without_image": 3.8,
    "steps_without_changes": 0.03,
    "unmentioned_entities": 0.4,
    "frequent_attributes": 0.789,
    "other_attributes": 577,
    "attributes_of_most": 0.2,
    "relational_phrases": 1 / 3,
    "adjective_length": 1.07,
    "relational_length": 2.36,
}
"""The paper's figures, of train, dev and test together. Changes per step, steps without changes and unmentioned
entities are those of dev; `frequent_attributes` and `other_attributes` concern the annotators' list of 51."""

PUBLISHED_TOPICS: Mapping[str, TopicStatistics] = {
    topic: TopicStatistics(procedures=procedures, changes=changes, with_image=seen, without_image=unseen)
    for topic, procedures, changes, seen, unseen in (
        ("Food and Entertaining", 197, 9942, 5399, 4543),
        ("Home and Garden", 199, 6961, 3758, 3203),
        ("Hobbies and Crafts", 193, 4766, 2375, 2391),
        ("Sports and Fitness", 95, 3361, 1662, 1699),
        ("Cars & Other Vehicles", 43, 1656, 818, 838),
        ("Health", 77, 3036, 1433, 1603),
    )
}
"""Table 3, of train, dev and test together."""


def split_sources(arguments: Sequence[Path], *, fetched: Path) -> list[Path]:
    """The splits of a corpus by name and, if there are any, those in the paths after it; train first.

    In a folder, splits are the folders with the four official files or else the JSON lines. Raises InputError for a
    path that does not exist and a folder without splits.
    """
    name, *paths = arguments
    found: list[Path] = []
    for path in paths or [fetched / name]:
        if path.is_file():
            found.append(path)
            continue
        splits = {file.parent for file in path.rglob("id_question.jsonl")} or set(path.glob("*.jsonl"))
        if not splits:
            remedy = f"fetch it (kgscripts corpora fetch {name}), or pass its folder after the name"
            raise InputError(f"no splits of {name}", where=str(path), remedy=remedy)
        found += sorted(splits, key=lambda split: (not split.name.startswith("train"), split))
    return found


def word_sequences(steps: Iterable[OpenPIStep]) -> list[tuple[str, ...]]:
    """The distinct steps and entities as words: what has to be lemmatised for `openpi_statistics`."""
    texts = (text for step in steps for text in (step.text, *step.context, *_entities(step)))
    return list(dict.fromkeys(tuple(tokens(text)) for text in dict.fromkeys(texts)))


def openpi_statistics(steps: Sequence[OpenPIStep], lemmas: Mapping[tuple[str, ...], Sequence[str]]) -> OpenPIStatistics:
    """The statistics of at least one step. `lemmas` has the lemmas of all `word_sequences`."""
    answers = [answer for step in steps for answer in step.answers]
    changes = [answer.change for answer in answers if answer.change]
    attributes = Counter(change.attribute.lower() for change in changes if change.attribute)
    frequencies = sorted(attributes.values(), reverse=True)
    needed = sum(total < _COVERED * attributes.total() for total in accumulate(frequencies)) + 1
    phrases = [_words(value) for change in changes for value in (change.before, change.after)]
    relational = [words for words in phrases if not _PREPOSITIONS.isdisjoint(words)]
    adjectives = [words for words in phrases if words and _PREPOSITIONS.isdisjoint(words)]
    seen = [count for step in steps if (count := _of_modality(step, "with_image"))]
    unseen = [count for step in steps if (count := _of_modality(step, "without_image"))]
    return OpenPIStatistics(
        procedures=len({step.procedure for step in steps}),
        steps=len(steps),
        changes=len(answers),
        with_image=sum(seen),
        without_image=sum(unseen),
        changes_per_step=len(answers) / len(steps),
        changes_per_step_with_image=_mean(seen),
        changes_per_step_without_image=_mean(unseen),
        steps_without_changes=_mean([not step.answers for step in steps]),
        unparsed_sentences=len(answers) - len(changes),
        unmentioned_entities=_mean([unsaid for step in steps for unsaid in _unmentioned(step, lemmas)]),
        frequent_attributes=sum(frequencies[:PREDEFINED_ATTRIBUTES]) / max(1, attributes.total()),
        other_attributes=len(frequencies[PREDEFINED_ATTRIBUTES:]),
        attributes_of_most=needed / len(attributes) if attributes else 0.0,
        relational_phrases=len(relational) / max(1, len(relational) + len(adjectives)),
        adjective_length=_mean([len(words) for words in adjectives]),
        relational_length=_mean([len(words) for words in relational]),
    )


def topic_statistics(steps: Iterable[OpenPIStep]) -> dict[str, TopicStatistics]:
    """Table 3: a row a topic, by name; that of how-tos without a topic is "unknown"."""
    by_topic: dict[str, list[OpenPIStep]] = {}
    for step in steps:
        by_topic.setdefault(step.topic or "unknown", []).append(step)
    return {
        topic: TopicStatistics(
            procedures=len({step.procedure for step in inner}),
            changes=sum(len(step.answers) for step in inner),
            with_image=sum(_of_modality(step, "with_image") for step in inner),
            without_image=sum(_of_modality(step, "without_image") for step in inner),
        )
        for topic, inner in sorted(by_topic.items())
    }


def _entities(step: OpenPIStep) -> list[str]:
    """The distinct entities of a step."""
    return list(dict.fromkeys(answer.change.entity.lower() for answer in step.answers if answer.change))


def _unmentioned(step: OpenPIStep, lemmas: Mapping[tuple[str, ...], Sequence[str]]) -> list[bool]:
    """For each entity of a step whether it is unmentioned."""
    said = {lemma for text in (step.text, *step.context) for lemma in lemmas[tuple(tokens(text))]}
    return [
        not said.issuperset(lemma for lemma in lemmas[tuple(tokens(entity))] if lemma not in _DETERMINERS)
        for entity in _entities(step)
    ]


def _of_modality(step: OpenPIStep, modality: str) -> int:
    return sum(answer.modality == modality for answer in step.answers)


def _words(value: str) -> list[str]:
    return [word for word in value.lower().split() if word not in _DETERMINERS]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
