"""Whether titles of how-tos that mean the same activity are one scenario (``data/scenario_titles.*.tsv``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from kgscripts.corpora.scenarios.labels import is_listed, resolve, resolve_title
from kgscripts.evaluation.counting import b_cubed_scores, named, pair_scores
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation, Example, Figure, compared, counts, shares
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.titles.keys import title_key
from kgscripts.titles.plain import plain_title
from schemas.provenance import Exposure

SPLITS = ("development", "test")

LEAST_COSINE = 0.84
LEAST_OF_SAME_VERB = 0.78
"""Mean cosines from which on titles are one; chosen on the development titles, for a precision of 0.95 at least."""

_OTHER_VERB = 2.0
_OURS, _PLAIN = "same verb and object (in a build)", "same label but for how to and determiners"


def gold_titles(split: str) -> list[tuple[str, str]]:
    """The titles of a split, each with the name of its group."""
    return [(row["title"], row["group"]) for row in list_rows(f"scenario_titles.{split}.tsv")]


def evaluate_titles(split: str, *, source: str = "") -> Evaluation:
    """Score the rule of a build, labels without it, and MiniLM's vectors. Raises ModelError if MiniLM is not found.

    Both splits are data for development: the rule was repaired after its errors on the test had been seen.
    """
    titles, groups = map(list, zip(*gold_titles(split), strict=True))
    keys = [title_key(title) for title in titles]
    labels = [resolve(title) for title in titles]
    rules: dict[str, Sequence[object]] = {
        _OURS: keys,
        _PLAIN: labels,
        f"cosine of MiniLM >= {LEAST_COSINE}": _by_vectors(titles, LEAST_COSINE),
        f"same verb, cosine >= {LEAST_OF_SAME_VERB}": _by_vectors(titles, LEAST_OF_SAME_VERB, keys),
    }
    listed = {_OURS: [resolve_title(title) for title in titles], _PLAIN: labels}
    figures = {rule: [*_merged(groups, found), *_listed(groups, listed.get(rule))] for rule, found in rules.items()}
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


def _merged(groups: Sequence[object], found: Sequence[object]) -> tuple[Figure, ...]:
    """How well the titles that became one scenario are those of one activity."""
    return shares({**pair_scores(groups, found), **named("B-cubed", b_cubed_scores(groups, found))})


def _listed(groups: Sequence[str], labels: Sequence[str] | None) -> tuple[Figure, ...]:
    """Which titles get the label of a listed scenario, of those that mean it; none of a rule that gives no labels."""
    if labels is None:
        return ()
    given = [group == label for group, label in zip(groups, labels, strict=True) if is_listed(label)]
    right, meant = sum(given), sum(map(is_listed, groups))
    return (
        *shares(
            {"listed scenario precision": right / (len(given) or 1), "listed scenario recall": right / (meant or 1)}
        ),
        *counts({"listed scenarios given": len(given), "listed scenarios right": right}),
    )


def _same(titles: Sequence[str], parts: Sequence[object], at: int) -> list[str]:
    """The other titles of the part that a title is in."""
    return [title for other, title in enumerate(titles) if other != at and parts[other] == parts[at]]


def _by_vectors(titles: Sequence[str], least: float, keys: Sequence[str] | None = None) -> list[int]:
    """Clusters by average linkage of cosines; with `keys`, only titles whose keys have the same verb are joined."""
    vectors = quantised_vectors([plain_title(title)[0] for title in titles]).astype(np.int32)
    distances = 1 - np.clip(vectors @ vectors.T / SCALE**2, -1, 1)
    if keys is not None:
        verbs = np.array([key.partition(" ")[0] for key in keys])
        distances[verbs[:, None] != verbs[None, :]] = _OTHER_VERB
    np.fill_diagonal(distances, 0)
    clusters = fcluster(linkage(squareform(distances), "average"), 1 - least, "distance")
    return [int(cluster) for cluster in clusters]
