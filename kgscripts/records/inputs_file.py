"""The inputs and extractors of a record store as a file, of which a new index can be made: no shard knows of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import asdict

from kgscripts.records.database import INPUTS
from kgscripts.records.index import models_of
from kgscripts.records.inputs import Input, InputIndex
from kgscripts.records.shards import DAMAGED_FILE
from schemas.errors import DamagedIndexError
from schemas.graph_directory import durable, replace
from schemas.records import Discard, DiscardReason

if TYPE_CHECKING:
    from kgscripts.records.store import RecordStore

_TEXT = pa.string()
_SCHEMA = pa.schema(
    {
        "key": _TEXT,
        "fingerprint": _TEXT,
        "complete": pa.bool_(),
        "continues": pa.bool_(),
        "sources": pa.list_(pa.struct({"digest": _TEXT, "name": _TEXT})),
        "discards": pa.list_(
            pa.struct({"reason": _TEXT, "where": _TEXT, "start": pa.int64(), "end": pa.int64(), "detail": _TEXT})
        ),
        "unlisted": pa.list_(pa.struct({"reason": _TEXT, "count": pa.int64()})),
    }
)
_EXTRACTORS = b"kgscripts.extractors"
"""The metadata that holds digest, name, role and models of each extractor as JSON, the last added last."""
_SOURCES_A_GROUP = 100_000


def write_inputs(store: InputIndex) -> None:
    """Write the inputs and extractors of `store` beside its index.

    Raises
    ------
    GraphDirectoryError
        If the file cannot be written.
    """
    path = store.folder / INPUTS
    part = path.with_suffix(".part")
    entries = [asdict(entry) for entry in store.extractors().values()]
    schema = _SCHEMA.with_metadata({_EXTRACTORS: json.dumps(entries, sort_keys=True)})
    with durable(part), pq.ParquetWriter(part, schema, compression="zstd", write_page_checksum=True) as file:
        for rows in _groups(store):
            file.write_table(pa.Table.from_pylist(rows, schema))
    replace(part, path)


def restore_inputs(store: RecordStore) -> None:
    """Take the inputs and extractors of the file into `store`, and nothing if it is missing or damaged.

    Raises
    ------
    GraphDirectoryError
        If the index cannot be written.
    """
    with (
        suppress(*DAMAGED_FILE, DamagedIndexError),
        pq.ParquetFile(store.folder / INPUTS, page_checksum_verification=True) as file,
        store.transaction(),
    ):
        for entry in json.loads(file.schema_arrow.metadata[_EXTRACTORS]):
            store.add_extractor(entry["digest"], entry["name"], entry["role"], models_of(entry["models"]))
        for group in range(file.num_row_groups):
            for row in file.read_row_group(group).to_pylist():
                store.commit(inputs=[_input(row)])


def _groups(store: InputIndex) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    sources = 0
    for item in store.inputs():
        rows.append(
            {
                "key": item.key,
                "fingerprint": item.fingerprint,
                "complete": item.complete,
                "continues": item.continues,
                "sources": [{"digest": digest, "name": name} for digest, name in item.sources],
                "discards": [asdict(discard) for discard in item.discards],
                "unlisted": [{"reason": reason, "count": count} for reason, count in item.unlisted.items()],
            }
        )
        sources += len(item.sources) + 1
        if sources >= _SOURCES_A_GROUP:
            yield rows
            rows, sources = [], 0
    if rows:
        yield rows


def _input(row: dict[str, Any]) -> Input:
    return Input(
        key=row["key"],
        fingerprint=row["fingerprint"],
        complete=row["complete"],
        sources=[(source["digest"], source["name"]) for source in row["sources"]],
        discards=[Discard(**discard | {"reason": DiscardReason(discard["reason"])}) for discard in row["discards"]],
        unlisted={DiscardReason(item["reason"]): item["count"] for item in row["unlisted"]},
        continues=row["continues"],
    )
