"""Whether titles of how-tos that mean the same activity are one scenario (``data/scenario_titles.*.tsv``)."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.corpora.scenarios.labels import is_listed, resolve, resolve_title
from kgscripts.evaluation.counting import b_cubed_scores, named, pair_scores
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation, Example, Figure, compared, counts, shares
from kgscripts.titles.keys import title_key
from schemas.provenance import Exposure

SPLITS = ("development", "test")

_OURS, _PLAIN = "same verb and object (in a build)", "same label but for how to and determiners"


def gold_titles(split: str) -> list[tuple[str, str]]:
    """The titles of a split, each with the name of its group."""
    return [(row["title"], row["group"]) for row in list_rows(f"scenario_titles.{split}.tsv")]


def evaluate_titles(split: str, *, source: str = "") -> Evaluation:
    """Score the rule of a build, and labels without it.

    Both splits are data for development: the rule was repaired after its errors on the test had been seen.
    """
    titles, groups = map(list, zip(*gold_titles(split), strict=True))
    keys = [title_key(title) for title in titles]
    labels = [resolve(title) for title in titles]
    rules = {_OURS: keys, _PLAIN: labels}
    listed = {_OURS: [resolve_title(title) for title in titles], _PLAIN: labels}
    figures = {rule: [*_merged(groups, names), *_listed(groups, listed[rule])] for rule, names in rules.items()}
    return Evaluation(
        task="scenario titles",
        dataset="kgscripts scenario titles",
        split=split,
        exposure=Exposure.DEVELOPMENT,
        items={
            "titles": len(titles),
            "activities": len(set(groups)),
            "titles of a listed scenario": sum(map(is_listed, groups)),
        },
        systems=compared(figures, _OURS, source),
        examples=[
            Example(system=_OURS, where="", text=title, gold=_same(titles, groups, at), found=_same(titles, keys, at))
            for at, title in enumerate(titles)
        ],
    )


def _merged(groups: Sequence[object], names: Sequence[object]) -> tuple[Figure, ...]:
    """How well the titles that became one scenario are those of one activity."""
    return shares({**pair_scores(groups, names), **named("B-cubed", b_cubed_scores(groups, names))})


def _listed(groups: Sequence[str], labels: Sequence[str]) -> tuple[Figure, ...]:
    """Which titles get the label of a listed scenario, of those that mean it."""
    are_right = [group == label for group, label in zip(groups, labels, strict=True) if is_listed(label)]
    right, meant = sum(are_right), sum(map(is_listed, groups))
    return (
        *shares(
            {"listed scenario precision": right / (len(are_right) or 1), "listed scenario recall": right / (meant or 1)}
        ),
        *counts({"listed scenarios given": len(are_right), "listed scenarios right": right}),
    )


def _same(titles: Sequence[str], parts: Sequence[object], at: int) -> list[str]:
    """The other titles of the part that a title is in."""
    return [title for other, title in enumerate(titles) if other != at and parts[other] == parts[at]]
