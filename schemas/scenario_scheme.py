"""The 200 scenarios of Wanzare, Roth and Pinkal (2019) as a concept scheme."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from attrs import frozen


@frozen
class ScenarioConcept:
    """A listed scenario: the label of the literature, alternative labels, and the labels of linked scenarios.

    A broader scenario includes it ("going shopping" of "shopping for clothes"); a related one shares events with it, or
    often occurs in the same text ("checking in at an airport" and "flying in a plane").
    """

    label: str
    alternative_labels: tuple[str, ...]
    broader: tuple[str, ...]
    related: tuple[str, ...]


@cache
def concept_scheme() -> tuple[ScenarioConcept, ...]:
    """The listed scenarios, in the order of the list."""
    table = files("schemas").joinpath("data/scenarios.tsv").read_text("utf-8")
    rows = {}
    for line in table.splitlines()[1:]:
        label, *cells = line.split("\t")
        rows[label] = [tuple(filter(None, cell.split("|"))) for cell in cells]
    # The table has each related pair once.
    related = {label: list(row[2]) for label, row in rows.items()}
    for label, row in rows.items():
        for other in row[2]:
            related[other].append(label)
    return tuple(ScenarioConcept(label, row[0], row[1], tuple(related[label])) for label, row in rows.items())


@cache
def linked_scenarios() -> Mapping[str, frozenset[str]]:
    """The broader, narrower and related scenarios of each listed scenario."""
    linked: dict[str, set[str]] = {concept.label: {*concept.broader, *concept.related} for concept in concept_scheme()}
    for concept in concept_scheme():
        for label in concept.broader:
            linked[label].add(concept.label)
    return {label: frozenset(others) for label, others in linked.items()}
