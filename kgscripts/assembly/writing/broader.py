"""BROADER: from tools with a compound name to the tools that the head of the compound names, and from attributes to the
more general ones of the vocabulary."""

from __future__ import annotations

from collections.abc import Collection

from kgscripts.assembly.step import Step, Tables, tables_in
from kgscripts.assembly.writing.models import as_batches
from kgscripts.changes.attributes import broader_attribute
from kgscripts.text.lexicon import is_a
from schemas.graph_writer import ScriptGraphWriter


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

    def write(tables: Tables) -> None:
        pairs = []
        for query, broader in ((_ATTRIBUTES, broader_attribute), (_TOOLS, broader_name)):
            nodes = tables.table(query)
            ids = dict(zip(*(nodes[name].to_pylist() for name in ("label", "id")), strict=True))
            pairs += sorted((ids[name], ids[other]) for name in ids if (other := broader(name, ids)) is not None)
        columns = {"from_id": [start for start, _ in pairs], "to_id": [end for _, end in pairs]}
        writer.write("BROADER", as_batches("BROADER", columns))

    return Step("write BROADER", ("graph/BROADER",), tables_in(_TOOLS) | tables_in(_ATTRIBUTES), write)
