"""Which attributes mean the same, found in OpenPI's train split and measured on the clusters of OpenPI 2.0.

``python -m benchmarks.attribute_names TRAIN CLUSTERS.json`` prints precision and recall at several thresholds;
``--write`` also writes the list that the graph uses, `kgscripts/changes/data/attributes.tsv`.

Two attributes mean the same if they take the same values: an attribute is a vector of how often it has each pair of
values before and after, and a rarer one leads to the more frequent one with the largest cosine, if that is at least
`LEAST_COSINE`. OpenPI 2.0 (Zhang et al., 2023) has the attributes of each entity in each step in clusters. A pair of
attributes of one entity in one step is right if they are in one cluster.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from pathlib import Path

from attrs import frozen

from kgscripts.corpora.openpi.reading import read_openpi

LEAST_COSINE = 0.75
LEAST_OFTEN = 8
"""Attributes with fewer changes have too few values to compare."""
LIST = Path(__file__).parents[1] / "kgscripts/changes/data/attributes.tsv"

Values = Counter[tuple[str, str]]
Pair = tuple[str, str]


@frozen
class Pairs:
    """How often two attributes of one entity in one step are in one cluster, and how often in different ones."""

    same: Counter[Pair]
    different: Counter[Pair]


@frozen
class Score:
    """Precision and recall over all pairs of attributes that occur in a step."""

    precision: float
    recall: float


def values_of_attributes(train: Path) -> dict[str, Values]:
    """How often each attribute has each pair of values, of those that are frequent enough."""
    found: dict[str, Values] = defaultdict(Counter)
    for step in read_openpi(train):
        for change in (answer.change for answer in step.answers):
            if change is not None and change.attribute:
                found[_folded(change.attribute)][_folded(change.before), _folded(change.after)] += 1
    return {name: values for name, values in found.items() if values.total() >= LEAST_OFTEN}


def same_names(attributes: Mapping[str, Values], least: float = LEAST_COSINE) -> dict[str, list[str]]:
    """The attributes that lead others, with these; leading ones are more frequent."""
    by_frequency = sorted(attributes, key=lambda name: (-attributes[name].total(), name))
    leading: dict[str, list[str]] = {}
    for name in by_frequency:
        cosines = {other: _cosine(attributes[name], attributes[other]) for other in leading}
        nearest = max(cosines, key=cosines.__getitem__, default=name)
        if cosines.get(nearest, 0.0) >= least:
            leading[nearest].append(name)
        else:
            leading[name] = []
    return {name: sorted(others) for name, others in sorted(leading.items()) if others}


def clustered_pairs(clusters: Path) -> Pairs:
    """The pairs of attributes in OpenPI 2.0."""
    same: Counter[Pair] = Counter()
    different: Counter[Pair] = Counter()
    for procedure in json.loads(clusters.read_text(encoding="utf-8")).values():
        for state in procedure["states"]:
            for answers in state["answers"].values():
                groups = [{_folded(name) for name in each["attribute_annotation"].split("|")} for each in answers]
                same.update(chain.from_iterable(combinations(sorted(group), 2) for group in groups))
                for one, other in combinations(groups, 2):
                    different.update(_pair(a, b) for a in one for b in other if a != b)
    return Pairs(same, different)


def score(names: Mapping[str, Iterable[str]], pairs: Pairs) -> Score:
    """How well these names say which attributes are in one cluster."""
    leading = {other: name for name, others in names.items() for other in others}

    def merged(counts: Counter[Pair]) -> int:
        return sum(number for (a, b), number in counts.items() if leading.get(a, a) == leading.get(b, b))

    right, wrong = merged(pairs.same), merged(pairs.different)
    return Score(right / max(1, right + wrong), right / max(1, pairs.same.total()))


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _cosine(one: Values, other: Values) -> float:
    product = sum(one[value] * other[value] for value in one.keys() & other.keys())
    return product / math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def main() -> None:
    """Print the scores, and write the list if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attribute_names", description=__doc__)
    parser.add_argument("train", type=Path, help="the folder of OpenPI's train split")
    parser.add_argument("clusters", type=Path, help="dev-data-reformatted-v4.json of OpenPI 2.0")
    parser.add_argument("--write", action="store_true", help="write the list that the graph uses")
    arguments = parser.parse_args()
    attributes, pairs = values_of_attributes(arguments.train), clustered_pairs(arguments.clusters)
    print(f"{pairs.same.total()} pairs in one cluster, {pairs.different.total()} in different ones")
    print("cosine  precision  recall  merged names")
    for least in (0.5, 0.6, 0.7, LEAST_COSINE, 0.8, 0.9, 0.95):
        names = same_names(attributes, least)
        figures = score(names, pairs)
        merged = sum(map(len, names.values()))
        print(f"{least:6.2f}  {figures.precision:9.3f}  {figures.recall:6.3f}  {merged:12d}")
    if arguments.write:
        rows = [f"{name}\t{'|'.join(others)}\n" for name, others in same_names(attributes).items()]
        LIST.write_text("attribute\tother names\n" + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
