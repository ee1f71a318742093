"""What scenarios need: the things of lists, and the tools and supplies of usual steps.

A tool is a durable thing that is used and not used up; a supply is used up and comes from outside: a food, a drink, a
substance or a material, but no product of the scenario, no waste, and nothing that a step of it makes. The words are
those of the lexicon and of ``data/needs.txt``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from kgscripts.assembly.counting import confidence_of, reader_columns
from kgscripts.assembly.engine import DocumentRule, Engine, Rule, arrow_table
from kgscripts.assembly.step import Step, document_rules, made_by, rules, tables_in
from kgscripts.text.lexicon import foods, is_a, is_tool, verbs, word_classes, word_list

_AFTER = word_list("words behind a product")


def product_names(label: str) -> set[str]:
    """What the name of a scenario says it makes, in singular and as it is: "bread" for "banana bread", nothing for
    "washing a car"."""
    words = label.lower().replace("(", " ( ").split()
    end = next((place for place, word in enumerate(words) if place and (word in _AFTER or word == "(")), len(words))
    first, *rest = words[:end] or [""]
    if first.endswith("ing") and rest:
        if first not in {f"{verb.removesuffix('e')}ing" for verb in class_of("making")}:
            return set()
    else:
        rest = [first, *rest]
    if len(rest) > 1 and rest[-2] in class_of("worked"):
        return set()
    return _names(rest)


def worked_on_names(label: str) -> set[str]:
    """What the name of a scenario says it is done to, in singular and as it is: "carpet" for "vacuuming the carpet",
    "alarm clock" for "changing batteries in an alarm clock", nothing for "making a bed"."""
    first, *rest = label.lower().split() or [""]
    if _is_form(first, class_of("changing")):
        place = next((place for place, word in enumerate(rest) if word in {"in", "on", "of", "from"}), len(rest))
        return _names(rest[place + 1 :])
    if not _is_form(first, class_of("maintaining")):
        return set()
    return _names(rest[: next((place for place, word in enumerate(rest) if place and word in _AFTER), len(rest))])


def _is_form(word: str, known: Iterable[str]) -> bool:
    """Whether a word is one of these verbs, or a present participle of one."""
    return any(word in {verb, f"{verb.removesuffix('e')}ing", f"{verb}{verb[-1]}ing"} for verb in known)


def _names(words: Sequence[str]) -> set[str]:
    """The last word and the last two, also without the ending of a plural."""
    names = {words[-1], " ".join(words[-2:])} if words else set()
    return names | {name.removesuffix("s") for name in names} | {name.removesuffix("es") for name in names}


def class_of(label: str) -> frozenset[str]:
    """The words under a heading of ``data/needs.txt``."""
    return word_classes("kgscripts.assembly", "needs.txt")[label]


_THINGS = "SELECT needed, label, tool IS NOT NULL AS is_tool FROM needed"
_SCENARIOS = "SELECT scenario, own AS label FROM scenario"


def steps(readers: Sequence[int]) -> list[Step]:
    """The tables `needed`, `thing_class`, `thing_head`, `product`, `worked_on`, `listed_need`, `used_need` and
    `need_amount`."""
    return [
        Step("thing_class", ("thing_class", "thing_head"), tables_in(_THINGS), _classes),
        Step("product", ("product", "worked_on"), tables_in(_SCENARIOS), _products),
        made_by(_listed(readers)),
        made_by(*_used(readers), name="used_need"),
        *(made_by(rule) for rule in _TABLES),
    ]


def _listed(readers: Sequence[int]) -> Rule:
    """The things that lists of the documents name, in the scenarios in whose segments they are; 0 for none."""
    return DocumentRule(
        "listed_need",
        f"""
        SELECT DISTINCT n.document, coalesce(s.scenario, 0) AS scenario, k.needed, k.tool, k.entity, n.start, n."end",
               n.role, n.amount, n.instead, n.optional{confidence_of(readers, "n", "1.0")}
        FROM need_record n JOIN needed k ON k.label = n.lemma AND (n.role IS NOT NULL) = (k.tool IS NOT NULL)
             LEFT JOIN segment s ON s.document = n.document AND n.start >= s.start AND n.start < s."end"
        WHERE in_partition(n.document)
        """,
    )


def _used(readers: Sequence[int]) -> tuple[Rule, ...]:
    """The tools and supplies of usual steps, one row for each mention.

    A written script lists all that it needs. A text that names a thing by a compound and by its head ("frying pan",
    "pan") means the same: both are the compound.
    """
    of_usual = """
        realization r JOIN step_usual y ON y.step = r.step AND y.usual JOIN action a USING (action)
    """
    mention = 'r.document, r.scenario, r.mention, r.start, r."end"'
    here = "in_partition(r.document) AND r.scenario > 0"
    return document_rules(
        {"used_thing", "narrower_thing"},
        used_thing=f"""
            SELECT {mention}, k.needed, u.role{reader_columns(readers, "u")}
            FROM {of_usual} JOIN named_tool u USING (mention) JOIN needed k ON k.tool = u.tool
                 JOIN thing_class x ON x.needed = k.needed
            WHERE {here} AND in_partition(u.document) AND NOT u.inferred
            UNION ALL
            SELECT {mention}, k.needed, CASE p.role WHEN 'place' THEN 'container' ELSE 'instrument' END
                   {reader_columns(readers, "p")}
            FROM {of_usual} JOIN participant p USING (mention) JOIN entity e USING (entity)
                 JOIN needed k ON k.label = e.label AND k.tool IS NOT NULL
                 JOIN thing_class x ON x.needed = k.needed AND x.kind = 'tool'
            WHERE {here} AND in_partition(p.document) AND a.particle NOT IN ('back', 'away', 'off', 'down')
                  AND a.preposition NOT IN ('from', 'off', 'out', 'out of')
                  AND ((p.role = 'patient' AND a.predicate NOT IN ({_words("leaving")}))
                       OR (p.role = 'place' AND a.predicate NOT IN ({_words("leaving", verbs("going"))})))
            UNION ALL
            SELECT {mention}, k.needed, NULL{reader_columns(readers, "p")}
            FROM {of_usual} JOIN participant p USING (mention) JOIN needed k ON k.entity = p.entity
                 JOIN thing_class x ON x.needed = k.needed AND x.kind = 'supply'
                 LEFT JOIN product m ON m.scenario = r.scenario AND m.label = k.label
            WHERE {here} AND in_partition(p.document)
                  AND (m.label IS NULL OR a.predicate IN ({_words("measuring")}))
                  AND ((p.role = 'patient' AND k.label IN ({_words("paid")}))
                       OR (p.role = 'patient' AND a.predicate NOT IN ({_words("leaving")})
                        AND NOT (a.predicate IN ({_words("making")}) AND a.object = k.label))
                       OR (p.role IN ('other', 'place', 'companion') AND a.predicate IN ({_words("using")})))
            """,
        narrower_thing="""
            WITH named AS (
                SELECT DISTINCT document, scenario, needed
                FROM (SELECT document, scenario, needed FROM used_thing
                      UNION ALL SELECT document, scenario, needed FROM listed_need WHERE in_partition(document))
            )
            SELECT b.document, b.scenario, b.needed, min(n.needed) AS narrower
            FROM thing_head h JOIN named b ON b.needed = h.head
                 JOIN named n ON n.needed = h.needed AND n.document = b.document AND n.scenario = b.scenario
            GROUP BY ALL HAVING count(*) = 1
            """,
        used_need="""
            SELECT u.* REPLACE (coalesce(n.narrower, u.needed) AS needed)
            FROM used_thing u LEFT JOIN narrower_thing n USING (document, scenario, needed)
                 ANTI JOIN (SELECT scenario, needed FROM worked_on JOIN needed USING (label)) USING (scenario, needed)
                 ANTI JOIN (SELECT document FROM written_step) USING (document)
            """,
    )


_TABLES = (
    *document_rules(
        need_amount_part="""
            SELECT scenario, needed, amount, count(DISTINCT document) AS support FROM listed_need
            WHERE amount <> '' AND in_partition(document) GROUP BY scenario, needed, amount
            """
    ),
    *rules(
        # Tools and entities, numbered by ascending id: the ends of NEEDS.
        needed="""
            SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS needed, *
            FROM (SELECT id, label, tool, NULL::INTEGER AS entity FROM tool
                  UNION ALL SELECT id, label, NULL, entity FROM entity)
            """,
        need_amount="""
            SELECT scenario, needed, arg_min(amount, row(-support, amount)) AS amount
            FROM (SELECT scenario, needed, amount, sum(support)::BIGINT AS support FROM need_amount_part
                  GROUP BY scenario, needed, amount)
            GROUP BY scenario, needed
            """,
        need_choice="""
            SELECT scenario, needed, nullif(array_to_string(list_sort(list_distinct(flatten(list(instead)))), '; '), '')
                       AS instead,
                   nullif(bool_and(optional), false) AS optional
            FROM listed_need GROUP BY scenario, needed
            """,
    ),
)
"""The amount of each thing that most sources write; of several, the first in the alphabet. And what does as well, and
whether one may do without it."""


def _classes(tables: Engine) -> None:
    """Make `thing_class`: the things that a step can use as a tool, or use up as a supply; and `thing_head`: the things
    that the ends of compounds name ("frying pan", "pan")."""
    rows = tables.table(_THINGS)
    things = list(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    numbers = {(label, tool): number for number, label, tool in things}
    classes: list[tuple[int, str]] = []
    heads: list[tuple[int, int]] = []
    for number, label, tool in things:
        if kind := _tool_class(label) if tool else _supply_class(label):
            classes.append((number, kind))
        words = [] if is_a(label, "no_kind") else label.split(" ")
        ends = (numbers.get((" ".join(words[start:]), tool)) for start in range(1, len(words)))
        heads += ((number, head) for head in ends if head is not None)
    tables.add("thing_class", arrow_table(classes, pa.schema([("needed", pa.int32()), ("kind", pa.string())])))
    tables.add("thing_head", arrow_table(heads, pa.schema([("needed", pa.int32()), ("head", pa.int32())])))


def _tool_class(noun: str) -> str:
    """``tool`` for a tool by its name, ``used`` for what steps can use as one; "" for "machine" and what is used up."""
    if noun in class_of("no_tool") or _is_present(noun) or is_a(noun, "consumable") or noun in foods("food"):
        return ""
    return "tool" if is_tool(noun) else "used"


def _supply_class(noun: str) -> str:
    """``supply`` for what is used up and comes from outside, else ""."""
    head = noun.rsplit(" ", 1)[-1]
    if _is_present(noun):
        return ""
    if noun in class_of("supply") | class_of("paid") or noun in foods("food") - class_of("no_supply"):
        return "supply"
    if noun in class_of("no_supply") or head in class_of("no_supply"):
        return ""
    return "supply" if head in foods("food") or is_a(noun, "consumable") else ""


def _is_present(noun: str) -> bool:
    return " " in noun and noun.split(" ", 1)[0] in class_of("present")


def _products(tables: Engine) -> None:
    """Make `product` and `worked_on`: the names of what each scenario makes and of what it is done to, by its own
    name."""
    rows = tables.table(_SCENARIOS)
    labels = list(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    for table, names in (("product", product_names), ("worked_on", worked_on_names)):
        pairs = [(scenario, name) for scenario, label in labels for name in sorted(names(label))]
        tables.add(table, arrow_table(pairs, pa.schema([("scenario", pa.int32()), ("label", pa.string())])))


def _words(label: str, further: Iterable[str] = ()) -> str:
    return _quoted({*class_of(label), *further})


def _quoted(words: Iterable[str]) -> str:
    return ", ".join("'" + word.replace("'", "''") + "'" for word in sorted(words))
