"""Whether titles of how-tos that mean the same activity are one scenario (``data/scenario_titles.*.tsv``)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources

import numpy as np
from attrs import evolve
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from kgscripts.corpora.scenarios.labels import is_listed, resolve, resolve_title
from kgscripts.evaluation.counting import score_partition
from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, counts, shares
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


def gold_titles(split: str) -> list[tuple[str, str]]:
    """The titles of a split, each with the name of its group."""
    file = resources.files("kgscripts.evaluation") / "data" / f"scenario_titles.{split}.tsv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row["title"], row["group"]) for row in rows]


def evaluate_titles(split: str, *, source: str = "") -> Evaluation:
    """Score the rule of a build, labels without it, and MiniLM's vectors. Raises ModelError if MiniLM is not found.

    Both splits are data for development: the rule was repaired after its errors on the test had been seen.
    """
    titles, groups = map(list, zip(*gold_titles(split), strict=True))
    keys = [title_key(title) for title in titles]
    labels = [resolve(title) for title in titles]
    rules: dict[str, Sequence[object]] = {
        "same verb and object (in a build)": keys,
        "same label but for how to and determiners": labels,
        f"cosine of MiniLM >= {LEAST_COSINE}": _by_vectors(titles, LEAST_COSINE),
        f"same verb, cosine >= {LEAST_OF_SAME_VERB}": _by_vectors(titles, LEAST_OF_SAME_VERB, keys),
    }
    own, before, *others = [
        System(name=rule, role=Role.BASELINE, figures=_merged(groups, found)) for rule, found in rules.items()
    ]
    meaning = [resolve_title(title) for title in titles]
    own = evolve(own, role=Role.MODEL, source=source, figures=(*own.figures, *_listed(groups, meaning)))
    before = evolve(before, figures=(*before.figures, *_listed(groups, labels)))
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
        systems=(own, before, *others),
        examples=[
            Example(
                system=own.name, where="", text=title, gold=_same(titles, groups, at), found=_same(titles, keys, at)
            )
            for at, title in enumerate(titles)
        ],
    )


def _merged(groups: Sequence[object], found: Sequence[object]) -> tuple[Figure, ...]:
    """How well the titles that became one scenario are those of one activity."""
    scores = score_partition("", groups, found)
    return shares(
        {
            "precision": scores.precision,
            "recall": scores.recall,
            "F1": scores.f1,
            "B-cubed precision": scores.b_cubed_precision,
            "B-cubed recall": scores.b_cubed_recall,
            "B-cubed F1": scores.b_cubed_f1,
        }
    )


def _listed(groups: Sequence[str], labels: Sequence[str]) -> tuple[Figure, ...]:
    """Which titles get the label of a listed scenario, of those that mean it."""
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
