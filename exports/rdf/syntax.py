"""Serialisation of columns: each row of a chunk is one piece of the document. Includes N-Quads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from exports.rdf.descriptions import Chunk, Reference, Value, double, each_distinct, escaped, join
from exports.rdf.terms import DATATYPES, expand
from schemas.type_declarations import ValueType


class Syntax(ABC):
    """Serialises chunks into a document."""

    separator = ""
    """The text before each piece but the first."""

    def __init__(self, base_iri: str) -> None:
        self.base_iri = base_iri

    def start(self) -> str:
        """The beginning of the document."""
        return ""

    def end(self) -> str:
        """The end of the document."""
        return ""

    def document(self, chunks: Iterable[Chunk]) -> Iterator[memoryview]:
        """The document in UTF-8, one part per chunk."""
        yield memoryview(self.start().encode())
        # Each piece begins with a separator, which is cut off from the first.
        skip = len(self.separator)
        for chunk in chunks:
            pieces = self.pieces(chunk)
            if text := pieces.buffers()[2] if len(pieces) else None:
                # The texts of an Arrow array are contiguous in memory: the buffer is the document.
                yield memoryview(text).cast("B")[skip:]
                skip = 0
        yield memoryview(self.end().encode())

    @abstractmethod
    def pieces(self, chunk: Chunk) -> pa.Array:
        """One text per row, as a new array; concatenated they are the chunk."""

    @abstractmethod
    def data(self, ids: pa.Array) -> pa.Array:
        """References to resources in the graph."""

    @abstractmethod
    def term(self, term: str) -> str:
        """A term of a vocabulary."""

    def iri(self, iri: str) -> str:
        """An IRI in full."""
        return f"<{iri}>"

    @abstractmethod
    def literal(self, value: Value) -> pa.Array:
        """Literals of a type."""

    def text(self, value: Value) -> pa.Array:
        """Quoted, with the language or the datatype, in N-Quads and Turtle."""
        suffix = f"@{value.language}" if value.language else ""
        if value.datatype:
            suffix = f"^^{self.term(value.datatype)}"
        return join('"', escaped(value.objects), f'"{suffix}')

    def objects(self, value: Value) -> pa.Array:
        """The objects of a predicate in this syntax; null for null."""
        if value.kind is Reference.DATA:
            return self.data(value.objects)
        if value.kind in (Reference.TERM, Reference.IRI):
            form = self.term if value.kind is Reference.TERM else self.iri
            encoded = value.objects.dictionary_encode()
            return pa.array(map(form, encoded.dictionary.to_pylist()), pa.string()).take(encoded.indices)
        return self.literal(value)


def join_all(*parts: pa.Array) -> pa.Array:
    """Concatenate the parts of each row, omitting nulls."""
    return pc.binary_join_element_wise(*parts, pa.scalar(""), null_handling="replace", null_replacement="")


def by_graph(chunk: Chunk, pieces: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]:
    """Sort rows by graph, none last: graphs, pieces, and whether a row is the first or the last of its graph."""
    assert chunk.graphs is not None
    order = pc.sort_indices(chunk.graphs)
    graphs = chunk.graphs.take(order)
    named = pc.fill_null(graphs, "")
    changes = pc.not_equal(named[1:], named[:-1])
    edge = pa.array([True])
    return graphs, pieces.take(order), pa.concat_arrays([edge, changes]), pa.concat_arrays([changes, edge])


def where(rows: pa.Array, texts: pa.Array) -> pa.Array:
    return pc.if_else(rows, texts, pa.scalar(None, pa.string()))


class NQuads(Syntax):
    """One quad per line, with canonical escapes."""

    def pieces(self, chunk: Chunk) -> pa.Array:
        """The row's quads."""
        rows = len(chunk.descriptions[0].subjects)
        graphs = pa.nulls(rows, pa.string()) if chunk.graphs is None else chunk.graphs
        ends = pc.coalesce(join(" ", self.data(graphs), " .\n"), pa.scalar(" .\n"))
        lines = []
        for description in chunk.descriptions:
            subjects = self.data(description.subjects)
            lines += [join(subjects, f" {self.term('rdf:type')} {self.term(term)}", ends) for term in description.types]
            for value in description.values:
                lines.append(join(subjects, f" {self.term(value.predicate)} ", self.objects(value), ends))
        return join_all(*lines)

    def data(self, ids: pa.Array) -> pa.Array:
        """IRIs in full."""
        return join(f"<{self.base_iri}", ids, ">")

    def term(self, term: str) -> str:
        """IRIs in full."""
        return f"<{expand(term)}>"

    def literal(self, value: Value) -> pa.Array:
        """Quoted, with the datatype unless it is a string."""
        if value.kind is ValueType.STRING:
            return self.text(value)
        assert isinstance(value.kind, ValueType)
        is_number = value.kind is ValueType.NUMBER
        lexical = each_distinct(value.objects, double) if is_number else value.objects.cast(pa.string())
        return join('"', lexical, f'"^^{self.term(DATATYPES[value.kind])}')
