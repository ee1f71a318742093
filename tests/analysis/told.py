"""Graphs whose documents are in their records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgscripts import ScriptGraph
from kgscripts.records.database import SOURCE
from kgscripts.records.shards import Reading, write_shard
from schemas.records import Document
from schemas.vocabulary import node_id
from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph


def record(directory: Path, documents: Sequence[Document]) -> None:
    """Write documents as one shard into the records of a graph directory."""
    write_shard(directory / "records", [Reading(item.digest, SOURCE, [item]) for item in documents])


def told_graph(directory: Path, spans: Sequence[tuple[Document, int, int]]) -> tuple[ScriptGraph, list[str]]:
    """A graph of passages of documents, with these in its records, and the IRIs of the passages."""
    documents = {item.digest: item for item, _, _ in spans}
    sources = {digest: node_id("Source", item.name, digest) for digest, item in documents.items()}
    passages = [
        {
            "id": node_id("Passage", "", str(number)),
            "kind": "sentence",
            "start": start,
            "end": end,
            "text": item.text[start:end],
            "source": sources[item.digest],
        }
        for number, (item, start, end) in enumerate(spans)
    ]
    rows = [
        {
            "id": sources[digest],
            "name": item.name,
            "digest": digest,
            "title": item.title or None,
            "format": item.format,
            "characters": len(item.text),
        }
        for digest, item in documents.items()
    ]
    graph = write_graph(directory, {"Source": rows, "Passage": passages})
    record(directory, list(documents.values()))
    return graph, [graph.iri(str(passage["id"])) for passage in passages]


def told_kitchen(directory: Path, more: str = "") -> ScriptGraph:
    """The graph of the kitchen with its texts in the records, each followed by `more`."""
    rows = kitchen_rows()
    texts = {row["source"]: row["text"] for row in rows["Passage"] if row["kind"] == "segment"}
    documents = []
    for row in rows["Source"]:
        item = Document(name=row["name"], format="text", text=texts[row["id"]] + more, passages=())
        documents.append(item)
        row["digest"] = item.digest
    graph = write_graph(directory, rows)
    record(directory, documents)
    return graph
