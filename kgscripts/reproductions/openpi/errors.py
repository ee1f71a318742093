"""Errors of predicted state changes: the error analysis of OpenPI (Tandon et al., EMNLP 2020, Table 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define

from kgscripts.reproductions.openpi.change_template import parse_change
from kgscripts.reproductions.openpi.matching import is_relational
from kgscripts.reproductions.openpi.scores import METRICS, distinct_changes, pair_scores, stems_of
from schemas.changes import Change
from schemas.errors import InputError

_ROUGE = METRICS.index("rouge")


@define(kw_only=True)
class ErrorCounts:
    """Numbers of predictions with an error, each compared with the gold answer that has the highest ROUGE.

    A prediction can have several errors. A value, before or after, that differs is a wrong adjective or a wrong
    relational phrase, as the gold answer has it ("hot", "in the oven").
    """

    predictions: int = 0
    attribute: int = 0
    entity: int = 0
    adjective: int = 0
    relational_phrase: int = 0
    wrong: int = 0
    """Predictions with an error of any of these types."""
    without_gold: int = 0
    """Predictions for steps without a gold answer; not among `wrong`."""
    unreadable: int = 0
    """Predictions that are no sentence of the template; not among `wrong`."""


def count_errors(gold: Mapping[str, Sequence[str]], predictions: Mapping[str, Sequence[str]]) -> ErrorCounts:
    """Count the errors of all predictions, whose ids are those of `gold`."""
    counts = ErrorCounts()
    for name, answers in gold.items():
        readable = [(answer, change) for answer in answers if (change := _change(answer))]
        predicted = distinct_changes(predictions[name])
        counts.predictions += len(predicted)
        closest = pair_scores([answer for answer, _ in readable], predicted)[_ROUGE].argmax(axis=0) if readable else ()
        for index, sentence in enumerate(predicted):
            change = _change(sentence)
            if change is None:
                counts.unreadable += 1
            elif not readable:
                counts.without_gold += 1
            else:
                _compare(counts, readable[closest[index]][1], change)
    return counts


def _change(sentence: str) -> Change | None:
    try:
        return parse_change(sentence)
    except InputError:
        return None


def _compare(counts: ErrorCounts, gold: Change, predicted: Change) -> None:
    attribute, entity, before, after = (
        stems_of(getattr(gold, part)) != stems_of(getattr(predicted, part))
        for part in ("attribute", "entity", "before", "after")
    )
    value, relational = before or after, is_relational(gold.before or gold.after)
    counts.attribute += attribute
    counts.entity += entity
    counts.adjective += value and not relational
    counts.relational_phrase += value and relational
    counts.wrong += attribute or entity or value
