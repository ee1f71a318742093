"""Whether titles of how-tos that mean the same activity are one scenario (``data/scenario_titles.*.tsv``)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources

import numpy as np
from attrs import frozen
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from kgscripts.corpora.scenarios.labels import is_listed, resolve, resolve_title
from kgscripts.evaluation.partitions import PartitionScores, score_partition
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.titles.keys import title_key
from kgscripts.titles.plain import plain_title

SPLITS = ("development", "test")

LEAST_COSINE = 0.84
LEAST_OF_SAME_VERB = 0.78
"""Mean cosines from which on titles are one; chosen on the development titles, for a precision of 0.95 at least."""

_OTHER_VERB = 2.0


@frozen
class ListedScores:
    """Which titles get the label of a listed scenario."""

    rule: str
    meant: int
    """Titles that mean a listed scenario."""
    given: int
    """Titles that get the label of one."""
    right: int
    """Titles that get the label of the one that they mean."""


@frozen
class TitleReport:
    """The scores of one split, by the rule of a build and by rules to compare it with."""

    split: str
    titles: int
    groups: int
    merged: tuple[PartitionScores, ...]
    listed: tuple[ListedScores, ...]


def gold_titles(split: str) -> list[tuple[str, str]]:
    """The titles of a split, each with the name of its group."""
    file = resources.files("kgscripts.evaluation") / "data" / f"scenario_titles.{split}.tsv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row["title"], row["group"]) for row in rows]


def evaluate_titles(split: str) -> TitleReport:
    """Score the rule of a build, labels without it, and MiniLM's vectors. Raises ModelError if MiniLM is not found."""
    titles, groups = map(list, zip(*gold_titles(split), strict=True))
    keys = [title_key(title) for title in titles]
    rules: dict[str, Sequence[object]] = {
        "same label but for how to and determiners": [resolve(title) for title in titles],
        "same verb and object (in a build)": keys,
        f"cosine of MiniLM >= {LEAST_COSINE}": _by_vectors(titles, LEAST_COSINE),
        f"same verb, cosine >= {LEAST_OF_SAME_VERB}": _by_vectors(titles, LEAST_OF_SAME_VERB, keys),
    }
    listed = (
        _listed("label or alternative label", groups, [resolve(title) for title in titles]),
        _listed("same verb and object (in a build)", groups, [resolve_title(title) for title in titles]),
    )
    merged = tuple(score_partition(rule, groups, found) for rule, found in rules.items())
    return TitleReport(split, len(titles), len(set(groups)), merged, listed)


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


def _listed(rule: str, groups: Sequence[str], labels: Sequence[str]) -> ListedScores:
    given = [(group, label) for group, label in zip(groups, labels, strict=True) if is_listed(label)]
    right = sum(group == label for group, label in given)
    return ListedScores(rule, sum(map(is_listed, groups)), len(given), right)
