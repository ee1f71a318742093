"""BROADER: tools that are named by a compound, and the tools that its head names."""

from __future__ import annotations

from collections.abc import Collection

from kgscripts.assembly.step import Step, Tables, tables_in
from kgscripts.assembly.writing.models import as_batches
from kgscripts.text.lexicon import is_a
from schemas.graph_writer import ScriptGraphWriter


def broader_name(name: str, names: Collection[str]) -> str | None:
    """The longest of `names` that ends a compound and begins with one of its later words: "pan" for "cake pan".

    A compound of the class ``no_kind`` has none: a rolling pin is no pin.
    """
    if is_a(name, "no_kind"):
        return None
    words = name.split(" ")
    heads = (" ".join(words[start:]) for start in range(1, len(words)))
    return next((head for head in heads if head in names), None)


_TOOLS = "SELECT label, id FROM tool n JOIN tool_total t ON t.key = n.tool WHERE support >= least_support()"


def step(writer: ScriptGraphWriter) -> Step:
    """Write BROADER for the tools of the graph."""

    def write(tables: Tables) -> None:
        tools = tables.table(_TOOLS)
        ids = dict(zip(*(tools[name].to_pylist() for name in ("label", "id")), strict=True))
        pairs = sorted((ids[name], ids[head]) for name in ids if (head := broader_name(name, ids)) is not None)
        columns = {"from_id": [start for start, _ in pairs], "to_id": [end for _, end in pairs]}
        writer.write("BROADER", as_batches("BROADER", columns))

    return Step("write BROADER", ("graph/BROADER",), tables_in(_TOOLS), write)
