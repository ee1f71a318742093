"""All triples of a graph, in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from exports.rdf.dataset import describe_dataset
from exports.rdf.descriptions import Chunk
from exports.rdf.mapping import describe
from schemas.script_graph import StoredGraph


class GraphChunks:
    """Iterate over the chunks of a graph, its description last; `triples` counts those so far."""

    def __init__(self, graph: StoredGraph, progress: Callable[[int], None] | None = None) -> None:
        self._graph = graph
        self._progress = progress
        self.triples = 0

    def __iter__(self) -> Iterator[Chunk]:
        for chunk in chain(describe(self._graph), describe_dataset(self._graph)):
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
