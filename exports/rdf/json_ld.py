"""JSON-LD 1.1, one node object per subject, in the context of `exports.rdf.context`."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

from exports.rdf.context import context_terms, json_key
from exports.rdf.descriptions import Chunk, Description, Value, join
from exports.rdf.literals import double, each_distinct, escaped
from exports.rdf.syntax import Syntax, by_graph, join_all, where
from schemas.type_declarations import ValueType


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
