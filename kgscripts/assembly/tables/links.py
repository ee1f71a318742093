"""Links between two actions or names, given by people: both must be one (must-link) or must not (cannot-link).

Wagstaff et al., 2001, Constrained K-means Clustering with Background Knowledge, section 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from schemas.corrections import Correction, CorrectionKind


@frozen
class Link:
    """Two actions, numbered by the caller, that are the `same` step or different ones."""

    one: int
    other: int
    same: bool


class _Sets:
    """Disjoint sets of integers; the smallest member identifies a set."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def find(self, item: int) -> int:
        root = item
        while (parent := self._parents.get(root, root)) != root:
            root = parent
        while item != root:
            self._parents[item], item = root, self._parents.get(item, item)
        return root

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self.find(one), self.find(other)))
        self._parents[second] = first


def agreeing(corrections: Iterable[Sequence[Link]]) -> list[bool]:
    """For each correction, whether its links agree with those accepted before. Pass corrections that take precedence
    first."""
    sets = _Sets()
    apart: set[tuple[int, int]] = set()
    verdicts = []
    for links in corrections:
        tried, tried_apart = _Sets(), set(apart)
        tried._parents = dict(sets._parents)
        for link in links:
            if link.same:
                tried.join(link.one, link.other)
            else:
                tried_apart.add((link.one, link.other))
        agrees = all(tried.find(one) != tried.find(other) for one, other in tried_apart)
        if agrees:
            sets, apart = tried, tried_apart
        verdicts.append(agrees)
    return verdicts


def holding(
    corrections: Sequence[Correction],
    kinds: Mapping[CorrectionKind, bool],
    names_of: Callable[[Correction], tuple[str, str]],
) -> dict[int, bool]:
    """By number, for each correction that links two names, whether it agrees with all later ones.

    The oldest corrections come first. `kinds` say whether the two names of a correction mean the same.
    """
    numbers: dict[str, int] = {}
    latest_first = [number for number, item in enumerate(corrections) if item.kind in kinds][::-1]
    links = []
    for number in latest_first:
        one, other = (numbers.setdefault(name, len(numbers)) for name in names_of(corrections[number]))
        links.append([Link(one, other, kinds[corrections[number].kind])])
    return dict(zip(latest_first, agreeing(links), strict=True))


def leading_of(
    corrections: Sequence[Correction],
    kinds: Mapping[CorrectionKind, bool],
    names_of: Callable[[Correction], tuple[str, str]],
) -> dict[str, str]:
    """For every name that a correction joins with another the one that counts: the first name of the latest correction.

    The arguments are those of `holding`; corrections that later ones contradict join nothing.
    """
    groups: dict[str, set[str]] = {}
    leading: dict[str, str] = {}
    for number, holds in sorted(holding(corrections, kinds, names_of).items()):
        if holds and kinds[corrections[number].kind]:
            one, other = names_of(corrections[number])
            group = groups.get(one, {one}) | groups.get(other, {other})
            groups |= dict.fromkeys(group, group)
            leading |= dict.fromkeys(group, one)
    return leading


def linked_clusters(clusters: Sequence[int], links: Iterable[Link]) -> list[int]:
    """The clusters of a model, changed so that they keep the links. Links must not contradict each other; they are
    indices of `clusters`.

    Clusters with a must-link between them are joined. A cluster with a cannot-link is split: the second action leaves
    it together with the actions that are must-linked to it; all others stay.
    """
    links = list(links)
    units, joined = _Sets(), _Sets()
    for link in links:
        if link.same:
            units.join(link.one, link.other)
            joined.join(clusters[link.one], clusters[link.other])
    apart: dict[int, set[int]] = defaultdict(set)
    for link in links:
        if not link.same:
            one, other = units.find(link.one), units.find(link.other)
            if joined.find(clusters[link.one]) == joined.find(clusters[link.other]):
                apart[one].add(other)
                apart[other].add(one)
    parts: dict[int, list[set[int]]] = defaultdict(list)
    """The units of each joined cluster that is split; no unit is in two parts."""
    part_of: dict[int, int] = {}
    home: dict[int, int] = {}
    """The part in which the rest of a cluster of the model stays."""
    for place, cluster in enumerate(clusters):
        unit = units.find(place)
        if unit in apart:
            if unit not in part_of:
                of_cluster = parts[joined.find(cluster)]
                fitting = (number for number, part in enumerate(of_cluster) if not part & apart[unit])
                part_of[unit] = number = next(fitting, len(of_cluster))
                if number == len(of_cluster):
                    of_cluster.append(set())
                of_cluster[number].add(unit)
            home.setdefault(cluster, part_of[unit])
    numbers: dict[tuple[int, int], int] = {}
    result = []
    for place, cluster in enumerate(clusters):
        unit = units.find(place)
        part = part_of[unit] if unit in part_of else home.get(clusters[unit], 0)
        result.append(numbers.setdefault((joined.find(cluster), part), len(numbers)))
    return result
