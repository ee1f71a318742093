"""Turtle, TriG with its named graphs, N-Quads and JSON-LD 1.1 files, optionally compressed, written in constant memory.

JSON-LD has one node object per subject, in the context of `exports.rdf.context`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from exports.rdf.context import context_terms, json_key
from exports.rdf.descriptions import Chunk, Description, Value, double, each_distinct, escaped, join
from exports.rdf.mapping import GraphChunks
from exports.rdf.syntax import NQuads, Syntax, by_graph, join_all, where
from exports.rdf.terms import DATA_KINDS, PREFIXES
from exports.targets import ExportOptions, compression_of, opened, report
from schemas.graph_directory import graph_files
from schemas.output_files import new_file
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph
from schemas.type_declarations import ValueType


class Turtle(Syntax):
    """Triples grouped by subject; named graphs are merged."""

    def start(self) -> str:
        """All prefixes: those of vocabularies, and one per node type."""
        prefixes = PREFIXES | {kind: f"{self.base_iri}{kind}/" for kind in DATA_KINDS}
        return "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items()) + "\n"

    def pieces(self, chunk: Chunk) -> pa.Array:
        """The row's subjects, each with all its triples."""
        return join_all(*map(self._block, chunk.descriptions))

    def _block(self, description: Description) -> pa.Array:
        head = join(self.data(description.subjects), " ")
        predicates = [(value.predicate, self.objects(value)) for value in description.values]
        if description.types:
            head = join(head, "a " + ", ".join(description.types))
        else:
            predicate, objects = predicates.pop(0)
            head = join(head, f"{predicate} ", objects)
        parts = [join(f" ;\n    {predicate} ", objects) for predicate, objects in predicates]
        return join_all(head, *parts, pa.scalar(" .\n"))

    def data(self, ids: pa.Array) -> pa.Array:
        """Prefixed names: the node type is the prefix."""
        return pc.replace_substring(ids, "/", ":", max_replacements=1)

    def term(self, term: str) -> str:
        """Prefixed names."""
        return term

    def literal(self, value: Value) -> pa.Array:
        """Quoted strings, plain numbers and booleans."""
        if value.kind is ValueType.STRING:
            return self.text(value)
        if value.kind is ValueType.NUMBER:
            return each_distinct(value.objects, _turtle_double)
        return value.objects.cast(pa.string())


def _turtle_double(value: float) -> str:
    text = double(value)
    return text if "E" in text else f'"{text}"^^xsd:double'


class TriG(Turtle):
    """Turtle with a block for each named graph."""

    def pieces(self, chunk: Chunk) -> pa.Array:
        """As in Turtle, in one block per named graph."""
        pieces = super().pieces(chunk)
        if chunk.graphs is None or not len(pieces):
            return pieces
        graphs, pieces, first, last = by_graph(chunk, pieces)
        is_named = pc.is_valid(graphs)
        closing = pc.if_else(is_named, pa.scalar("}\n"), pa.scalar(""))
        return join_all(where(first, join(self.data(graphs), " {\n")), pieces, where(last, closing))


class JsonLd(Syntax):
    """A flat array of node objects, and one of named graphs."""

    separator = ",\n"

    def start(self) -> str:
        """The context, and the array that holds everything."""
        context = context_terms() | {"data": self.base_iri}
        return '{"@context": ' + json.dumps(context, ensure_ascii=False) + ',\n"@graph": [\n'

    def end(self) -> str:
        """The closing brackets of the document."""
        return "\n]}\n"

    def pieces(self, chunk: Chunk) -> pa.Array:
        """The row's node objects; those of one named graph are in one array."""
        objects = [self._object(description) for description in chunk.descriptions]
        pieces = pc.binary_join_element_wise(*objects, pa.scalar(",\n"))
        if chunk.graphs is None or not len(pieces):
            return join(",\n", pieces)
        graphs, pieces, first, last = by_graph(chunk, pieces)
        is_named = pc.is_valid(graphs)
        opening = where(first, join(',\n{"id": ', self.data(graphs), ', "@graph": [\n'))
        continued = pc.if_else(pc.and_(first, is_named), pa.scalar(""), pa.scalar(",\n"))
        closing = where(pc.and_(last, is_named), pa.scalar("\n]}"))
        return join_all(opening, continued, pieces, closing)

    def _object(self, description: Description) -> pa.Array:
        parts = [join('{"id": ', self.data(description.subjects))]
        if description.types:
            types = json.dumps([json_key(term) for term in description.types])
            parts.append(pa.scalar(f', "type": {types}'))
        parts += [join(f', "{json_key(value.predicate)}": ', self.objects(value)) for value in description.values]
        return join_all(*parts, pa.scalar("}"))

    def data(self, ids: pa.Array) -> pa.Array:
        """Compact IRIs below the base."""
        return join('"data:', ids, '"')

    def term(self, term: str) -> str:
        """Quoted CURIEs; the context defines them as IRIs."""
        return f'"{term}"'

    def iri(self, iri: str) -> str:
        """Quoted."""
        return json.dumps(iri)

    def literal(self, value: Value) -> pa.Array:
        """JSON values; the context defines their types."""
        if value.kind is ValueType.STRING:
            text = join('"', escaped(value.objects), '"')
            # The context defines the datatypes of its terms; languages differ from graph to graph.
            return join('{"@value": ', text, f', "@language": "{value.language}"}}') if value.language else text
        if value.kind is ValueType.NUMBER:
            return each_distinct(value.objects, _json_number)
        return value.objects.cast(pa.string())


def _json_number(value: float) -> str:
    """A JSON number if 16 digits, the precision of JSON-LD, represent it exactly; else a string."""
    exact = float(f"{value:.15E}") == value
    return repr(value) if exact and value not in (float("inf"), float("-inf")) else f'"{double(value)}"'


SYNTAXES: dict[str, type[Syntax]] = {".ttl": Turtle, ".trig": TriG, ".nq": NQuads, ".jsonld": JsonLd}


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write `graph` to the file `target`; its suffix selects the syntax, `.gz` or `.zst` after it the compression.

    Turtle has no named graphs and merges them. The same graph gives the same bytes.

    Raises
    ------
    StoreError
        If the file cannot be written or an id cannot be part of an IRI.
    """
    path = Path(target)
    compression = compression_of(path)
    suffix = Path(path.name.lower().removesuffix(compression)).suffix
    syntax = SYNTAXES[suffix](graph.manifest.base_iri)
    if options.dry_run:
        return report(graph, target)
    chunks = GraphChunks(graph, options.progress)
    with new_file(path, inputs=graph_files(graph.directory)) as temporary:
        with opened(temporary, compression) as sink:
            for part in syntax.document(chunks):
                sink.write(part)
        size = temporary.stat().st_size
    return report(graph, target, triples=chunks.triples, bytes=size)
