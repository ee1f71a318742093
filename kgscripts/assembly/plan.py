"""The plan of assembly: steps that make tables of other tables, checked and put in order before anything runs.

A table never changes after the step that made it. The tables that a step uses are found in its SQL; a step in Python
declares them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.step import REMEDY, Step, Tables
from schemas.errors import ConfigurationError

_LOG = logging.getLogger(__name__)


class Plan:
    """Steps in an order in which each comes after the makers of its tables; otherwise the given order is kept.

    `given` are tables that exist before. Every table is dropped after the last step that uses it.

    Raises
    ------
    ConfigurationError
        If a step reads what none makes, two make the same, or steps need each other.
    """

    def __init__(self, steps: Iterable[Step], given: Iterable[str] = ()) -> None:
        listed = tuple(steps)
        self.given = frozenset(given)
        makers = _makers(listed, self.given)
        for step in listed:
            if missing := sorted(step.reads - makers.keys() - self.given):
                raise ConfigurationError(
                    f"the step {step.name!r} reads {missing[0]!r}, which no step makes", remedy=REMEDY
                )
        self.steps: tuple[Step, ...] = tuple(_ordered(listed, makers))
        self._dropped = self._lifetimes()

    def dropped_after(self, step: Step) -> tuple[str, ...]:
        """The tables that no later step uses."""
        return self._dropped[step.name]

    def _lifetimes(self) -> Mapping[str, tuple[str, ...]]:
        """For each step the tables that no later step uses, directly or through a view. Views come before their
        tables."""
        last: dict[str, str] = {}
        order: list[str] = [*sorted(self.given)]
        under: dict[str, frozenset[str]] = {}
        for step in self.steps:
            tables = [name for name in step.makes if "/" not in name]
            order += tables
            reads = step.reads.union(*(under.get(name, frozenset()) for name in step.reads))
            under |= dict.fromkeys(tables, reads if step.is_view else frozenset())
            last |= dict.fromkeys((*reads, *tables), step.name)
        dropped: dict[str, list[str]] = {step.name: [] for step in self.steps}
        for table in reversed(order):
            if table in last:
                dropped[last[table]].append(table)
        return {name: tuple(tables) for name, tables in dropped.items()}

    def run(self, engine: Engine) -> None:
        """Run every step."""
        for number, step in enumerate(self.steps, 1):
            _LOG.debug("step %d of %d: %s", number, len(self.steps), step.name)
            tables = Tables(engine, step)
            start, used = time.perf_counter(), time.process_time()
            step.run(tables)
            seconds, processor = time.perf_counter() - start, time.process_time() - used
            _LOG.debug("step %s: %.2f s, %.2f s of processor time", step.name, seconds, processor)
            for table in (*tables.temporary, *self.dropped_after(step)):
                engine.drop(table)


def _makers(steps: Iterable[Step], given: frozenset[str]) -> dict[str, Step]:
    makers: dict[str, Step] = {}
    names: set[str] = set()
    for step in steps:
        if step.name in names:
            raise ConfigurationError(f"two steps have the name {step.name!r}", remedy=REMEDY)
        names.add(step.name)
        for table in step.makes:
            if table in makers or table in given:
                other = f"the step {makers[table].name!r}" if table in makers else "what the plan is given"
                raise ConfigurationError(f"the step {step.name!r} makes {table!r}, and so does {other}", remedy=REMEDY)
            makers[table] = step
    return makers


def _ordered(steps: Sequence[Step], makers: Mapping[str, Step]) -> Iterator[Step]:
    """The steps, each after the makers of its tables."""
    places = {step.name: place for place, step in enumerate(steps)}
    sorter: TopologicalSorter[int] = TopologicalSorter(
        {places[step.name]: {places[makers[name].name] for name in step.reads if name in makers} for step in steps}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        names = " -> ".join(repr(steps[place].name) for place in reversed(error.args[1]))
        raise ConfigurationError(f"steps of assembly need each other: {names}", remedy=REMEDY) from error
    ready: list[int] = []
    while sorter.is_active():
        ready = sorted((*ready, *sorter.get_ready()))
        yield steps[ready[0]]
        sorter.done(ready.pop(0))
