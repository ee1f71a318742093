"""What at least a number of extractors have read: mentions with their tools, and state changes.

Equal mentions have the same action and span, equal tools the same name in equal mentions, equal changes the same
entity, attribute and values in equal mentions or passages. If fewer extractors give any tools, all tools of the
mentions that are kept stay; so do changes.
"""

from __future__ import annotations

from kgscripts.assembly.engine import ACTION_PARTS, Rule
from kgscripts.assembly.step import Step, made_by
from schemas.records import DiscardReason, EventMention, Record, StateChange

KINDS: tuple[type[Record], ...] = (EventMention, StateChange)
"""The kinds of which less is kept: ``<kind>_read`` are all records, ``<kind>_as_read`` those that are kept."""

LABEL = "concat_ws(' ', {})".format(", ".join(f"nullif(action.{part}, '')" for part in ACTION_PARTS))
"""SQL: the label of the column `action` of a record."""
_MENTION = 'document, start, "end", action'
_CHANGE = 'document, start, "end", action, entity, attribute, before, after'
_SAME_SPAN = '{0}.document = {1}.document AND {0}.start = {1}.start AND {0}."end" = {1}."end"'


def tools_of(table: str) -> str:
    """SQL: the tools of the mentions in a table, by name; equal rows of several readers are equal tools."""
    return f"""
        SELECT {_MENTION}, reader, thing(tool.lemma) AS lemma
        FROM (SELECT {_MENTION}, reader, UNNEST(tools) AS tool FROM {table} WHERE in_partition(document))
    """


def changes_of(table: str) -> str:
    """SQL: the changes in a table with the names that assembly gives them; equal rows of several readers are equal
    changes."""
    return f"""
        SELECT r.* REPLACE (thing(r.entity) AS entity, coalesce(a.attribute, r.attribute) AS attribute),
               r.entity AS read_entity, r.attribute AS read_attribute
        FROM {table} r LEFT JOIN attribute_alias a ON a.name = r.attribute WHERE in_partition(r.document)
    """


LEFT_OUT = f"""
    SELECT '{DiscardReason.FEW_READERS.value}' AS reason, d.name AS "where", l.start, l."end", l.detail
    FROM (SELECT document, start, "end", {LABEL} AS detail FROM few_mention
          UNION ALL
          SELECT document, start, "end", concat({LABEL}, ' with ', lemma) FROM few_tool
          UNION ALL
          SELECT document, start, "end", concat(attribute, ' of ', entity, ': ', nullif(before, '') || ' -> ', after)
          FROM few_change) l
         JOIN document d USING (document)
    ORDER BY document, l.start, l."end", l.detail
"""
"""SQL: the mentions, tools and changes that are left out, each once."""


def steps(least: int) -> list[Step]:
    """The tables of records that at least `least` extractors agree on, and those of what is left out."""
    return [
        made_by(
            Rule(
                "least_readers",
                "",
                f"""
                SELECT CASE WHEN t.readers < {least} THEN 1 ELSE {least} END AS of_tools,
                       CASE WHEN c.readers < {least} THEN 1 ELSE {least} END AS of_changes
                FROM (SELECT count(DISTINCT reader) AS readers FROM event_mention_read WHERE len(tools) > 0) t,
                     (SELECT count(DISTINCT reader) AS readers FROM state_change_read) c
                """,
            )
        ),
        made_by(*_mentions(least), *_CHANGE_RULES, name="readers"),
    ]


def _mentions(least: int) -> tuple[Rule, ...]:
    return (
        Rule(
            "few_mention",
            "document",
            f"""
            SELECT {_MENTION} FROM event_mention_read WHERE in_partition(document)
            GROUP BY {_MENTION} HAVING count(DISTINCT reader) < {least}
            """,
        ),
        Rule(
            "kept_mention",
            "document",
            f"""
            SELECT e.* FROM event_mention_read e
                   ANTI JOIN few_mention f ON {_SAME_SPAN.format("f", "e")} AND f.action = e.action
            WHERE in_partition(e.document)
            """,
            temporary=True,
        ),
        Rule(
            "few_tool",
            "document",
            f"""
            SELECT {_MENTION}, lemma FROM ({tools_of("kept_mention")}) GROUP BY {_MENTION}, lemma
            HAVING count(DISTINCT reader) < (SELECT of_tools FROM least_readers)
            """,
        ),
        Rule(
            "event_mention_as_read",
            "document",
            f"""
            SELECT e.* REPLACE (list_filter(e.tools, lambda tool: NOT list_contains(
                                    coalesce(f.lemmas, []), thing(tool.lemma))) AS tools)
            FROM kept_mention e
                 LEFT JOIN (SELECT {_MENTION}, list(lemma) AS lemmas FROM few_tool
                            WHERE in_partition(document) GROUP BY {_MENTION}) f
                 ON {_SAME_SPAN.format("f", "e")} AND f.action = e.action
            """,
        ),
    )


_CHANGE_RULES = (
    # A change that hangs on a mention that is left out is left out too.
    Rule(
        "few_change",
        "document",
        f"""
        SELECT {_CHANGE}
        FROM (SELECT {_CHANGE}, count(DISTINCT reader) AS readers
              FROM ({changes_of("state_change_read")}) GROUP BY {_CHANGE}) c
        WHERE readers < (SELECT of_changes FROM least_readers)
              OR EXISTS (FROM few_mention f WHERE {_SAME_SPAN.format("f", "c")} AND f.action = c.action)
        """,
    ),
    Rule(
        "state_change_as_read",
        "document",
        f"""
        SELECT c.* EXCLUDE (read_entity, read_attribute)
                   REPLACE (c.read_entity AS entity, c.read_attribute AS attribute)
        FROM ({changes_of("state_change_read")}) c
             ANTI JOIN few_change f ON {_SAME_SPAN.format("f", "c")} AND f.action IS NOT DISTINCT FROM c.action
                  AND f.entity = c.entity AND f.attribute = c.attribute AND f.before = c.before AND f.after = c.after
        """,
    ),
)
