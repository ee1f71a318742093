"""Evaluation of the changes that are read in everyday steps, on lists that were written before any output was seen.

``data/step_changes.*.jsonl`` has for each step what changes and what does not, several wordings of an attribute or a
value separated by `` | ``; ``judged`` has candidates of the step, each with 1 if a judge found it true, else 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from kgscripts.analysis.tracking import StepReader
from kgscripts.changes.attributes import in_vocabulary, leading_attribute
from kgscripts.corpora.procedures import Procedure
from kgscripts.evaluation.calibration import calibration
from kgscripts.evaluation.counting import example
from kgscripts.evaluation.lists import list_objects
from kgscripts.evaluation.result import Evaluation, Example, Figure, System, counts, shares
from kgscripts.extractors.changes.words import head, noun_phrase
from kgscripts.text.porter import stem
from schemas.changes import Change, Level, RatedChange
from schemas.provenance import Direction, Exposure
from schemas.results import Table

DATASET = "kgscripts step changes"
_ALL = "certain and likely"
PERSON = "person"
"""The doer that a text does not name."""
_DOERS = frozenset({"i", "we", "you", "me", "us", "myself", "he", "she", "they", "narrator"})


@frozen
class GoldStep:
    """A step after others, what changes in it and what does not (each with entity, attribute, after), and judged
    candidates."""

    id: str
    title: str
    context: tuple[str, ...]
    step: str
    changes: tuple[Mapping[str, str], ...]
    non_changes: tuple[Mapping[str, str], ...]
    judged: Mapping[tuple[str, str, str], bool]


def gold_steps(split: str) -> list[GoldStep]:
    """The steps of a split, *development* or *unseen*."""
    return [_gold(row) for row in list_objects(f"step_changes.{split}.jsonl")]


def evaluate_step_changes(model: str, split: str) -> Evaluation:
    """Compare what is read at each level, by a model that ships or the directory of one, with the lists.

    *Recall* is the share of the changes of the lists whose entity and attribute are read, *named* the share of what is
    read that the lists name: people leave out much that is true. *Non-changes* is the share of these that are read.
    *Precision* is the share of true ones among what is read and was judged, and the calibration error is that of their
    probabilities.
    """
    gold = gold_steps(split)
    procedures = [Procedure(id=item.id, title=item.title, steps=(*item.context, item.step)) for item in gold]
    rated = [steps[-1].changes for steps in StepReader(model).read(procedures)]
    levels = {Level.CERTAIN.value: {Level.CERTAIN}, _ALL: set(Level), Level.LIKELY.value: {Level.LIKELY}}
    kept = {name: [_at(own, chosen) for own in rated] for name, chosen in levels.items()}
    systems = [System(name=name, source=model, figures=_figures(gold, changes)) for name, changes in kept.items()]
    judged = [
        (each.probability, item.judged[_key(each.change)])
        for item, own in zip(gold, rated, strict=True)
        for each in own
        if _key(each.change) in item.judged
    ]
    reliability = calibration([probability for probability, _ in judged], [is_true for _, is_true in judged])
    tables = {}
    if judged:
        error = Figure(metric="calibration error", value=reliability.error, direction=Direction.LOWER)
        systems[0] = System(name=systems[0].name, source=model, figures=(*systems[0].figures, error))
        rows = [(round(item.probability, 3), round(item.share, 3), item.count) for item in reliability.bins]
        tables["reliability"] = Table(columns=("probability", "true", "candidates"), rows=rows)
    return Evaluation(
        task="step changes",
        dataset=DATASET,
        split=split,
        exposure=Exposure(split),
        items={
            "steps": len(gold),
            "changes": sum(len(item.changes) for item in gold),
            "non-changes": sum(len(item.non_changes) for item in gold),
            "judged": len(judged),
        },
        systems=systems,
        tables=tables,
        examples=list(_examples(gold, kept[_ALL])),
    )


def is_named(change: Change, named: Mapping[str, str]) -> bool:
    """Whether a change is of the entity, by the stems of heads, and of the attribute that a list names."""
    if stem(head(change.entity)) not in {stem(head(name)) for name in _names(named["entity"])}:
        return False
    attribute = leading_attribute(change.attribute)
    return not {attribute, in_vocabulary(attribute, change.before, change.after)[0]}.isdisjoint(_attributes(named))


def is_denied(change: Change, denied: Mapping[str, str]) -> bool:
    """Whether a change is one that does not happen: it has the value afterwards, if one is given."""
    if not is_named(change, denied):
        return False
    wrong = [value for part in denied["after"].split("|") if (value := part.strip())]
    return not wrong or any(value in change.after or change.after in value for value in wrong)


def _figures(gold: Sequence[GoldStep], changes: Sequence[Sequence[Change]]) -> list[Figure]:
    listed = [(item, named) for item in gold for named in item.changes]
    by_id = {item.id: own for item, own in zip(gold, changes, strict=True)}
    read = [(item, change) for item in gold for change in by_id[item.id]]
    hit = sum(any(is_named(change, named) for change in by_id[item.id]) for item, named in listed)
    named = sum(any(is_named(change, each) for each in item.changes) for item, change in read)
    denied = [(item, each) for item in gold for each in item.non_changes]
    wrong = sum(any(is_denied(change, each) for change in by_id[item.id]) for item, each in denied)
    judged = [item.judged[_key(change)] for item, change in read if _key(change) in item.judged]
    figures = [
        *shares({"recall": hit / max(1, len(listed)), "named": named / max(1, len(read))}),
        Figure(metric="non-changes", value=wrong / max(1, len(denied)), direction=Direction.LOWER),
        *counts({"changes": len(read)}),
    ]
    return [*figures, *(shares({"precision": sum(judged) / len(judged)}) if judged else ())]


def _examples(gold: Sequence[GoldStep], changes: Sequence[Sequence[Change]]) -> Iterator[Example]:
    for item, own in zip(gold, changes, strict=True):
        missing = [each for each in item.changes if not any(is_named(change, each) for change in own)]
        others = [change for change in own if not any(is_named(change, each) for each in item.changes)]
        if missing or others:
            yield example(item.step, map(_told, missing), (f"{each.attribute} of {each.entity}" for each in others))


def _told(named: Mapping[str, str]) -> str:
    return f"{named['attribute'].split(' | ')[0]} of {named['entity']}"


def _at(rated: Sequence[RatedChange], levels: set[Level]) -> list[Change]:
    return [item.change for item in rated if item.level in levels]


def _key(change: Change) -> tuple[str, str, str]:
    return stem(head(change.entity)), change.attribute, change.after


def _names(entity: str) -> Iterator[str]:
    for part in entity.split("|"):
        name = part.strip().lower()
        yield PERSON if name in _DOERS else noun_phrase(name) or name


def _attributes(named: Mapping[str, str]) -> Iterator[str]:
    """The attributes that a list means: by their names, and by their names with their values."""
    for part in named["attribute"].split("|"):
        name = part.strip().lower()
        yield leading_attribute(name)
        for before in named.get("before", "").split("|"):
            for after in named["after"].split("|"):
                yield in_vocabulary(name, before.strip().lower(), after.strip().lower())[0]


def _gold(row: Mapping[str, Any]) -> GoldStep:
    judged = {
        _key(Change(entity=entity, attribute=attribute, before=before, after=after)): bool(is_true)
        for entity, attribute, before, after, is_true in row.get("judged", ())
    }
    context, changes, others = (tuple(row[name]) for name in ("context", "changes", "non_changes"))
    return GoldStep(row["id"], row["title"], context, row["step"], changes, others, judged)
