"""Corrections by people: names of things first, links of the clustering and rejected steps next, the rest last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from attrs import define, field

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Engine
from kgscripts.assembly.rules.corrected_relations import give_names, give_roles, reject
from kgscripts.assembly.tables.corrected_names import RENAMED, THINGS_READ, leading_names
from kgscripts.assembly.tables.links import Link, agreeing
from kgscripts.assembly.writing.discards import DiscardLog
from kgscripts.assembly.writing.evidence import as_batches
from schemas.corrections import Correction, CorrectionKind
from schemas.graph_writer import ScriptGraphWriter
from schemas.records import Discard, DiscardReason
from schemas.vocabulary import node_id

_OF_LINKS = (CorrectionKind.SAME_STEP, CorrectionKind.DIFFERENT_STEP)
_ORDER = "PRECEDES"
_COLUMNS = ("kind", "scenario", "step", "relation", "other", "thing", "name", "role")

_SCENARIO_ID = "identifier('scenario', slug(key), part('Scenario') || part(key))"

_ACTIONS = f"""
    INSERT INTO corrected_action
    WITH about AS (
        SELECT c.*, s.scenario AS number
        FROM (SELECT *, scenario_key(scenario) AS key FROM correction WHERE scenario <> '') c
             JOIN scenario s ON s.id = {_SCENARIO_ID}
    ), wanted AS (
        SELECT correction, 1 AS side, number AS scenario, step AS words FROM about WHERE step <> ''
        UNION ALL
        SELECT correction, 2, number, other FROM about WHERE other <> ''
    ), known AS (
        SELECT DISTINCT scenario, action FROM occurrence
        WHERE scenario IN (SELECT scenario FROM wanted)
    )
    SELECT w.correction, w.side, k.scenario, k.action
    FROM known k JOIN action a USING (action),
         (VALUES (true, lower(a.label)),
                 (false, lower(concat_ws(' ', a.predicate, nullif(a.particle, ''), nullif(a.object, ''))))
         ) v(exact, words)
         JOIN wanted w ON w.words = v.words AND w.scenario = k.scenario
    QUALIFY v.exact = bool_or(v.exact) OVER (PARTITION BY w.correction, w.side)
    ORDER BY w.correction, w.side, k.scenario, a.place
"""
"""Words mean the actions with this label, or, where there is none, those with this predicate, particle and object."""

_STEPS = """
    CREATE OR REPLACE TABLE corrected_step AS
    SELECT DISTINCT c.correction, c.side, s.step
    FROM corrected_action c
         JOIN (SELECT DISTINCT scenario, action, step FROM realization
               WHERE scenario IN (SELECT scenario FROM corrected_action)) s USING (scenario, action)
"""

_REJECTED_STEP = """
    SELECT s.step FROM corrected_step s JOIN correction c USING (correction)
    WHERE c.kind = 'reject' AND c.relation = '' AND s.side = 1
"""


@define
class CorrectionRules:
    """Applies the corrections that count, the oldest first, to the tables of one assembly.

    The tables `link` (scenario, one, other, same: actions that are one step or different ones), which clustering reads,
    and `rejected_order` (start, end: steps), which order reads, are there without any correction too.
    """

    engine: Engine
    corrections: Sequence[Correction]
    _problems: dict[int, DiscardReason] = field(factory=dict, init=False)
    """Of each correction that corrects nothing, why."""
    _renamed: set[int] = field(factory=set, init=False)
    """Corrections of things that some text names."""
    _linked: set[int] = field(factory=set, init=False)

    def rename_things(self) -> None:
        """Give things their names, before names are collected: the records have them from then on.

        The name of a group of things that are the same is that of its latest correction.
        """
        columns = {name: pa.array([str(getattr(item, name)) for item in self.corrections]) for name in _COLUMNS}
        numbers = pa.array(range(len(self.corrections)), pa.int32())
        strings = {name: values.cast(pa.string()) for name, values in columns.items()}
        self.engine.add("correction", pa.table({"correction": numbers, **strings}))
        names = leading_names(item for item in self.corrections if item.kind is CorrectionKind.SAME_THING)
        if not names:
            self.engine.execute("CREATE MACRO thing(name) AS name")
            return
        self.engine.add("thing_name", pa.table({"name": list(names), "thing": list(names.values())}))
        self.engine.execute("SET VARIABLE things = (SELECT map(list(name), list(thing)) FROM thing_name)")
        self.engine.execute(
            "CREATE MACRO thing(name) AS coalesce(map_extract_value(getvariable('things'), lower(name)), name)"
        )
        read = set(self.engine.values(THINGS_READ))
        for number, item in enumerate(self.corrections):
            if item.kind is CorrectionKind.SAME_THING and any(
                name in read and names[name] != name for name in (item.thing, item.other)
            ):
                self._renamed.add(number)
        for view, replaced in RENAMED:
            self.engine.execute(f"ALTER VIEW {view} RENAME TO {view}_as_read")
            self.engine.execute(f"CREATE VIEW {view} AS SELECT * REPLACE ({replaced}) FROM {view}_as_read")

    def find_links(self) -> None:
        """Make `link`, whose rows agree: of corrections that contradict each other the latest wins."""
        self.engine.execute(
            "CREATE TABLE corrected_action (correction INTEGER, side INTEGER, scenario INTEGER, action INTEGER)"
        )
        if self.corrections:
            self.engine.execute(_ACTIONS)
        rows = self.engine.table("FROM corrected_action").to_pylist()
        sides: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        of_scenario: dict[int, list[int]] = defaultdict(list)
        for row in rows:
            number = row["correction"]
            if self.corrections[number].kind in _OF_LINKS:
                sides[number][row["side"]].append(row["action"])
                if number not in of_scenario[row["scenario"]]:
                    of_scenario[row["scenario"]].append(number)
        found: dict[str, list[object]] = {"scenario": [], "one": [], "other": [], "same": []}
        for scenario, numbers in sorted(of_scenario.items()):
            latest_first = sorted(numbers, reverse=True)
            links = [
                [
                    Link(one, other, self.corrections[number].kind is CorrectionKind.SAME_STEP)
                    for one in sides[number][1]
                    for other in sides[number][2]
                ]
                for number in latest_first
            ]
            for number, group, agrees in zip(latest_first, links, agreeing(links), strict=True):
                if not agrees:
                    self._problems[number] = DiscardReason.CONTRADICTED_CORRECTION
                elif group:
                    self._linked.add(number)
                for link in group if agrees else ():
                    for name, value in zip(found, (scenario, link.one, link.other, link.same), strict=True):
                        found[name].append(value)
        types = (pa.int32(), pa.int32(), pa.int32(), pa.bool_())
        columns = {name: pa.array(found[name], kind) for name, kind in zip(found, types, strict=True)}
        self.engine.add("link", pa.table(columns))

    def reject_steps(self) -> None:
        """Take rejected steps, with their mentions, out of `step` and `realization`; make `rejected_order`."""
        engine = self.engine
        engine.execute("CREATE TABLE corrected (id VARCHAR, correction INTEGER)")
        engine.execute('CREATE TABLE rejected_order (start INTEGER, "end" INTEGER)')
        if not self.corrections:
            return
        engine.execute(_STEPS)
        engine.execute(
            f"""
            INSERT INTO corrected
            SELECT DISTINCT n.id, s.correction
            FROM corrected_step s JOIN correction c USING (correction) JOIN step t ON t.step = s.step
                 JOIN scenario n ON n.scenario = t.scenario
            WHERE c.kind = 'reject' AND c.relation = '' AND s.step IN ({_REJECTED_STEP})
            """
        )
        engine.execute(f"CREATE TABLE rejected_step AS SELECT DISTINCT step FROM ({_REJECTED_STEP})")
        for table in ("realization", "step", "corrected_step"):
            engine.execute(f"DELETE FROM {table} WHERE step IN (SELECT step FROM rejected_step)")
        engine.execute(
            f"""
            INSERT INTO rejected_order
            SELECT a.step, b.step FROM corrected_step a JOIN corrected_step b USING (correction)
                 JOIN correction c USING (correction)
            WHERE a.side = 1 AND b.side = 2 AND c.kind = 'reject' AND c.relation = '{_ORDER}'
            """
        )
        engine.execute(
            f"""
            INSERT INTO corrected
            SELECT DISTINCT t.id, s.correction FROM corrected_step s JOIN correction c USING (correction)
                 JOIN step t ON t.step = s.step
            WHERE c.kind IN ('same step', 'different step', 'rename') OR (c.relation = '{_ORDER}' AND s.side = 1
                  AND s.step IN (SELECT start FROM rejected_order))
            """
        )

    def finish(self, relations: Iterable[Relation]) -> None:
        """Reject relations, give tools their roles and steps their names, in the tables that are written next."""
        if not self.corrections:
            return
        rejected = {item.relation for item in self.corrections} - {_ORDER}
        for relation in relations:
            if relation.name in rejected:
                reject(self.engine, relation)
        give_roles(self.engine)
        give_names(self.engine)

    def write(self, writer: ScriptGraphWriter, log: DiscardLog) -> None:
        """Write Correction and CORRECTED_BY; log what was rejected, and corrections of nothing."""
        kept = """
            SELECT n.id, c.correction FROM corrected c JOIN (
                SELECT id FROM scenario
                UNION ALL SELECT s.id FROM step s JOIN step_total t ON t.key = s.step WHERE support >= least_support()
                UNION ALL SELECT s.id FROM tool s JOIN tool_total t ON t.key = s.tool WHERE support >= least_support()
                UNION ALL
                SELECT s.id FROM entity s JOIN entity_total t ON t.key = s.entity WHERE support >= least_support()
            ) n USING (id)
        """
        rows = self.engine.table(kept).to_pylist() if self.corrections else []
        corrected: dict[int, list[str]] = defaultdict(list)
        for row in rows:
            if not self._is_void(row["correction"]):
                corrected[row["correction"]].append(row["id"])
        nodes: list[dict[str, Any]] = []
        ends: set[tuple[str, str]] = set()
        for number, item in enumerate(self.corrections):
            identifier = node_id("Correction", item.label, *item.key)
            ends |= {(node, identifier) for node in corrected.get(number, ())}
            nodes.append(
                {"id": identifier, "label": item.label, "kind": item.kind.value, "author": item.author}
                | {"time": item.time, "applied": number in corrected, "content": item.to_json()}
            )
            if number not in corrected:
                reason = self._problems.get(number, DiscardReason.UNMATCHED_CORRECTION)
            elif item.kind is CorrectionKind.REJECT:
                reason = DiscardReason.REJECTED
            else:
                continue
            log.add(Discard(reason=reason, where=item.scenario or item.thing, detail=item.label))
        nodes.sort(key=lambda node: node["id"])
        writer.write("Correction", as_batches("Correction", {name: [node[name] for node in nodes] for name in _NODE}))
        sides = {"from_id": [start for start, _ in sorted(ends)], "to_id": [end for _, end in sorted(ends)]}
        writer.write("CORRECTED_BY", as_batches("CORRECTED_BY", sides))

    def _is_void(self, number: int) -> bool:
        """Whether a correction that names something in the graph says nothing about it."""
        kind = self.corrections[number].kind
        return (kind in _OF_LINKS and number not in self._linked) or (
            kind is CorrectionKind.SAME_THING and number not in self._renamed
        )


_NODE = ("id", "label", "kind", "author", "time", "applied", "content")
