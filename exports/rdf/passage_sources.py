"""Look up the source of each passage of a table that is sorted by passage."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from schemas.script_graph import ScriptGraph


class PassageSources:
    """A merge join: passages and relations ascend by passage id, so one batch of passages is in memory at a time."""

    def __init__(self, graph: ScriptGraph) -> None:
        self._batches = graph.batches("Passage")
        self._batch = next(self._batches, None)

    def of(self, ids: pa.Array) -> pa.Array:
        """The source of each of `ids`, which ascend within and between calls; null for ids of other nodes."""
        sources = pa.nulls(len(ids), pa.string())
        passages = ids.filter(pc.starts_with(ids, "passage/"))
        if not len(passages):
            return sources
        last = passages[-1].as_py()
        while self._batch is not None:
            known, their_sources = self._batch.column("id"), self._batch.column("source")
            sources = pc.coalesce(sources, their_sources.take(pc.index_in(ids, value_set=known)))
            if known[-1].as_py() >= last:
                break
            self._batch = next(self._batches, None)
        return sources
