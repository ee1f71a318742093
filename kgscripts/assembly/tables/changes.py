"""State changes: from records to types, and to instances in the order of the steps of their text."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from kgscripts.assembly.counting import confidence_of
from kgscripts.assembly.engine import ACTION_PARTS, Rule, same_action
from kgscripts.assembly.step import document_rules, rows, rules
from kgscripts.changes.attributes import attribute_names

LEVEL = "CASE WHEN {0} THEN 'certain' ELSE 'likely' END AS level"
"""The level of a change of which a column says whether it is certain."""

_LEADING = "coalesce(a.attribute, r.attribute)"
_NAMED = "state_change_record r LEFT JOIN attribute_alias a ON a.name = r.attribute"

NAMES = rules(
    attribute_name=f"SELECT DISTINCT {_LEADING} AS label FROM {_NAMED} UNION SELECT attribute FROM added_change_name",
    state_change_name=f"""
        SELECT DISTINCT r.entity, {_LEADING} AS attribute, r.before, r.after FROM {_NAMED}
        UNION SELECT entity, attribute, before, after FROM added_change_name
        """,
)
"""The distinct names in the records; synonymous names of an attribute are one name."""

NUMBERS = Rule(
    "state_change",
    """
    SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS state_change, *
    FROM (SELECT *, identifier('state-change', slug(label), part('StateChange') || part(attribute_label)
                    || part(entity_label) || part(before) || part(after)) AS id
          FROM (SELECT e.entity, a.attribute, n.entity AS entity_label, n.attribute AS attribute_label, n.before,
                       n.after, concat(n.attribute, ' of ', n.entity, ': ', nullif(n.before, '') || ' -> ', n.after)
                           AS label
                FROM state_change_name n JOIN entity e ON e.label = n.entity
                     JOIN attribute a ON a.label = n.attribute))
    """,
)


def change_rules(readers: Sequence[int]) -> tuple[Rule, ...]:
    """The changes of mentions and their instances, by document.

    A change that refers to no event is left out, and so is a change without an event that refers to no passage. Equal
    changes of one passage are one change. ``reader_N`` holds the confidence of the extractor with that number, NULL if
    it did not find the change.
    """
    highest = ", ".join(f"max(reader_{reader}) AS reader_{reader}" for reader in readers)
    return document_rules(
        {"place", "numbered_place", "change"},
        # The passages that the format and the sentences give, one kind for each span.
        place="""
            SELECT document, start::INTEGER AS start, "end"::INTEGER AS "end",
                   CASE WHEN bool_or(kind = 'step') THEN 'step' WHEN bool_or(kind = 'sentence') THEN 'sentence'
                        ELSE min(kind) END AS kind
            FROM (SELECT document, p.start AS start, p."end" AS "end", p.kind AS kind
                  FROM text, UNNEST(passages) AS t(p) WHERE in_partition(document)
                  UNION ALL
                  SELECT document, start, "end", 'sentence' FROM sentence_record WHERE in_partition(document))
            WHERE document IN (SELECT document FROM state_change_record WHERE in_partition(document))
            GROUP BY document, start, "end"
            """,
        numbered_place="""
            SELECT document, start, row_number() OVER (PARTITION BY document ORDER BY start)::INTEGER AS number
            FROM (SELECT DISTINCT document, start
                  FROM (SELECT *, bool_or(kind = 'step') OVER (PARTITION BY document) AS has_steps FROM place)
                  WHERE kind = CASE WHEN has_steps THEN 'step' ELSE 'sentence' END)
            """,
        change=f"""
            SELECT r.document, r.start, r."end", m.mention, c.state_change, c.label, r.presupposed, r.probability,
                   r.is_certain,
                   CASE WHEN r.predicate IS NULL THEN p.kind WHEN m.mention IS NOT NULL THEN 'mention' END AS kind
                   {confidence_of(readers, "r", "r.probability")}
            FROM (SELECT r.document, r.reader, r.start::INTEGER AS start, r."end"::INTEGER AS "end", r.entity,
                         {_LEADING} AS attribute, r.before, r.after, r.probability, r.level = 'certain' AS is_certain,
                         r.mentioned IS NULL AS presupposed,
                         {", ".join(f"r.action.{part} AS {part}" for part in ACTION_PARTS)}
                  FROM {_NAMED} WHERE in_partition(r.document)) r
                 JOIN state_change c ON c.entity_label = r.entity AND c.attribute_label = r.attribute
                      AND c.before = r.before AND c.after = r.after
                 LEFT JOIN action y ON {same_action("y", "r")}
                 LEFT JOIN (FROM mention WHERE in_partition(document)) m ON m.document = r.document
                      AND m.start = r.start AND m."end" = r."end" AND m.action = y.action
                 LEFT JOIN place p ON p.document = r.document AND p.start = r.start AND p."end" = r."end"
            """,
        mention_change=f"""
            SELECT document, mention, state_change, bool_or(is_certain) AS is_certain, {highest}
            FROM change WHERE mention IS NOT NULL GROUP BY document, mention, state_change
            """,
        change_instance="""
            SELECT i.*, coalesce(n.number, 0) AS step
            FROM (SELECT document, start, "end", kind, state_change, bool_and(presupposed) AS presupposed,
                         max(probability) AS probability, bool_or(is_certain) AS is_certain
                  FROM change WHERE kind IS NOT NULL GROUP BY document, start, "end", kind, state_change) i
                 ASOF LEFT JOIN numbered_place n ON n.document = i.document AND n.start <= i.start
            """,
        unplaced_change='SELECT document, start, "end", label FROM change WHERE kind IS NULL',
    )


def _aliases() -> pa.Table:
    pairs = [(other, leading) for leading, others in attribute_names().items() for other in others]
    columns = {"name": [name for name, _ in pairs], "attribute": [leading for _, leading in pairs]}
    return pa.table({name: pa.array(names, pa.string()) for name, names in columns.items()})


ALIASES = rows("attribute_alias", _aliases)
"""Names of attributes, with the leading name of their group."""
