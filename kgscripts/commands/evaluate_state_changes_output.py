"""Output of the scores of state changes, with the published ones beside them, and of examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kgscripts.corpora.openpi.reading import OpenPIStep
from kgscripts.evaluation.changes.report import ChangeReport, Group
from kgscripts.evaluation.changes.scores import METRICS, Score, distinct_changes, pair_scores
from schemas.terminal import echo

_NAMES = {"exact": "exact", "bleu": "BLEU-2", "rouge": "ROUGE-L"}
_NAME_WIDTH = 9
_GROUP_WIDTH = 44
_WIDTH = 7
"""Of a figure, and with a space before it in the table of groups; all lines fit 80 columns."""

_PUBLISHED: Mapping[str, tuple[str, str, str]] = {
    "all": ("4.3", "16.1", "32.4"),
    "with_image": ("5.1", "14.3", "29.1"),
    "without_image": ("3.6", "13.4", "28.2"),
    "seen": ("", "17.1", ""),
    "unseen": ("", "15.7", ""),
}
"""F1 of GPT-2 on the test split of OpenPI (Tandon et al. 2020, Tables 4 and 5)."""

_PUBLISHED_ERRORS = {
    "attribute": "826 (51 %)",
    "entity": "964 (59 %)",
    "adjective": "989 (41 %)",
    "relational_phrase": "456 (17 %)",
    "wrong": "1,622",
}
"""Errors of GPT-2 on the dev split, as the paper prints them (Table 6)."""


def print_report(report: ChangeReport) -> None:
    """Print all scores in percent."""
    echo(
        f"State changes: {report.steps:,} steps, {report.gold_answers:,} gold answers, "
        f"{report.predictions:,} predictions. Percent."
    )
    _print_scores(report)
    _print_groups(report)
    _print_errors(report)


def _print_scores(report: ChangeReport) -> None:
    kinds = report.scores
    echo(" " * _NAME_WIDTH + "".join(f"{name:>{3 * _WIDTH}}" for name in ("official", "one to one", "clusters")))
    echo(" " * _NAME_WIDTH + "".join(f"{name:>{_WIDTH}}" for name in ("P", "R", "F1") * len(kinds)))
    for metric in METRICS:
        echo(f"{_NAMES[metric]:{_NAME_WIDTH}}" + "".join(_figures(getattr(kind, metric)) for kind in kinds))
    if report.meteor:
        echo(f"{'METEOR':{_NAME_WIDTH}}{_figures(report.meteor)}")
    else:
        echo("No METEOR: it needs nltk and nltk's data package wordnet.")


def _print_groups(report: ChangeReport) -> None:
    echo("\nF1, official; published: GPT-2 on the test split of OpenPI")
    echo(_row("", ["steps", *_NAMES.values()]))
    _print_group("all", "all", Group(steps=report.steps, scores=report.scores.official))
    for kind, groups in report.groups().items():
        for name, group in groups.items():
            label = {"seen": "seen topics", "unseen": "unseen topics"}.get(name, name.replace("_", " "))
            _print_group(name, f"step {name}" if kind == "positions" else label, group)


def _print_group(name: str, label: str, group: Group) -> None:
    f1 = [f"{100 * getattr(group.scores, metric).f1:.2f}" for metric in METRICS]
    echo(_row(label, [f"{group.steps:,}", *f1]))
    if name in _PUBLISHED:
        echo(_row(f"  published: {label}", ["", *_PUBLISHED[name]]))


def _row(label: str, figures: Iterable[str]) -> str:
    shown = label if len(label) < _GROUP_WIDTH else f"{label[: _GROUP_WIDTH - 2]}…"
    return f"{shown:{_GROUP_WIDTH}}{''.join(f' {figure:>{_WIDTH}}' for figure in figures)}".rstrip()


def _print_errors(report: ChangeReport) -> None:
    errors = report.errors
    echo("\nErrors, against the gold answer with the highest ROUGE; published: GPT-2 on dev")
    for name, published in _PUBLISHED_ERRORS.items():
        count = getattr(errors, name)
        share = "" if name == "wrong" or not errors.wrong else f"({100 * count / errors.wrong:.0f} %)"
        label = "any of these" if name == "wrong" else f"wrong {name.replace('_', ' ')}"
        echo(f"{label:26}{count:>8,} {share:<10}published: {published}")
    for count, reason in (
        (errors.without_gold, "for steps without a gold answer"),
        (errors.unreadable, "that are no sentence of the template"),
    ):
        if count:
            echo(f"Not compared: {count:,} predictions {reason}.")


def print_examples(
    gold: Mapping[str, Sequence[str]],
    predictions: Mapping[str, Sequence[str]],
    steps: Mapping[str, OpenPIStep],
    count: int,
) -> None:
    """Print `count` steps, evenly spread, with their gold answers and each prediction's best ROUGE."""
    names = list(gold)
    count = min(count, len(names))
    for index in range(count):
        name = names[index * len(names) // count]
        echo(f"\n{name}")
        if name in steps:
            echo(steps[name].text)
        for answer in gold[name]:
            echo(f"  gold  {answer}")
        predicted = distinct_changes(predictions[name])
        best = pair_scores(gold[name], predicted)[-1].max(axis=0) if gold[name] else [0.0] * len(predicted)
        for sentence, score in zip(predicted, best, strict=True):
            echo(f"  {score:.2f}  {sentence}")


def _figures(score: Score) -> str:
    return "".join(f"{100 * value:>{_WIDTH}.2f}" for value in score)
