"""Output of the scores of detected scenarios, with the published ones beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kgscripts.evaluation.scenarios.boundaries import BoundaryScores
from kgscripts.evaluation.scenarios.report import TOP_PAIRS, ScenarioReport
from schemas.scenario_documents import NONE
from schemas.terminal import echo

_NAME_WIDTH = 40
_SCENARIO_WIDTH = 31
_WIDTH = 8
_TOP = 10

_PUBLISHED: Mapping[str, Sequence[float]] = {
    "majority": (0.08, 0.05, 0.06),
    "each sentence, tf.idf": (0.24, 0.28, 0.26),
    "random segments, tf.idf": (0.32, 0.45, 0.37),
    "TopicTiling, tf.idf": (0.36, 0.54, 0.43),
    "the same, labelled only": (0.54, 0.54, 0.54),
}
"""Precision, recall and F1 on 486 blog stories (Wanzare, Roth and Pinkal 2019, Table 6)."""
_PUBLISHED_CORRELATIONS = {
    "recall with PMI": -0.33,
    "F1 with PMI": -0.17,
    "precision with number of sentences": 0.50,
    "F1 with number of sentences": 0.20,
}
_PUBLISHED_SHARES = ("16 %", "63 %")


def print_report(report: ScenarioReport) -> None:
    """Print all scores as shares."""
    echo(
        f"Scenarios: {report.documents:,} documents, {report.sentences:,} sentences, {100 * report.none_share:.1f} % "
        "without a scenario"
    )
    _print_sentences(report)
    _print_boundaries(report)
    _print_scenarios(report)
    _print_confusions(report)
    _print_correlations(report)
    if report.unknown_labels:
        count = len(report.unknown_labels)
        echo(f"\nPredicted labels that are neither listed nor gold: {count:,}")
        for name in report.unknown_labels[:_TOP]:
            echo(f"  {_cut(name, 2 * _NAME_WIDTH - 2)}".rstrip())


def _print_sentences(report: ScenarioReport) -> None:
    on_gold = report.gold_boundaries
    echo(f"\n{_row('Labels of sentences', ('P', 'R', 'F1'))}")
    echo(_row("micro, None a label", _figures(report.micro)))
    echo(_row("macro, None a label", _figures(report.macro)))
    echo(_row("micro, scenarios only", _figures(report.scenarios_only)))
    echo(_row("micro, labelled sentences only", _figures(report.labelled_sentences)))
    if on_gold:
        echo(_row("micro, labels on gold boundaries", _figures(on_gold.score)))
    for name, figures in _PUBLISHED.items():
        echo(_row(f"published: {name}", _figures(figures)))
    if on_gold:
        shares = ", ".join(f"{share:.2f} among the first {rank}" for rank, share in on_gold.in_first.items())
        echo(f"Gold segments with a right scenario: {shares.replace('among the first 1,', 'first,')}")


def _print_boundaries(report: ScenarioReport) -> None:
    echo(f"\n{_row('Boundaries', ('P_k', 'WD', 'P', 'R', 'F1'))}")
    echo(_boundary_row("predicted segments", report.boundaries))
    echo(_boundary_row("neighbours with one label joined", report.joined))
    echo(_row("published: TopicTiling, merged stories", _figures((0.28, 0.28))))
    found, joined = report.boundaries, report.joined
    echo(f"Gold boundaries: {found.gold:,}; predicted: {found.predicted:,}, joined {joined.predicted:,}")


def _print_scenarios(report: ScenarioReport) -> None:
    """The best scenarios, as in Table 8, and None."""
    best = sorted(
        ((name, label) for name, label in report.labels.items() if name != NONE),
        key=lambda item: (-item[1].score.f1, -item[1].sentences, item[0]),
    )
    rows = best[:_TOP] + [(name, label) for name, label in report.labels.items() if name == NONE]
    echo(f"\n{_row('Best scenarios', ('sents', 'P', 'R', 'F1'))}")
    for name, label in rows:
        echo(_row(name, (f"{label.sentences:,}", *_figures(label.score))))


def _print_confusions(report: ScenarioReport) -> None:
    """The most frequent confusions, as in Table 7."""
    confusions = report.confusions
    if confusions.pairs:
        echo(f"\n{'Gold':{_SCENARIO_WIDTH}} {'Predicted':{_SCENARIO_WIDTH}}{'sents':>8}{'PMI':>7}")
    for pair in confusions.pairs[:_TOP]:
        names = " ".join(_cut(name, _SCENARIO_WIDTH) for name in (pair.gold, pair.predicted))
        echo(f"{names}{pair.sentences:>8,}{pair.pmi:>7.2f}")
    if confusions.pairs:
        for first, published in zip(TOP_PAIRS, _PUBLISHED_SHARES, strict=True):
            share = f"{100 * confusions.share(first):.0f} %"
            echo(f"The {first} most frequent pairs: {share} of the confusions (published: {published})")
    echo(
        f"A scenario called None: {confusions.scenario_as_none:,} sentences; None called a scenario: "
        f"{confusions.none_as_scenario:,}"
    )


def _print_correlations(report: ScenarioReport) -> None:
    found = report.correlations
    values = (found.recall_with_pmi, found.f1_with_pmi, found.precision_with_sentences, found.f1_with_sentences)
    echo(f"\n{_row('Correlation (Pearson)', ('ours', 'paper'))}")
    for (name, published), value in zip(_PUBLISHED_CORRELATIONS.items(), values, strict=True):
        echo(_row(name, ("-" if value is None else f"{value:.2f}", f"{published:.2f}")))


def _boundary_row(name: str, scores: BoundaryScores) -> str:
    errors = ("-" if value is None else f"{value:.2f}" for value in (scores.pk, scores.window_diff))
    return _row(name, (*errors, *_figures(scores.score)))


def _figures(values: Iterable[float]) -> list[str]:
    return [f"{value:.2f}" for value in values]


def _row(label: str, figures: Sequence[str]) -> str:
    return f"{_cut(label, _NAME_WIDTH)}{''.join(f'{figure:>{_WIDTH}}' for figure in figures)}"


def _cut(text: str, width: int) -> str:
    return f"{text if len(text) <= width else text[: width - 1] + '…':{width}}"
