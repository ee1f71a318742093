"""Which predicted state changes are read: those that are probable, and that nothing in the text speaks against."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import evolve

from kgscripts.changes.attributes import leading_attribute
from kgscripts.changes.values import agree
from kgscripts.extractors.change_words import head, normalised
from kgscripts.text.porter import stem
from schemas.changes import Change, PredictedChange, ProcedureStep

LEAST_LOG_PROBABILITY = -0.7
"""Of changes of what the step mentions. Chosen, like the rules below, on 200 changes that two people had judged."""
LEAST_OF_PRESUPPOSED = -0.5
"""Of changes of what the step does not mention."""

_PLACES = frozenset({"container", "location", "place", "placement", "position", "storage"})
_PREPOSITIONS = frozenset(
    ("at", "around", "behind", "from", "in", "inside", "into", "near", "of", "off", "on", "onto", "out", "outside")
)
_PREPOSITIONS |= {"over", "to", "under", "with"}
_WET = frozenset(
    (
        *("beer", "bleach", "cleaner", "coffee", "cream", "detergent", "glue", "ink", "juice", "lotion", "milk", "mud"),
        *("oil", "paint", "polish", "puddle", "sauce", "sealant", "shampoo", "soap", "soup", "syrup", "tea", "vinegar"),
        *("water", "wine"),
    )
)
"""What is wet already."""
_WORD = re.compile(r"[^\W\d_]+")


def trusted(
    steps: Sequence[ProcedureStep], predictions: Sequence[Iterable[PredictedChange]]
) -> list[list[PredictedChange]]:
    """The changes of consecutive steps of one text that are read, in the words of records, most probable first.

    A step changes an attribute of an entity once (names that mean the same are one attribute): the most probable value
    is kept. A change is left out if its value holds already, as an earlier step of `steps` or the words of the step
    say; if these say its reverse; if the thing is put into a place that the step does not mention; and if a liquid gets
    wet. A place that the text does not mention is no value before.
    """
    holding: dict[tuple[str, str], str] = {}
    result = []
    for step, predicted in zip(steps, predictions, strict=True):
        kept = _of_step(step, predicted, holding)
        holding |= {_place(item.change): item.change.after for item in kept}
        result.append(kept)
    return result


def _of_step(
    step: ProcedureStep, predictions: Iterable[PredictedChange], holding: dict[tuple[str, str], str]
) -> list[PredictedChange]:
    own = _stems(step.text)
    text = own.union(*map(_stems, step.context), _stems(step.title))
    found: dict[tuple[str, str], PredictedChange] = {}
    for predicted in sorted(predictions, key=lambda item: -item.log_probability):
        change = normalised(predicted.change)
        if change is None or not _is_probable(change, predicted.log_probability, own):
            continue
        first = found.setdefault(_place(change), evolve(predicted, change=change))
        is_reverse = (change.before, change.after) == (first.change.after, first.change.before)
        if is_reverse and len(_stems(change.after) & own) > len(_stems(first.change.after) & own):
            found[_place(change)] = evolve(first, change=change)
    return [
        evolve(item, change=_with_known_place(item.change, text))
        for place, item in found.items()
        if not agree(holding.get(place, ""), item.change.after) and not _speaks_against(item.change, step.text, own)
    ]


def _is_probable(change: Change, log_probability: float, own: frozenset[str]) -> bool:
    least = LEAST_LOG_PROBABILITY if stem(head(change.entity)) in own else LEAST_OF_PRESUPPOSED
    return log_probability >= least


def _place(change: Change) -> tuple[str, str]:
    return change.entity, leading_attribute(change.attribute)


def _speaks_against(change: Change, step: str, own: frozenset[str]) -> bool:
    if change.after == "wet" and head(change.entity) in _WET:
        return True
    words = " ".join(_WORD.findall(step.lower()))
    if f"{change.after} {change.entity}" in words:
        return True
    # "Switch off the lamp" and "dry the dog" say the value after; "wash the dirty dog" says the one before.
    says_before = _stems(change.before) & own and f"{change.before} {change.entity}" not in words
    if says_before and not _is_of_place(change, change.before) and not _stems(change.after) & own:
        return True
    where = _names_of(change.after)
    return _is_of_place(change, change.after) and bool(where) and not where & own


def _with_known_place(change: Change, text: frozenset[str]) -> Change:
    names = _names_of(change.before)
    if _is_of_place(change, change.before) and names and not names & text:
        return evolve(change, before="")
    return change


def _is_of_place(change: Change, value: str) -> bool:
    return head(change.attribute) in _PLACES or value.split(" ")[0] in _PREPOSITIONS


def _names_of(value: str) -> frozenset[str]:
    """The stems of the words of a value that are no prepositions."""
    return frozenset(stem(word) for word in value.split() if word not in _PREPOSITIONS)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))
