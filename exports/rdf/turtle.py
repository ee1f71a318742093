"""Turtle, and TriG with its named graphs."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from exports.rdf.descriptions import Chunk, Description, Value, join
from exports.rdf.literals import double, each_distinct
from exports.rdf.syntax import Syntax, by_graph, join_all, where
from exports.rdf.terms import DATA_KINDS, PREFIXES
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
