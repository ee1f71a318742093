"""Names that corrections add to those of the records: actions, tools, and what changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa

from kgscripts.assembly.engine import ACTION_PARTS
from kgscripts.assembly.step import Step, rows
from kgscripts.assembly.tables.words import action_of, leading_names
from kgscripts.changes.attributes import leading_attribute
from schemas.corrections import NEEDS, Correction, CorrectionKind, change_in

_CHANGE_PARTS = ("entity", "attribute", "before", "after")


def steps(corrections: Sequence[Correction]) -> list[Step]:
    """The tables `added_action_name`, `added_tool_name`, `added_supply_name` and `added_change_name`, whose rows have
    the number of their `correction`."""
    return [
        rows("added_action_name", _content(corrections, ACTION_PARTS, _action)),
        rows("added_tool_name", _content(corrections, ("label",), _tool)),
        rows("added_supply_name", _content(corrections, ("label",), _supply)),
        rows("added_change_name", _content(corrections, _CHANGE_PARTS, _change)),
    ]


def _content(
    corrections: Sequence[Correction],
    columns: Sequence[str],
    name_of: Callable[[Correction, Callable[[str], str]], tuple[str, ...] | None],
) -> Callable[[], pa.Table]:
    def content() -> pa.Table:
        names = leading_names(corrections)
        found = [
            (number, *name)
            for number, item in enumerate(corrections)
            if item.kind is CorrectionKind.ADD and (name := name_of(item, lambda word: names.get(word, word)))
        ]
        kinds = [pa.int32(), *(pa.string() for _ in columns)]
        values: Iterable[Iterable[int | str]] = zip(*found, strict=True) if found else ((),) * len(kinds)
        arrays = [pa.array(column, kind) for column, kind in zip(values, kinds, strict=True)]
        return pa.table(arrays, ["correction", *columns])

    return content


def _action(correction: Correction, _: Callable[[str], str]) -> tuple[str, ...] | None:
    return None if correction.relation else action_of(correction.step).key


def _tool(correction: Correction, thing: Callable[[str], str]) -> tuple[str, ...] | None:
    is_tool = correction.relation == "USES" or (correction.relation == NEEDS and correction.role)
    return (thing(correction.other),) if is_tool else None


def _supply(correction: Correction, thing: Callable[[str], str]) -> tuple[str, ...] | None:
    is_supply = correction.relation == NEEDS and not correction.role
    return (thing(correction.other),) if is_supply else None


def _change(correction: Correction, thing: Callable[[str], str]) -> tuple[str, ...] | None:
    if correction.relation != "CHANGES":
        return None
    attribute, entity, before, after = change_in(correction.other)
    return thing(entity), leading_attribute(attribute), before, after
