"""Corrections by people: names of things, links of the clustering, added and rejected steps, and names of steps.

`kgscripts.assembly.tables.corrected_segments` applies corrections of what texts are about,
`kgscripts.assembly.tables.additions` finds what is added, and `kgscripts.assembly.rules.corrected_relations` applies
corrections of relations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import pyarrow as pa

from kgscripts.assembly.engine import ACTION_PARTS, Engine, Rule, arrow_table
from kgscripts.assembly.step import Step, made_by, rows, rules, tables_in, view
from kgscripts.assembly.tables import additions, corrected_segments
from kgscripts.assembly.tables.links import Link, agreeing, holding, leading_of
from kgscripts.assembly.tables.titles import told_key
from kgscripts.assembly.tables.words import RENAMED, THINGS_READ, action_of, leading_names, names_of_things
from kgscripts.changes.attributes import agree, leading_attribute
from kgscripts.records.store import RecordStore
from kgscripts.titles.keys import title_key
from schemas.corrections import NEEDS, OF_SCENARIOS, OF_STEPS, OF_THINGS, Correction, CorrectionKind, change_in

ORDER = "PRECEDES"
"""A rejected order is left out before pairs are ranked."""

_COLUMNS = ("kind", "scenario", "step", "relation", "other", "thing", "name", "role")
_INTEGER = pa.int32()

_SCENARIO_ID = "identifier('scenario', slug(key), part('Scenario') || part(key))"


def _named(table: str, corrections: str, known: str) -> Rule:
    """The actions that the words of corrections name: those with this label, or else those with this predicate,
    particle and object. `corrections` and `known` are the SQL of the corrections and of the actions of scenarios.
    """
    return Rule(
        table,
        f"""
        WITH about AS (
            SELECT c.*, s.scenario AS number
            FROM (SELECT *, scenario_key(scenario) AS key FROM ({corrections})) c
                 JOIN scenario s ON s.id = {_SCENARIO_ID}
        ), wanted AS (
            SELECT correction, 1 AS side, number AS scenario, step AS words FROM about WHERE step <> ''
            UNION ALL
            SELECT correction, 2, number, other FROM about WHERE other <> ''
        ), known AS (
            SELECT DISTINCT scenario, action FROM ({known})
            WHERE scenario IN (SELECT scenario FROM wanted)
        )
        SELECT w.correction, w.side, k.scenario, k.action, a.place
        FROM known k JOIN action a USING (action),
             (VALUES (true, lower(a.label)),
                     (false, lower(concat_ws(' ', a.predicate, nullif(a.particle, ''), nullif(a.object, ''))))
             ) v(exact, words)
             JOIN wanted w ON w.words = v.words AND w.scenario = k.scenario
        QUALIFY v.exact = bool_or(v.exact) OVER (PARTITION BY w.correction, w.side)
        """,
    )


_READ = "SELECT scenario, action FROM occurrence"
ACTIONS = (
    _named("read_corrected_action", "FROM correction WHERE kind = 'add' AND relation = ''", _READ),
    additions.added_action(_SCENARIO_ID),
    _named(
        "corrected_action",
        "FROM correction WHERE scenario <> '' AND kind <> 'about'",
        f"{_READ} UNION ALL SELECT scenario, action FROM added_action",
    ),
)
"""The actions that corrections name, those of texts and those that corrections add."""

STEPS = rules(
    found_corrected_step="""
        SELECT DISTINCT c.correction, c.side, s.step
        FROM corrected_action c JOIN member m USING (scenario, action) JOIN found_step s USING (scenario, cluster)
        """,
    rejected_step="""
        SELECT step FROM step_verdict WHERE latest = 'reject'
        """,
    corrected_step="FROM found_corrected_step c ANTI JOIN rejected_step r USING (step)",
    step="""
        SELECT s.* REPLACE (coalesce(n.name, s.label) AS label)
        FROM named_step s
             LEFT JOIN (SELECT s.step, arg_max(c.name, c.correction) AS name
                        FROM corrected_step s JOIN correction c USING (correction) WHERE c.kind = 'rename'
                        GROUP BY s.step) n ON n.step = s.step
        """,
)
"""The steps that corrections name, and the steps with the names that people give them."""

CORRECTED = (
    # For a rejected step, its scenario.
    """
    SELECT DISTINCT n.id, s.correction
    FROM found_corrected_step s JOIN correction c USING (correction) JOIN rejected_step r ON r.step = s.step
         JOIN found_step t ON t.step = s.step JOIN scenario n ON n.scenario = t.scenario
    WHERE c.kind = 'reject' AND c.relation = ''
    """,
    f"""
    SELECT DISTINCT t.id, s.correction FROM corrected_step s JOIN correction c USING (correction)
         JOIN found_step t ON t.step = s.step
    WHERE c.kind IN ('same step', 'different step', 'rename')
          OR (c.kind = 'reject' AND c.relation = '{ORDER}' AND s.side = 1
              AND s.step IN (SELECT start FROM rejected_order))
    """,
    *(
        f"""
        SELECT n.id, c.correction
        FROM correction c JOIN {name} n ON lower(n.label) IN (lower(thing(c.thing)), lower(thing(c.other)))
        WHERE c.kind IN ('same thing', 'different thing')
        """
        for name in ("tool", "entity")
    ),
    f"""
    SELECT s.id, c.correction FROM (SELECT *, scenario_key(scenario) AS key FROM correction) c
         JOIN scenario s ON s.id = {_SCENARIO_ID}
    WHERE (c.kind = 'rename scenario' AND s.label = c.name)
          OR (c.kind = 'same scenario' AND EXISTS (FROM scenario_title WHERE told_key(name) = told_key(c.other)))
    """,
    f"""
    SELECT s.id, c.correction
    FROM (SELECT correction, scenario_key(UNNEST([scenario, other])) AS key FROM correction
          WHERE kind = 'different scenario') c JOIN scenario s ON s.id = {_SCENARIO_ID}
    """,
    "SELECT d.id, a.correction FROM about_document a JOIN document d USING (document)",
    *additions.CORRECTED,
)
"""SQL: the nodes that corrections change, except by rejected relations and roles."""

_NAMED_THING = Rule("named_thing", f"SELECT name FROM ({THINGS_READ}) SEMI JOIN thing_name USING (name)")
_ACTIONS = "FROM corrected_action ORDER BY correction, side, scenario, place"


def add_functions(engine: Engine, corrections: Sequence[Correction]) -> None:
    """Register the functions of the rules: ``thing(name)``, the name of the group to which a thing belongs,
    ``scenario_key(name)``, the key that all names of one scenario share, `told_key`, ``activity_key(words)``, which is
    the same for a listed scenario and for an action that names it, and `agree`."""
    engine.add_map("thing", leading_names(corrections))
    keys = leading_of(corrections, OF_SCENARIOS, keys_of_scenarios)

    def scenario_key(name: str) -> str:
        key = told_key(name)
        return keys.get(key, key)

    for name, function in (("scenario_key", scenario_key), ("told_key", told_key), ("activity_key", title_key)):
        engine.add_function(name, function, ["VARCHAR"], "VARCHAR")
    engine.add_function("agree", agree, ["VARCHAR", "VARCHAR"], "BOOLEAN")


def keys_of_scenarios(correction: Correction) -> tuple[str, str]:
    """The keys of the two names of a correction that links scenarios."""
    return told_key(correction.scenario), told_key(correction.other or correction.name)


def verdicts(corrections: Sequence[Correction]) -> dict[int, bool]:
    """By number, for each correction that links names of things or of scenarios, whether it holds."""
    of_scenarios = holding(corrections, OF_SCENARIOS, keys_of_scenarios)
    return holding(corrections, OF_THINGS, names_of_things) | of_scenarios


def _given_names(corrections: Sequence[Correction]) -> pa.Table:
    """The names that people give scenarios, by the keys of these."""
    holds = holding(corrections, OF_SCENARIOS, keys_of_scenarios)
    names = {
        keys_of_scenarios(item)[0]: item.name
        for number, item in enumerate(corrections)
        if item.kind is CorrectionKind.RENAME_SCENARIO and holds[number]
    }
    return arrow_table(names.items(), pa.schema([("key", pa.string()), ("label", pa.string())]))


def steps(corrections: Sequence[Correction], store: RecordStore) -> list[Step]:
    """The tables of corrections that hold, numbered from 0, the oldest first.

    Also without any correction, these tables exist: the records with corrected names and segments; `link` (scenario,
    one, other, same: actions that are one step or different ones) for the clustering; `rejected_step`; `step`; and
    those of what is added and of `rejected_order` (`additions.TABLES`). `store` has the names of documents.
    """
    always = [
        *corrected_segments.steps(corrections, store),
        *_names(corrections),
        rows("given_scenario_name", partial(_given_names, corrections)),
        *(view(name, query) for name, query in additions.THINGS.items()),
    ]
    if not corrections:
        return [
            *always,
            *(rows(name, pa.schema(columns).empty_table) for name, columns in additions.TABLES.items()),
            *(view(f"{kind}_record", f"FROM {kind}_as_read") for kind in RENAMED),
            rows("link", partial(_links, ())),
            rows("rejected_step", pa.schema([("step", _INTEGER)]).empty_table),
            view("step", "FROM named_step"),
        ]
    names = leading_names(corrections)
    return [
        *always,
        rows("correction", partial(_table, corrections)),
        rows("thing_name", lambda: pa.table({"name": pa.array(list(names), pa.string())})),
        made_by(_NAMED_THING),
        *(
            view(f"{kind}_record", f"SELECT * REPLACE ({columns}) FROM {kind}_as_read")
            for kind, columns in RENAMED.items()
        ),
        *(made_by(rule) for rule in ACTIONS),
        Step("link", ("link", "link_verdict"), tables_in(_ACTIONS), partial(_decide, corrections)),
        *(made_by(rule) for rule in (*STEPS, additions.named_needs(_SCENARIO_ID), *additions.RULES)),
    ]


def _table(corrections: Sequence[Correction]) -> pa.Table:
    columns = {name: pa.array([str(getattr(item, name)) for item in corrections], pa.string()) for name in _COLUMNS}
    return pa.table({"correction": pa.array(range(len(corrections)), _INTEGER), **columns})


def _links(links: Iterable[tuple[int, Link]]) -> pa.Table:
    """The table of links, each with its scenario."""
    values = [(scenario, link.one, link.other, link.same) for scenario, link in links]
    numbers = ((name, _INTEGER) for name in ("scenario", "one", "other"))
    return arrow_table(values, pa.schema([*numbers, ("same", pa.bool_())]))


def _decide(corrections: Sequence[Correction], tables: Engine) -> None:
    """Make `link`, whose rows do not contradict each other: of contradicting corrections the latest wins.

    `link_verdict` holds, for each correction of links between actions of the texts, whether its links are applied.
    """
    sides: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    of_scenario: dict[int, list[int]] = defaultdict(list)
    for row in tables.table(_ACTIONS).to_pylist():
        number = row["correction"]
        if corrections[number].kind in OF_STEPS:
            sides[number][row["side"]].append(row["action"])
            if number not in of_scenario[row["scenario"]]:
                of_scenario[row["scenario"]].append(number)
    applied: list[tuple[int, Link]] = []
    verdicts: dict[int, bool] = {}
    for scenario, numbers in sorted(of_scenario.items()):
        latest_first = sorted(numbers, reverse=True)
        links = [
            [
                Link(one, other, OF_STEPS[corrections[number].kind])
                for one in sides[number][1]
                for other in sides[number][2]
            ]
            for number in latest_first
        ]
        for number, group, agrees in zip(latest_first, links, agreeing(links), strict=True):
            if group or not agrees:
                verdicts[number] = agrees
            applied += ((scenario, link) for link in group if agrees)
    tables.add("link", _links(applied))
    schema = pa.schema([("correction", _INTEGER), ("holds", pa.bool_())])
    tables.add("link_verdict", arrow_table(verdicts.items(), schema))


_CHANGE_PARTS = ("entity", "attribute", "before", "after")


def _names(corrections: Sequence[Correction]) -> list[Step]:
    """Names that corrections add to those of the records: actions, tools, and what changes.

    The tables `added_action_name`, `added_tool_name`, `added_supply_name` and `added_change_name`, whose rows have the
    number of their `correction`.
    """
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
        named = [
            (number, *name)
            for number, item in enumerate(corrections)
            if item.kind is CorrectionKind.ADD and (name := name_of(item, lambda word: names.get(word, word)))
        ]
        return arrow_table(named, pa.schema([("correction", _INTEGER), *((name, pa.string()) for name in columns)]))

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
