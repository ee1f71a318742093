"""Writing statements with passages and readers, the models of the readers, BROADER, and the tables of the graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa
from attrs import asdict, frozen

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import ACTION_PARTS, Engine, Rule, arrow_table
from kgscripts.assembly.step import Step, made_by, tables_in
from kgscripts.assembly.tables.titles import ACTION_TEXT
from kgscripts.assembly.tables.written import WRITTEN
from kgscripts.changes.attributes import broader_attribute
from kgscripts.text.lexicon import is_a
from schemas.graph_writer import ScriptGraphWriter
from schemas.provenance import Model
from schemas.scenario_documents import concept_scheme
from schemas.tables import table_schema
from schemas.vocabulary import node_id


@frozen
class Readers:
    """The readers: extractors, ordered by version, then enrichers.

    `versions` are those of the extractors, and `models` the models of each reader by its number; `extractors` are the
    numbers of the extractors that give events or records that belong to events.
    """

    versions: Sequence[str]
    models: Sequence[tuple[Model, ...]]
    extractors: Sequence[int]

    def distinct(self) -> list[tuple[str, Model]]:
        """Every model once, with its id, by ascending id."""
        by_id = {model_id(model): model for models in self.models for model in models}
        return sorted(by_id.items())

    def of_model(self, identifier: str, readers: Sequence[int]) -> list[int]:
        """Those of the `readers` that use the model with this id."""
        return [reader for reader in readers if identifier in map(model_id, self.models[reader])]


def model_id(model: Model) -> str:
    """The id of a model's node."""
    return node_id("Model", model.name, model.name, model.digest)


def model_step(writer: ScriptGraphWriter, readers: Readers) -> Step:
    """Write Model, BenchmarkScore and SCORED."""
    made = tuple(f"graph/{name}" for name in ("Model", "BenchmarkScore", "SCORED"))
    return Step("write Model", made, (), lambda _: _write_models(writer, readers))


def _write_models(writer: ScriptGraphWriter, readers: Readers) -> None:
    models = readers.distinct()
    rows = [
        asdict(model) | {"id": identifier, "licence": model.licence or None, "language": model.language or None}
        for identifier, model in models
    ]
    writer.write("Model", as_batches("Model", rows))
    owned = {
        (owner, score.dataset, score.split, score.metric): score for owner, model in models for score in model.scores
    }
    scores = [(node_id("BenchmarkScore", f"{key[1]} {key[3]}", *key), key[0], score) for key, score in owned.items()]
    scores.sort(key=lambda item: item[0])
    rows = [asdict(score) | {"id": identifier} for identifier, _, score in scores]
    writer.write("BenchmarkScore", as_batches("BenchmarkScore", rows))
    ends = sorted((owner, identifier) for identifier, owner, _ in scores)
    writer.write("SCORED", arrow_table(ends, table_schema("SCORED")).to_batches())


def as_batches(name: str, rows: Sequence[Mapping[str, Any]]) -> list[pa.RecordBatch]:
    """Rows of the table `name`, by its columns; other keys are left out."""
    return list(pa.Table.from_pylist(rows, table_schema(name)).to_batches())


def broader_name(name: str, names: Collection[str]) -> str | None:
    """The longest of `names` that is the end of a compound, from a word after the first: "pan" for "cake pan".

    There is none for a compound of the class ``no_kind``: a rolling pin is no pin.
    """
    if is_a(name, "no_kind"):
        return None
    words = name.split(" ")
    heads = (" ".join(words[start:]) for start in range(1, len(words)))
    return next((head for head in heads if head in names), None)


_TOOLS = "SELECT label, id FROM tool n JOIN tool_total t ON t.key = n.tool WHERE kept(support, added)"
_ATTRIBUTES = (
    "SELECT label, id FROM attribute n JOIN attribute_total t ON t.key = n.attribute WHERE kept(support, added)"
)


def step(writer: ScriptGraphWriter) -> Step:
    """Write BROADER for the tools and the attributes of the graph."""

    def write(tables: Engine) -> None:
        pairs = []
        for query, broader in ((_ATTRIBUTES, broader_attribute), (_TOOLS, broader_name)):
            nodes = tables.table(query)
            ids = dict(zip(*(nodes[name].to_pylist() for name in ("label", "id")), strict=True))
            pairs += sorted((ids[name], ids[other]) for name in ids if (other := broader(name, ids)) is not None)
        writer.write("BROADER", arrow_table(pairs, table_schema("BROADER")).to_batches())

    return Step("write BROADER", ("graph/BROADER",), tables_in(_TOOLS) | tables_in(_ATTRIBUTES), write)


_SCENARIOS = (
    "SELECT id, label, own, other_names, joined_names, coalesce(w.names, []) AS written_names, support "
    "FROM scenario s JOIN scenario_total t ON t.key = s.scenario LEFT JOIN written_name w USING (scenario) ORDER BY id"
)


def _node_query(table: str, columns: str, joins: str = "") -> str:
    """SQL: the nodes of a table with enough support."""
    return (
        f"SELECT id, {columns}, support FROM {table} n JOIN {table}_total t ON t.key = n.{table} {joins} "
        f"WHERE kept(support, added) ORDER BY n.{table}"
    )


_NODES = {
    "Action": _node_query(
        "action",
        ", ".join(
            [
                "label",
                f"{ACTION_TEXT.format('n')} AS label_text",
                *(f"nullif({part}, '') AS {part}" for part in ACTION_PARTS),
            ]
        ),
        "LEFT JOIN action_words w USING (action)",
    ),
    "Entity": _node_query("entity", "label"),
    "Tool": _node_query("tool", "label"),
    "SubEvent": (
        "SELECT s.id, s.label, x.label_text, c.id AS scenario, coalesce(s.replaces, []) AS replaces, t.support, "
        f"t.mentions, {', '.join(f'nullif(w.{name}, []) AS {name}' for name in WRITTEN)} "
        "FROM step s JOIN step_total t ON t.key = s.step LEFT JOIN scenario c USING (scenario) "
        "JOIN step_text x USING (step) LEFT JOIN step_as_written w USING (step) "
        "WHERE kept(t.support, t.added) ORDER BY s.step"
    ),
}


def node_steps(writer: ScriptGraphWriter) -> list[Step]:
    """Write Scenario, Action, Entity, Tool and SubEvent; nodes with too little support are left out."""

    def write_scenarios(tables: Engine) -> None:
        listed = {concept.label: list(concept.alternative_labels) for concept in concept_scheme()}
        rows = tables.table(_SCENARIOS).to_pylist()
        for row in rows:
            own = row["own"]
            names = (own, *listed.get(own, row["other_names"]), *row["joined_names"], *row["written_names"])
            row["alternative_labels"] = [name for name in dict.fromkeys(names) if name != row["label"]]
            row["listed"] = own in listed
        writer.write("Scenario", as_batches("Scenario", rows))

    return [
        Step("write Scenario", ("graph/Scenario",), tables_in(_SCENARIOS), write_scenarios),
        *(write_step(writer, name, query) for name, query in _NODES.items()),
    ]


def write_step(writer: ScriptGraphWriter, name: str, *queries: str, by_document: bool = False) -> Step:
    """The step that writes the table `name` of the graph, the rows of queries, perhaps once for each partition."""

    def write(tables: Engine) -> None:
        parts = tables.partitions() if by_document else (None,)
        writer.write(name, (batch for _ in parts for query in queries for batch in tables.graph_rows(name, query)))

    return Step(f"write {name}", (f"graph/{name}",), frozenset[str]().union(*map(tables_in, queries)), write)


def realization_step(writer: ScriptGraphWriter, readers: Sequence[int]) -> Step:
    """Write REALIZES."""
    confidence = f"greatest({', '.join(f'reader_{reader}' for reader in readers)})"
    query = f"""
        SELECT passage_id(d.key, start, "end", 'mention') AS from_id, s.id AS to_id, score
        FROM (SELECT document, start, "end", step, max({confidence}) AS score FROM realization
              WHERE in_partition(document) GROUP BY document, start, "end", step) r
             JOIN step s USING (step) JOIN step_total t ON t.key = r.step JOIN document d USING (document)
        WHERE kept(t.support, t.added) ORDER BY r.document, start, "end", r.step
    """
    return write_step(writer, "REALIZES", query, by_document=True)


_DOCUMENT_KEY = Rule("document_key", "SELECT document, unhex(key) AS key FROM document")


def relation_steps(writer: ScriptGraphWriter, relations: Sequence[Relation], readers: Readers) -> list[Step]:
    """Write the relation tables, Statement, EVIDENCED_BY and READ_BY.

    A relation without passages is predicted or added by a person, and needs no support.
    """
    by_id = sorted(relations, key=lambda relation: relation.statement_prefix)

    def write_readers(tables: Engine) -> None:
        models = ((relation, _models(readers, _readers_of(tables, relation))) for relation in by_id)
        queries = (_filled(_READ_BY, relation, of_relation) for relation, of_relation in models)
        writer.write("READ_BY", (batch for query in queries for batch in tables.graph_rows("READ_BY", query)))

    return [
        made_by(_DOCUMENT_KEY),
        made_by(_STEP_PROPERTIES),
        *(write_step(writer, relation.name, _relation_query(relation)) for relation in relations),
        write_step(writer, "Statement", *(_filled(_STATEMENT, relation) for relation in by_id)),
        write_step(writer, "EVIDENCED_BY", *(_filled(_EVIDENCED_BY, relation) for relation in by_id)),
        Step("write READ_BY", ("graph/READ_BY",), [relation.table for relation in relations], write_readers),
    ]


def _filled(query: str, relation: Relation, models: str = "") -> str:
    """The query of the statements of one relation."""
    return query.format(
        relation=relation.name,
        prefix=relation.statement_prefix,
        table=relation.table,
        ends=relation.ends,
        kept=_kept(relation),
        models=models,
    )


def _readers_of(tables: Engine, relation: Relation) -> list[int]:
    """The readers for which a relation has a column."""
    columns = tables.table(f"FROM {relation.table} LIMIT 0").column_names
    return [int(name.removeprefix("reader_")) for name in columns if name.startswith("reader_")]


def _models(readers: Readers, columns: Sequence[int]) -> str:
    """SQL: a list of the models, by ascending id, with the highest confidence of the readers that use each."""
    scores = []
    for identifier, _ in readers.distinct():
        if used := readers.of_model(identifier, columns):
            highest = f"greatest({', '.join(f'reader_{reader}' for reader in used)})"
            scores.append(f"{{'model': '{identifier}', 'score': {highest}}}")
    return ", ".join(scores)


def _kept(relation: Relation) -> str:
    predicted = " OR r.predicted" if "predicted" in table_schema(relation.name).names else ""
    return f"(kept(r.support, r.added){predicted})"


_OF_STEPS = {
    "rank": "step_rank",
    "essential": "step_usual",
    "essential_probability": "step_typicality",
    "optional": "step_usual",
    "typicality": "step_typicality",
    "usual": "step_usual",
    "written": "step_usual",
    "salience_rank": "step_salience_rank",
}
"""The properties of HAS_SUB_EVENT that are known of the step, and the tables that have them."""

# They are put together by grouping, which spills to disk: a join of all these tables at once needs memory for each.
_STEP_PROPERTIES = Rule(
    "step_properties",
    f"SELECT step, {', '.join(f'any_value({name}) AS {name}' for name in _OF_STEPS)} FROM ("
    + " UNION ALL BY NAME ".join(
        f"SELECT step, {', '.join(name for name in _OF_STEPS if _OF_STEPS[name] == table)} FROM {table}"
        for table in dict.fromkeys(_OF_STEPS.values())
    )
    + ") GROUP BY step",
)


def _relation_query(relation: Relation) -> str:
    of_steps = _OF_STEPS if relation.name == "HAS_SUB_EVENT" else {}
    made_here = ("from_id", "to_id", "statement", *of_steps)
    columns = [name for name in table_schema(relation.name).names if name not in made_here]
    listed = ", ".join(f"r.{name}" for name in columns)
    own = "".join(f", p.{name}" for name in of_steps)
    joined = 'LEFT JOIN step_properties p ON p.step = r."end"' if of_steps else ""
    return (
        f"SELECT s.id AS from_id, e.id AS to_id, {listed}, "
        f"'{relation.statement_prefix}' || digits(r.statement) AS statement{own} "
        f'FROM {relation.table} r {relation.ends} {joined} WHERE {_kept(relation)} ORDER BY r.start, r."end"'
    )


_STATEMENT = """
    SELECT '{prefix}' || digits(r.statement) AS id, s.id AS subject, '{relation}' AS relation, e.id AS object,
           c.id AS scenario
    FROM {table} r {ends} LEFT JOIN scenario c ON c.scenario = r.scenario WHERE {kept} ORDER BY r.statement
"""

# Rows are sorted while they are short, and ids are made afterwards. Predictions and additions have no passages.
_EVIDENCED_BY = """
    SELECT '{prefix}' || digits(statement) AS from_id, passage_id(digits(key), first, last, 'mention') AS to_id
    FROM (SELECT r.statement, d.key, e.first, e.last
          FROM {table}_evidence e JOIN {table} r USING (start, "end") JOIN document_key d USING (document)
          WHERE kept(r.support, r.added) ORDER BY r.statement, d.key, e.first, e.last)
"""

_READ_BY = """
    SELECT '{prefix}' || digits(statement) AS from_id, read.model AS to_id, read.score AS score
    FROM (SELECT statement, UNNEST([{models}]) AS read FROM {table} r WHERE {kept})
    WHERE read.score IS NOT NULL ORDER BY statement, read.model
"""
