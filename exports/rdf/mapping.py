"""The mapping from the rows of a script graph to RDF.

A node is a subject with its properties. A relation is a plain triple; its properties belong to its Statement or, if it
has none, to a `kgs:QualifiedRelation` whose IRI is made of both ends. All IRIs are made of ids and there are no blank
nodes, so the same graph always gives the same triples and loading them twice adds nothing. The instance layer is in the
named graph of its source, everything else in the default graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve

from exports.rdf.dataset import SCENARIO_SCHEME, describe_dataset, describe_metrics, metric_ids, text_language
from exports.rdf.descriptions import Chunk, Description, Reference, Value, constant, join
from exports.rdf.terms import (
    EXTERNAL_RELATIONS,
    INVERSE_PROPERTIES,
    MEMBER_PROPERTIES,
    QUALIFIED_RELATION,
    class_terms,
    property_term,
    relation_term,
)
from schemas.errors import StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.scenario_documents import concept_scheme
from schemas.script_graph import StoredGraph
from schemas.tables import TABLE_NAMES
from schemas.type_declarations import Layer, Property, ValueType
from schemas.vocabulary import ID_PREFIXES

NODES_OF_SOURCES = tuple(name for name, node in NODE_TYPES.items() if any(p.name == "source" for p in node.properties))
"""The node types whose nodes belong to one source each."""


class NodeSources:
    """A merge join: nodes and relations ascend by the node's id, so one batch of nodes is in memory at a time."""

    def __init__(self, graph: StoredGraph, node_type: str) -> None:
        self._prefix = f"{ID_PREFIXES[node_type]}/"
        self._batches = graph.batches(node_type)
        self._batch = next(self._batches, None)

    def of(self, ids: pa.Array) -> pa.Array:
        """The source of each of `ids`, which ascend within and between calls; null for ids of other types."""
        sources = pa.nulls(len(ids), pa.string())
        nodes = ids.filter(pc.starts_with(ids, self._prefix))
        if not len(nodes):
            return sources
        last = nodes[-1].as_py()
        while self._batch is not None:
            known, their_sources = self._batch.column("id"), self._batch.column("source")
            sources = pc.coalesce(sources, their_sources.take(pc.index_in(ids, value_set=known)))
            if known[-1].as_py() >= last:
                break
            self._batch = next(self._batches, None)
        return sources


def describe_links(graph: StoredGraph) -> Iterator[Chunk]:
    """Link the listed scenarios of the graph to those that are broader or related."""
    scenarios = graph.table("Scenario").select(["label", "id"])
    ids = dict(zip(*(column.to_pylist() for column in scenarios.columns), strict=True))
    present = [concept for concept in concept_scheme() if concept.label in ids]
    for predicate, pairs in (
        ("skos:broader", [(concept.label, other) for concept in present for other in concept.broader]),
        ("skos:related", [(concept.label, other) for concept in present for other in concept.related]),
    ):
        rows = [(ids[label], ids[other]) for label, other in pairs if other in ids]
        if rows:
            starts, ends = (pa.array(column) for column in zip(*rows, strict=True))
            yield Chunk((Description(starts, (), (Value(predicate, ends, Reference.DATA),)),))


_ROWS = 16_384
_BYTES = 32 << 20
_ID = r"^[a-z-]+/[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$"
_RELATIONS = pa.array(list(RELATION_TYPES))
_RELATION_TERMS = pa.array([relation_term(name) for name in RELATION_TYPES])


def in_instance_layer(name: str) -> bool:
    """Whether the rows of a type belong to the named graph of a source."""
    if name in RELATION_TYPES:
        return RELATION_TYPES[name].layer is Layer.INSTANCE
    return name == "Source" or name in NODES_OF_SOURCES


def describe(graph: StoredGraph) -> Iterator[Chunk]:
    """Describe all rows of the graph: the default graph first, then the named graphs.

    Raises
    ------
    StoreError
        If an id cannot be part of an IRI or a statement names an unknown relation.
    """
    language = text_language(graph)
    for name in sorted(TABLE_NAMES, key=in_instance_layer):
        batches = chain.from_iterable(map(_slices, graph.batches(name, _ROWS)))
        if name in NODE_TYPES:
            for batch in batches:
                yield from _describe_nodes(name, batch, language)
            if name == "BenchmarkScore":
                yield describe_metrics(graph.table(name).column("metric"))
            elif name == "Scenario":
                yield from describe_links(graph)
        else:
            starts = {start for start, _ in RELATION_TYPES[name].ends}.intersection(NODES_OF_SOURCES)
            sources = NodeSources(graph, starts.pop()) if starts else None
            for batch in batches:
                yield _describe_relations(name, batch, sources)


def _slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Slices of the batch, far below the two gigabytes of text that an array can hold."""
    rows = max(1, min(batch.num_rows, batch.num_rows * _BYTES // max(batch.nbytes, 1)))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _ids(name: str, batch: pa.RecordBatch, column: str) -> pa.Array:
    ids = batch.column(column)
    if pa.types.is_list(ids.type):
        ids = pc.list_flatten(ids)
    unfit = pc.invert(pc.match_substring_regex(ids, _ID))
    if pc.any(unfit).as_py():
        raise StoreError(f"{ids.filter(unfit)[0].as_py()!r} cannot be part of an IRI", where=f"{name}.{column}")
    return ids


def _value(name: str, batch: pa.RecordBatch, item: Property) -> Value:
    predicate = property_term(name, item.name)
    if item.type is ValueType.NODE:
        return Value(predicate, _ids(name, batch, item.name), Reference.DATA)
    if (name, item.name) == ("Statement", "relation"):
        return Value(predicate, _predicates(batch.column(item.name)), Reference.TERM)
    return Value(predicate, batch.column(item.name), item.type)


def _predicates(relations: pa.Array) -> pa.Array:
    positions = pc.index_in(relations, value_set=_RELATIONS)
    if positions.null_count:
        unknown = relations.filter(pc.is_null(positions))[0].as_py()
        raise StoreError(f"there is no relation {unknown!r}", where="Statement.relation")
    return _RELATION_TERMS.take(positions)


def _describe_nodes(name: str, batch: pa.RecordBatch, language: str) -> Iterator[Chunk]:
    subjects = _ids(name, batch, "id")
    properties = NODE_TYPES[name].properties
    lists = [item for item in properties if item.type is ValueType.STRINGS]
    inverse = [item for item in properties if item.type is ValueType.NODES]
    values = {item.name: _value(name, batch, item) for item in properties if item not in (*lists, *inverse)}
    if "label" in values:
        values["label"] = evolve(values["label"], language=language)
    others: list[Description] = []
    graphs = None
    if name == "Scenario":
        values["prefLabel"] = evolve(values["label"], predicate="skos:prefLabel")
        values["inScheme"] = Value("skos:inScheme", constant(SCENARIO_SCHEME, len(subjects)), Reference.DATA)
    elif name == "BenchmarkScore":
        values["metric of"] = Value("dqv:isMeasurementOf", metric_ids(batch.column("metric")), Reference.DATA)
    elif name == "Source":
        graphs = subjects
    elif name in NODES_OF_SOURCES:
        graphs = values["source"].objects
    if name == "Passage":
        selectors = join(subjects, ".selector")
        span = (values.pop("start"), values.pop("end"))
        values["selector"] = Value("oa:hasSelector", selectors, Reference.DATA)
        others.append(Description(selectors, ("oa:TextPositionSelector",), span))
    for item in lists:
        values |= _list_heads(name, item, subjects, batch.column(item.name))
    yield Chunk((Description(subjects, class_terms(name), tuple(values.values())), *others), graphs, batch.num_rows)
    for item in lists:
        yield _list_cells(name, item, subjects, batch.column(item.name), language, graphs)
    for item in inverse:
        owners = Value(
            INVERSE_PROPERTIES[(name, item.name)],
            subjects.take(pc.list_parent_indices(batch.column(item.name))),
            Reference.DATA,
        )
        yield Chunk((Description(_ids(name, batch, item.name), (), (owners,)),))


def _list_heads(name: str, item: Property, subjects: pa.Array, lists: pa.Array) -> dict[str, Value]:
    """The list of each subject: its first cell, or rdf:nil."""
    predicate = property_term(name, item.name)
    length = pc.list_value_length(lists)
    none = pa.scalar(None, pa.string())
    first = pc.if_else(pc.greater(length, 0), join(subjects, f".{_local(predicate)}.0"), none)
    empty = pc.if_else(pc.equal(length, 0), pa.scalar("rdf:nil"), none)
    return {
        item.name: Value(predicate, first, Reference.DATA),
        f"no {item.name}": Value(predicate, empty, Reference.TERM),
    }


def _list_cells(
    name: str, item: Property, subjects: pa.Array, lists: pa.Array, language: str, graphs: pa.Array | None
) -> Chunk:
    """The cells of RDF lists, which keep order and repetitions, as plain triples do not; in the graphs of their
    subjects."""
    texts = pc.list_flatten(lists)
    parents = pc.list_parent_indices(lists)
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_pylist()
    numbers = pa.array([i for length in lengths for i in range(length)], pa.int64())
    stem = join(subjects.take(parents), f".{_local(property_term(name, item.name))}.")
    cells = join(stem, numbers.cast(pa.string()))
    is_last = pa.array([i == length - 1 for length in lengths for i in range(length)], pa.bool_())
    none = pa.scalar(None, pa.string())
    following = join(stem, pc.add(numbers, 1).cast(pa.string()))
    values = (
        Value("rdf:first", texts, ValueType.STRING, language),
        Value("rdf:rest", pc.if_else(is_last, none, following), Reference.DATA),
        Value("rdf:rest", pc.if_else(is_last, pa.scalar("rdf:nil"), none), Reference.TERM),
    )
    member = MEMBER_PROPERTIES[(name, item.name)]
    members = Description(subjects.take(parents), (), (Value(member, texts, ValueType.STRING, language),))
    return Chunk((members, Description(cells, (), values)), None if graphs is None else graphs.take(parents))


def qualified_ids(name: str, starts: pa.Array, ends: pa.Array) -> pa.Array:
    """The ids of the qualified relations that hold the properties of relations without a Statement."""
    return join(starts, f".{_local(relation_term(name))}.", pc.replace_substring(ends, "/", "."))


def _local(term: str) -> str:
    return term.partition(":")[2]


def _describe_relations(name: str, batch: pa.RecordBatch, sources: NodeSources | None) -> Chunk:
    relation = RELATION_TYPES[name]
    starts, ends = _ids(name, batch, "from_id"), _ids(name, batch, "to_id")
    term = relation_term(name)
    links = [Value(term, ends, Reference.DATA)]
    for end, external in EXTERNAL_RELATIONS.get(name, {}).items():
        fits = pc.starts_with(ends, f"{ID_PREFIXES[end]}/")
        fits = pc.and_(fits, batch.column("usual")) if "usual" in batch.schema.names else fits
        links.append(Value(external, pc.if_else(fits, ends, pa.scalar(None, pa.string())), Reference.DATA))
    descriptions = [Description(starts, (), tuple(links))]
    if name == "SCORED":
        descriptions.append(Description(ends, (), (Value("dqv:computedOn", starts, Reference.DATA),)))
    numbers = tuple(_value(name, batch, item) for item in relation.properties if item.name != "statement")
    if relation.has_statement:
        descriptions.append(Description(_ids(name, batch, "statement"), (), numbers))
    elif numbers:
        reified = (
            Value("rdf:subject", starts, Reference.DATA),
            Value("rdf:predicate", constant(term, len(starts)), Reference.TERM),
            Value("rdf:object", ends, Reference.DATA),
        )
        descriptions.append(Description(qualified_ids(name, starts, ends), (QUALIFIED_RELATION,), (*reified, *numbers)))
    graphs = None
    if sources is not None or any(start == "Source" for start, _ in relation.ends):
        others = pa.nulls(len(starts), pa.string()) if sources is None else sources.of(starts)
        graphs = pc.if_else(pc.starts_with(starts, "source/"), starts, others)
    return Chunk(tuple(descriptions), graphs, batch.num_rows)


class GraphChunks:
    """Iterate over the chunks of a graph, its description last; `triples` counts those so far."""

    def __init__(self, graph: StoredGraph, progress: Callable[[int], None] | None = None) -> None:
        self._graph = graph
        self._progress = progress
        self.triples = 0

    def __iter__(self) -> Iterator[Chunk]:
        for chunk in chain(describe(self._graph), describe_dataset(self._graph)):
            # Counted behind it: who asks for the next chunk has written this one.
            yield chunk
            self.triples += chunk.triples
            if self._progress is not None and chunk.rows:
                self._progress(chunk.rows)


def portions(parts: Iterable[memoryview], size: int) -> Iterator[bytes]:
    """Whole `parts` of a document joined to about `size` bytes, so that no line is cut."""
    gathered: list[memoryview] = []
    length = 0
    for part in parts:
        gathered.append(part)
        length += len(part)
        if length >= size:
            yield b"".join(gathered)
            gathered, length = [], 0
    if length:
        yield b"".join(gathered)
