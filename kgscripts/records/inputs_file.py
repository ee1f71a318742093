"""The inputs and extractors of a record store in a file, from which a lost index is made again: shards do not hold
them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import asdict

from kgscripts.records.database import INPUTS
from kgscripts.records.extractors import ExtractorEntry, models_of
from kgscripts.records.inputs import Input
from schemas.graph_directory import durable, replace
from schemas.records import Discard, DiscardReason

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


def write_inputs(folder: Path, extractors: Iterable[ExtractorEntry], inputs: Iterable[Input]) -> None:
    """Write the extractors, the last added last, and the inputs of a store into its `folder`.

    Raises
    ------
    GraphDirectoryError
        If the file cannot be written.
    """
    path = folder / INPUTS
    part = path.with_suffix(".part")
    entries = [asdict(entry) for entry in extractors]
    schema = _SCHEMA.with_metadata({_EXTRACTORS: json.dumps(entries, sort_keys=True)})
    with durable(part), pq.ParquetWriter(part, schema, compression="zstd", write_page_checksum=True) as file:
        for rows in _groups(inputs):
            file.write_table(pa.Table.from_pylist(rows, schema))
    replace(part, path)


def read_inputs(folder: Path) -> Iterator[ExtractorEntry | Input]:
    """The extractors, the last added last, and then the inputs of the file in `folder`.

    A file that is missing or damaged raises one of `shards.DAMAGED_FILE`, perhaps in the middle.
    """
    with pq.ParquetFile(folder / INPUTS, page_checksum_verification=True) as file:
        for entry in json.loads(file.schema_arrow.metadata[_EXTRACTORS]):
            yield ExtractorEntry(entry["digest"], entry["name"], entry["role"], models_of(entry["models"]))
        for group in range(file.num_row_groups):
            yield from map(_input, file.read_row_group(group).to_pylist())


def _groups(inputs: Iterable[Input]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    sources = 0
    for item in inputs:
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
