"""What could be needed: the things of lists, and which participants of steps are tools or supplies.

A supply is a thing that is used up and comes from outside: a food, a drink, a substance or a material, but no product of
the scenario, no waste, and nothing that a step of it makes (``data/no_supplies.txt``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import pyarrow as pa

from kgscripts.assembly.counting import confidence_of
from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import Step, Tables, made_by, tables_in
from kgscripts.text.lexicon import foods, is_a, is_tool, parse_classes

_CREATING = ("make", "create", "build", "bake", "brew", "write", "knit", "sew", "draw", "print", "form", "produce")
_MAKING_TITLES = ("baking", "building", "brewing", "making", "knitting", "writing")

NEEDED = Rule(
    "needed",
    "",
    """
    SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS needed, *
    FROM (SELECT id, label, tool, NULL::INTEGER AS entity FROM tool
          UNION ALL SELECT id, label, NULL, entity FROM entity)
    """,
)
"""Tools and entities, numbered by ascending id: the ends of NEEDS."""


def listed(readers: Sequence[int]) -> Rule:
    """The things that lists of the documents name, in the scenarios in whose segments they stand."""
    return Rule(
        "listed_need",
        "document",
        f"""
        SELECT DISTINCT n.document, coalesce(s.scenario, 0) AS scenario, k.needed, k.tool, k.entity, n.start, n."end",
               n.role, n.amount{confidence_of(readers, "n", "1.0")}
        FROM need_record n JOIN needed k ON k.label = n.lemma AND (n.kind = 'tool') = (k.tool IS NOT NULL)
             LEFT JOIN segment s ON s.document = n.document AND n.start >= s.start AND n.start < s."end"
        WHERE in_partition(n.document)
        """,
    )


AMOUNTS = (
    Rule(
        "need_amount_part",
        "document",
        """
        SELECT scenario, needed, amount, count(DISTINCT document) AS support FROM listed_need
        WHERE amount <> '' AND in_partition(document) GROUP BY scenario, needed, amount
        """,
    ),
    Rule(
        "need_amount",
        "scenario",
        """
        SELECT scenario, needed, arg_min(amount, row(-support, amount)) AS amount
        FROM (SELECT scenario, needed, amount, sum(support)::BIGINT AS support FROM need_amount_part
              WHERE mine(scenario) GROUP BY scenario, needed, amount)
        GROUP BY scenario, needed
        """,
    ),
)
"""The amount of each thing that most sources write; of several, the first in the alphabet."""

_THINGS = "SELECT entity, label FROM entity"

MADE = Rule(
    "made_thing",
    "",
    f"""
    SELECT DISTINCT r.scenario, e.entity
    FROM realization r JOIN action a USING (action) JOIN participant p USING (mention) JOIN entity e USING (entity)
    WHERE r.scenario > 0 AND p.role = 'patient' AND e.label = a.object
          AND a.predicate IN ({", ".join(f"'{verb}'" for verb in _CREATING)})
    UNION
    SELECT s.scenario, e.entity
    FROM scenario s JOIN entity e
         ON regexp_matches(s.label, '^({"|".join(_MAKING_TITLES)}) ')
         AND (ends_with(s.label, ' ' || e.label) OR contains(s.label, ' ' || e.label || ' '))
    """,
)
"""What a step of a scenario makes, and what its name says it makes."""


def steps(readers: Sequence[int]) -> list[Step]:
    """The tables `needed`, `listed_need`, `need_amount`, `made_thing` and `needed_participant`."""
    return [
        made_by(NEEDED),
        made_by(listed(readers)),
        *(made_by(rule) for rule in AMOUNTS),
        made_by(MADE),
        Step("thing_class", ("thing_class",), tables_in(_THINGS), _classes),
    ]


def _classes(tables: Tables) -> None:
    """Make `thing_class`: the entities that a step can use as a tool, or use up as a supply."""
    rows = tables.table(_THINGS)
    found = [
        (entity, kind)
        for entity, label in zip(rows["entity"].to_pylist(), rows["label"].to_pylist(), strict=True)
        if (kind := thing_class(label))
    ]
    columns = (pa.array([entity for entity, _ in found], pa.int32()), pa.array([kind for _, kind in found], pa.string()))
    tables.add("thing_class", pa.table(columns, ["entity", "kind"]))


def thing_class(noun: str) -> str:
    """``tool`` or ``supply``, "" for a thing that nobody has to have before an activity."""
    if is_tool(noun):
        return "tool"
    head = noun.rsplit(" ", 1)[-1]
    if noun in _no_supplies() or (head in _no_supplies() and noun not in foods("food")):
        return ""
    is_food = noun in foods("food") or head in foods("food")
    return "supply" if is_a(noun, "consumable") or is_food else ""


@cache
def _no_supplies() -> frozenset[str]:
    text = (resources.files("kgscripts.assembly") / "data" / "no_supplies.txt").read_text(encoding="utf-8")
    return frozenset().union(*parse_classes(text, "no_supplies.txt").values())
