"""The texts themselves: from records to numbered documents, names, mentions and segments, and the tables of passages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.identity import ACTION_PARTS, action_key, same_action
from kgscripts.records.kinds import kind_name, record_schema
from kgscripts.records.store import RecordStore
from schemas.records import (
    Decomposition,
    Discard,
    Document,
    EventMention,
    PassageKind,
    Record,
    Segment,
    Sentence,
)
from schemas.script_graph import ScriptGraphWriter

KINDS: tuple[type[Record], ...] = (Sentence, Segment, EventMention, Decomposition, Discard)
"""The kinds of records that rules read."""

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def load_records(engine: Engine, store: RecordStore, versions: Sequence[str]) -> None:
    """Number the documents, ascending by digest, and the extractors; make a view of each kind of record.

    A view ``<kind>_record`` holds the records of the graph's documents by the graph's extractors, with the numbers of
    `document` and `reader`. ``text`` holds the texts.
    """
    engine.add("live", store.documents())
    readers = pa.table({"reader": pa.array(range(len(versions)), pa.int16()), "version": sorted(versions)})
    engine.add("extractor", readers)
    view(engine, "source_record", store, Document)
    engine.execute(
        """
        CREATE TABLE document AS
        SELECT (row_number() OVER (ORDER BY l.digest) - 1)::INTEGER AS document, l.digest, l.name,
               substr(l.digest, 1, 24) AS key, s.title, s.format, s.scenario AS label, length(s.text) AS characters,
               identifier('source', slug(coalesce(nullif(s.title, ''), s.scenario)),
                          part('Source') || part(l.digest)) AS id
        FROM live l JOIN source_record s ON s.subject = l.digest
        """
    )
    (documents,) = engine.values("SELECT count(*) FROM document")
    engine.number_documents(documents)
    engine.execute(
        "CREATE VIEW text AS SELECT d.document, s.text, s.passages FROM source_record s JOIN document d "
        "ON d.digest = s.subject"
    )
    for kind in KINDS:
        name = kind_name(kind)
        view(engine, f"{name}_file", store, kind)
        engine.execute(
            f"CREATE VIEW {name}_record AS SELECT d.document, x.reader, f.* EXCLUDE (subject, extractor) "
            f"FROM {name}_file f JOIN document d ON d.digest = f.subject JOIN extractor x ON x.version = f.extractor"
        )


def view(engine: Engine, name: str, store: RecordStore, kind: type[Record]) -> None:
    """A view of all files of a kind; an empty table where there are none."""
    files = [str(path) for path in store.files(kind)]
    if files:
        listed = ", ".join("'" + path.replace("'", "''") + "'" for path in files)
        engine.execute(f"CREATE VIEW {name} AS FROM read_parquet([{listed}])")
    else:
        engine.add(name, record_schema(kind).empty_table())


_PARTS = ", ".join(ACTION_PARTS)
_ACTION_LABEL = "concat_ws(' ', " + ", ".join(f"nullif({part}, '')" for part in ACTION_PARTS) + ")"

NAMES = (
    Rule(
        "action_name",
        "name",
        f"SELECT DISTINCT {', '.join(f'action.{part} AS {part}' for part in ACTION_PARTS)} "
        "FROM event_mention_record WHERE mine(action.predicate)",
    ),
    Rule(
        "entity_name",
        "name",
        "SELECT DISTINCT label FROM (SELECT UNNEST(participants).lemma AS label FROM event_mention_record) "
        "WHERE mine(label)",
    ),
    Rule(
        "tool_name",
        "name",
        """
        SELECT DISTINCT lemma AS label FROM (
            SELECT UNNEST(tools).lemma AS lemma FROM event_mention_record
            UNION ALL
            SELECT UNNEST(step.tools).lemma FROM (SELECT UNNEST(steps) AS step FROM decomposition_record)
        ) WHERE mine(lemma)
        """,
    ),
    Rule("scenario_name", "name", "SELECT DISTINCT scenario AS label FROM segment_record WHERE mine(scenario)"),
)
"""The distinct names of the records."""


def _numbered(table: str, node_type: str, prefix: str, first: int) -> Rule:
    """The named nodes of a type, numbered by ascending id."""
    return Rule(
        table,
        "",
        f"SELECT ({first} - 1 + row_number() OVER (ORDER BY id))::INTEGER AS {table}, * FROM (SELECT label, "
        f"identifier('{prefix}', slug(label), part('{node_type}') || part(label)) AS id FROM {table}_name)",
    )


NUMBERS = (
    # `place` is the order of the actions' parts, which neither names nor support change.
    Rule(
        "action",
        "",
        f"""
        SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS action,
               (row_number() OVER (ORDER BY {_PARTS}))::INTEGER AS place, *
        FROM (SELECT *, identifier('action', readable, part('Action') || {action_key("n")}) AS id
              FROM (SELECT *, {_ACTION_LABEL} AS label, slug(label) AS readable FROM action_name) n)
        """,
    ),
    _numbered("entity", "Entity", "entity", 0),
    _numbered("tool", "Tool", "tool", 0),
    # Scenario 0 stands for none.
    _numbered("scenario", "Scenario", "scenario", 1),
)
"""The nodes that texts share, numbered so that numbers ascend with ids."""


def mention_rules(readers: Sequence[int]) -> tuple[Rule, ...]:
    """Mentions with their participants and tools, by document.

    Equal mentions (action and span) of several extractors are one. They are numbered in text order, those of one span
    ("add salt and pepper") in the order in which they were given. ``reader_N`` holds the
    confidence of the extractor with that number, NULL if it did not find it.
    """
    scores = ", ".join(f"max(e.score) FILTER (WHERE e.reader = {reader}) AS reader_{reader}" for reader in readers)
    highest = ", ".join(f"max(reader_{reader}) AS reader_{reader}" for reader in readers)
    return (
        Rule(
            "event",
            "document",
            f"""
            SELECT (document::BIGINT << 24) + dense_rank() OVER (
                       PARTITION BY document ORDER BY start, "end", first_ordinal, place) - 1 AS mention, *
            FROM (SELECT e.document, e.start::INTEGER AS start, e."end"::INTEGER AS "end", a.action, a.place, e.reader,
                         e.score, e.participants, e.tools,
                         min(e.ordinal) OVER (PARTITION BY e.document, e.start, e."end", a.action) AS first_ordinal
                  FROM event_mention_record e JOIN action a ON {same_action("e.action", "a")}
                  WHERE in_partition(e.document))
            """,
            temporary=True,
        ),
        Rule(
            "mention",
            "document",
            f'SELECT mention, document, start, "end", action, {scores} FROM event e GROUP BY ALL ORDER BY mention',
        ),
        Rule(
            "participant",
            "document",
            f"""
            SELECT mention, document, entity, role, count(*) AS arguments, {highest}
            FROM (SELECT e.mention, e.document, n.entity, e.argument.role AS role, {scores}
                  FROM (SELECT mention, document, reader, score, UNNEST(participants) AS argument FROM event) e
                       JOIN entity n ON n.label = e.argument.lemma
                  GROUP BY e.mention, e.document, n.entity, role, e.argument.start, e.argument."end")
            GROUP BY mention, document, entity, role
            """,
        ),
        Rule(
            "named_tool",
            "document",
            f"""
            SELECT e.mention, e.document, n.tool, {scores}
            FROM (SELECT mention, document, reader, score, UNNEST(tools).lemma AS lemma FROM event) e
                 JOIN tool n ON n.label = e.lemma GROUP BY e.mention, e.document, n.tool
            """,
        ),
    )


_ALIGNED = f"""
    SELECT d.document, d.reader, w.mention AS abstract, c.mention AS concrete, d.step.log_probability AS log_probability,
           relative_position(d.place - 1, d.length) AS position, d.step.tools AS tools,
           d.step.start AS start, d.step."end" AS "end", d.step.action AS action
    FROM (SELECT document, reader, action, start, "end", len(steps) AS length, UNNEST(steps) AS step,
                 generate_subscripts(steps, 1) AS place
          FROM decomposition_record WHERE in_partition(document)) d
         LEFT JOIN action y ON {same_action("y", "d.action")} LEFT JOIN action z ON {same_action("z", "d.step.action")}
         LEFT JOIN event w ON w.document = d.document AND w.start = d.start AND w."end" = d."end" AND w.action = y.action
         LEFT JOIN event c ON c.document = d.document AND c.start = d.step.start AND c."end" = d.step."end"
              AND c.action = z.action
"""

ALIGNED = (
    # The concrete steps of abstract mentions; positions are relative to the other steps.
    Rule(
        "aligned_step",
        "document",
        f"SELECT DISTINCT document, reader, abstract, concrete, log_probability, position, tools FROM ({_ALIGNED}) "
        "WHERE abstract IS NOT NULL AND concrete IS NOT NULL",
    ),
    Rule(
        "unaligned_step",
        "document",
        f"""SELECT document, start, "end", concat_ws(' ', {", ".join(f"nullif(action.{part}, '')" for part in ACTION_PARTS)})
        AS label FROM ({_ALIGNED}) WHERE abstract IS NULL OR concrete IS NULL""",
    ),
)

SEGMENTS = (
    Rule(
        "segment",
        "document",
        """
        SELECT r.document, r.start, r."end", s.scenario, max(r.confidence) AS confidence
        FROM segment_record r JOIN scenario s ON s.label = r.scenario WHERE in_partition(r.document) GROUP BY ALL
        """,
    ),
    # A mention belongs to the scenarios of the segments in which it starts; 0 where there is none.
    Rule(
        "occurrence",
        "document",
        """
        SELECT mention, document, scenario, action, start, "end",
               relative_position(row_number() OVER mentions - 1, count(*) OVER scenario_of) AS position
        FROM (SELECT DISTINCT m.mention, m.document, coalesce(s.scenario, 0) AS scenario, m.action, m.start, m."end"
              FROM mention m LEFT JOIN segment s
              ON s.document = m.document AND m.start >= s.start AND m.start < s."end"
              WHERE in_partition(m.document))
        WINDOW mentions AS (PARTITION BY document, scenario ORDER BY mention),
               scenario_of AS (PARTITION BY document, scenario)
        """,
    ),
)
"""Which text is about which scenario, and the mentions of each scenario with their relative positions in its text."""

SPANS = """
    SELECT DISTINCT document, start, "end", kind FROM (
        SELECT document, p.start, p."end", p.kind FROM text, UNNEST(passages) AS t(p) WHERE in_partition(document)
        UNION ALL
        SELECT s.document, s.start, s."end", 'segment' FROM segment s JOIN document d USING (document)
        WHERE in_partition(s.document) AND NOT (s.start = 0 AND s."end" = d.characters)
        UNION ALL
        SELECT document, start, "end", 'sentence' FROM sentence_record WHERE in_partition(document)
        UNION ALL
        SELECT document, start, "end", 'mention' FROM mention WHERE in_partition(document)
    ) ORDER BY document, start, "end" DESC, kind = 'mention', kind = 'sentence', kind
"""
"""The passages of the current documents, outer ones first. A segment over a whole text is the source itself."""

PASSAGE = """
    SELECT passage_id(d.key, s.start, s."end", s.kind) AS id, s.kind, s.start::BIGINT AS start, s."end"::BIGINT AS "end",
           substr(t.text, s.start + 1, s."end" - s.start) AS text, d.id AS source
    FROM span s JOIN document d USING (document) JOIN text t USING (document)
    ORDER BY s.document, s.start, s."end", s.kind
"""

WITHIN = """
    SELECT passage_id(d.key, s.start, s."end", s.kind) AS from_id,
           coalesce(passage_id(d.key, s.outer_start, s.outer_end, s.outer_kind), d.id) AS to_id
    FROM span s JOIN document d USING (document) ORDER BY s.document, s.start, s."end", s.kind
"""

NEXT = """
    SELECT passage_id(d.key, start, "end", 'mention') AS from_id,
           passage_id(d.key, next_start, next_end, 'mention') AS to_id
    FROM (SELECT document, start, "end", lead(start) OVER text_order AS next_start, lead("end") OVER text_order AS next_end
          FROM (SELECT DISTINCT document, start, "end" FROM mention WHERE in_partition(document))
          WINDOW text_order AS (PARTITION BY document ORDER BY start, "end"))
    JOIN document d USING (document) WHERE next_start IS NOT NULL ORDER BY document, start, "end"
"""

ABOUT_PASSAGE = """
    SELECT passage_id(d.key, s.start, s."end", 'segment') AS from_id, c.id AS to_id, s.confidence
    FROM segment s JOIN document d USING (document) JOIN scenario c USING (scenario)
    WHERE in_partition(document) AND NOT (s.start = 0 AND s."end" = d.characters)
    ORDER BY document, s.start, s."end", scenario
"""

ABOUT_SOURCE = """
    SELECT d.id AS from_id, c.id AS to_id, max(s.confidence) AS confidence
    FROM segment s JOIN document d USING (document) JOIN scenario c USING (scenario)
    GROUP BY ALL ORDER BY from_id, to_id
"""


def find_mentions(engine: Engine, readers: Sequence[int]) -> None:
    """Make the tables of names, mentions, aligned steps, segments and occurrences."""
    engine.run(*NAMES)
    for rule in NUMBERS:
        engine.run(rule)
    engine.run(*mention_rules(readers), *ALIGNED, *SEGMENTS)


def write_texts(engine: Engine, writer: ScriptGraphWriter) -> None:
    """Write Source, Passage, WITHIN, NEXT and ABOUT."""
    writer.write(
        "Source",
        engine.graph_rows(
            "Source",
            "SELECT id, name, digest, nullif(title, '') AS title, nullif(label, '') AS scenario_label, format, "
            "characters FROM document ORDER BY id",
        ),
    )
    with ExitStack() as stack:
        names = ("Passage", "WITHIN", "NEXT", "ABOUT")
        passage, within, following, about = (stack.enter_context(writer.table(name)) for name in names)
        for _ in engine.document_partitions():
            engine.replace("span", _nested(engine.table(SPANS)))
            queries = (PASSAGE, WITHIN, NEXT, ABOUT_PASSAGE)
            for name, write, query in zip(names, (passage, within, following, about), queries, strict=True):
                for batch in engine.graph_rows(name, query):
                    write(batch)
        for batch in engine.graph_rows("ABOUT", ABOUT_SOURCE):
            about(batch)


def _nested(spans: pa.Table) -> pa.Table:
    """The spans with the smallest one that each lies within: start, end and kind, null for the source itself."""
    holds = pc.not_equal(spans["kind"], PassageKind.MENTION.value)
    found = parents(*(column.to_numpy() for column in (spans["document"], spans["end"], holds)))
    outer = pa.array(found, mask=found < 0)
    for name in ("start", "end", "kind"):
        spans = spans.append_column(f"outer_{name}", spans[name].take(outer))
    return spans


def parents(document: Integers, end: Integers, holds: Booleans) -> Integers:
    """The place of the smallest span that each lies within, by `document` and `end`; -1 for the source itself.

    Spans ascend by document and start, longer ones first. Only those that `holds` is true of have others within.
    """
    places = np.arange(len(document))
    before = np.concatenate([[-1], np.maximum.accumulate(np.where(holds, places, -1))[:-1]])[: len(document)]
    found = np.where(document[before] == document, before, -1)
    # What ends too early is passed over, together with all that it has passed over itself.
    while len(short := np.flatnonzero((found >= 0) & (end[found] < end))):
        found[short] = found[found[short]]
    return found
