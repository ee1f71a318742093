"""Steps of assembly and their plan: each step declares the tables that it reads and makes.

The plan puts the steps in order and checks them before anything runs. The tables that a step reads are found in its
SQL, so that none is left out.
"""

from __future__ import annotations

import heapq
import json
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

import duckdb
import pyarrow as pa
from attrs import field, frozen

from kgscripts.assembly.engine import DocumentRule, Engine, Rule
from schemas.errors import ConfigurationError

REMEDY = "repair or uninstall the package that brings it"


@cache
def tables_in(query: str) -> frozenset[str]:
    """The tables that a query reads.

    Raises
    ------
    ConfigurationError
        If it does not parse, or changes anything.
    """
    where = query.strip()
    ((text,),) = duckdb.cursor().execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchall()
    parsed = json.loads(text)
    if parsed["error"] and parsed["error_type"] != "not implemented":
        raise ConfigurationError(f"a rule is no query ({parsed['error_message']})", where=where, remedy=REMEDY)
    if parsed["error"] or len(parsed["statements"]) != 1:
        raise ConfigurationError("a rule does more than read", where=where, remedy="give one SELECT")
    nodes = list(_nodes(parsed["statements"]))
    defined = {item["key"].lower() for node in nodes for item in node.get("cte_map", {}).get("map", ())}
    return frozenset(node["table_name"].lower() for node in nodes if node.get("type") == "BASE_TABLE") - defined


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    """All JSON objects inside a value."""
    if isinstance(value, dict):
        yield value
        value = value.values()
    elif not isinstance(value, list):
        return
    for inner in value:
        yield from _nodes(inner)


def _names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


@frozen
class Step:
    """One step: it `reads` tables and `makes` others, or files of the graph, whose names have a slash.

    `run` is called with the engine, which keeps the tables that the step reads until then. A `view` is computed again
    at each use, so that the tables that it uses are kept as long as the view.
    """

    name: str
    makes: tuple[str, ...]
    reads: frozenset[str] = field(converter=_names)
    run: Callable[[Engine], None] = field(eq=False, repr=False)
    is_view: bool = False


def rules(**queries: str) -> tuple[Rule, ...]:
    """The rules of tables, by their queries."""
    return tuple(Rule(table, query) for table, query in queries.items())


def document_rules(temporary: Collection[str] = (), /, **queries: str) -> tuple[DocumentRule, ...]:
    """The rules of tables that are split by documents, by their queries; some of the tables are `temporary`."""
    return tuple(DocumentRule(table, query, table in temporary) for table, query in queries.items())


def made_by(*rules: Rule, name: str = "") -> Step:
    """The step of rules, which are split by documents all or not at all."""
    made = {rule.table for rule in rules}
    return Step(
        name=name or rules[0].table,
        makes=tuple(rule.table for rule in rules if not (isinstance(rule, DocumentRule) and rule.temporary)),
        reads=frozenset[str]().union(*(tables_in(rule.query) for rule in rules)) - made,
        run=lambda tables: tables.run(*rules),
    )


def view(name: str, query: str) -> Step:
    """The step that makes a view."""
    return Step(name, (name,), tables_in(query), lambda tables: tables.view(name, query), is_view=True)


def rows(name: str, content: Callable[[], pa.Table]) -> Step:
    """The step that makes a table of rows that come from Python."""
    return Step(name, (name,), frozenset(), lambda tables: tables.add(name, content()))


_LOG = logging.getLogger(__name__)


class AssemblyPlan:
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
            # A view is computed where it is read: whoever reads it reads the tables under it.
            reads = step.reads.union(*(under.get(name, frozenset()) for name in step.reads))
            under |= dict.fromkeys(tables, reads if step.is_view else frozenset())
            # Its own tables, too: one that nothing reads is dropped at once.
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
            start = time.perf_counter()
            step.run(engine)
            _LOG.debug("step %s: %.2f s", step.name, time.perf_counter() - start)
            engine.drop_temporary()
            for table in self.dropped_after(step):
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
        yield from (steps[place] for place in in_order(sorter, range(len(steps))))
    except CycleError as error:
        # The error has each before the next; here, each reads what the next makes.
        names = " -> ".join(repr(steps[place].name) for place in reversed(error.args[1]))
        raise ConfigurationError(f"steps of assembly need each other: {names}", remedy=REMEDY) from error


def in_order(sorter: TopologicalSorter[int], keys: Sequence[Any]) -> Iterator[int]:
    """The nodes of a graph, each after those before it, otherwise by their keys. Raises CycleError."""
    sorter.prepare()
    ready: list[tuple[Any, int]] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heapq.heappush(ready, (keys[node], node))
        _, node = heapq.heappop(ready)
        yield node
        sorter.done(node)
