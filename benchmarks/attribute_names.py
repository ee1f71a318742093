"""How the vocabulary of attributes fits the clusters of OpenPI 2.0 (Zhang et al., 2023).

``python -m benchmarks.attribute_names CLUSTERS.json`` prints the figures. OpenPI 2.0 has the attributes of each entity
in each step in clusters. A pair of attributes of one entity in one step that the vocabulary takes for one is right if
they are in one cluster.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from pathlib import Path

from attrs import frozen

from kgscripts.changes.attributes import attribute_names, attributes, leading_attribute

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


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def names_in_clusters(clusters: Path) -> Counter[str]:
    """How often each name of an attribute is in a cluster."""
    return Counter(
        _folded(name)
        for procedure in json.loads(clusters.read_text(encoding="utf-8")).values()
        for entity in procedure["clusters"].values()
        for names in entity["attribute_cluster"].values()
        for name in names
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attribute_names", description=__doc__)
    parser.add_argument("clusters", type=Path, help="dev-data-reformatted-v4.json of OpenPI 2.0")
    clusters = parser.parse_args().clusters
    pairs, names = clustered_pairs(clusters), names_in_clusters(clusters)
    figures = score(attribute_names(), pairs)
    known = Counter({name: count for name, count in names.items() if leading_attribute(name) in attributes()})
    print(f"{len(attributes())} attributes, {sum(map(len, attribute_names().values()))} other names")
    print(f"{pairs.same.total()} pairs in one cluster, {pairs.different.total()} in different ones")
    print(f"precision {figures.precision:.3f}, recall {figures.recall:.3f}")
    print(f"names in clusters that the vocabulary has: {known.total()} of {names.total()},")
    print(f"  {len(known)} of {len(names)} different ones")


if __name__ == "__main__":
    main()
