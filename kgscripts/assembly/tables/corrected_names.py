"""Corrections of names: the records that name things, and the name of each group of things."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.corrections import Correction, CorrectionKind

THINGS_READ = """
    SELECT DISTINCT lower(name) AS name FROM (
        SELECT UNNEST(participants).lemma AS name FROM event_mention_as_read
        UNION ALL SELECT UNNEST(tools).lemma FROM event_mention_as_read
        UNION ALL SELECT UNNEST(step.tools).lemma FROM (SELECT UNNEST(steps) AS step FROM decomposition_as_read)
        UNION ALL SELECT lemma FROM need_as_read
        UNION ALL SELECT entity FROM state_change_as_read
    )
"""


def _named(values: str) -> str:
    return f"list_transform({values}, lambda item: struct_update(item, lemma := thing(item.lemma)))"


RENAMED = {
    "event_mention": f"{_named('participants')} AS participants, {_named('tools')} AS tools",
    "decomposition": (
        f"list_transform(steps, lambda step: struct_update(step, tools := {_named('step.tools')})) AS steps"
    ),
    "need": "thing(lemma) AS lemma",
    "state_change": "thing(entity) AS entity",
}
"""The kinds of records that name things, and their columns with the names."""


def leading_names(corrections: Iterable[Correction]) -> dict[str, str]:
    """The name of every thing that a correction joins with another: that of the latest correction. The oldest come
    first."""
    groups: dict[str, set[str]] = {}
    leading: dict[str, str] = {}
    for correction in corrections:
        if correction.kind is not CorrectionKind.SAME_THING:
            continue
        group = {correction.thing, correction.other}
        for name in (correction.thing, correction.other):
            group |= groups.get(name, set())
        for name in group:
            groups[name] = group
            leading[name] = correction.thing
    return leading
