"""The index of the records: which inputs were read, and which sources each of them gave."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import Factory, define

from kgscripts.assembly.shards import DISCARD, encode_discard
from schemas.errors import GraphDirectoryError, RecordError
from schemas.graph_directory import durable
from schemas.records import Discard

_SOURCE = pa.struct([pa.field(name, pa.string()) for name in ("digest", "name", "reader")])
_INDEX = pa.schema(
    [
        pa.field("input", pa.string(), nullable=False),
        pa.field("fingerprint", pa.string(), nullable=False),
        pa.field("complete", pa.bool_(), nullable=False),
        pa.field("sources", pa.list_(_SOURCE)),
        pa.field("discards", pa.list_(DISCARD)),
    ]
)


@define
class Input:
    """What one file or text gave.

    `key` tells inputs apart (the resolved path of a file), `fingerprint` their contents and how they were parsed;
    `complete` is false where a limit ended the reading.
    """

    key: str
    fingerprint: str
    complete: bool = False
    sources: dict[tuple[str, str], str] = Factory(dict)
    """Digest and name of each source -> digest of its reader."""
    discards: list[Discard] = Factory(list)

    def complement(self, known: Input) -> None:
        """Keep what an earlier reading of the same contents found behind the limit of this one."""
        self.sources = known.sources | self.sources
        self.discards += [discard for discard in known.discards if discard not in set(self.discards)]
        self.complete |= known.complete


def write_index(path: Path, inputs: Iterable[Input]) -> None:
    """Write the index, whole or not at all."""
    rows = [
        {
            "input": item.key,
            "fingerprint": item.fingerprint,
            "complete": item.complete,
            "sources": [
                {"digest": digest, "name": name, "reader": reader} for (digest, name), reader in item.sources.items()
            ],
            "discards": [encode_discard(discard) for discard in item.discards],
        }
        for item in inputs
    ]
    part = path.with_suffix(".part")
    with durable(part):
        pq.write_table(pa.Table.from_pylist(rows, schema=_INDEX), part, compression="zstd", write_page_checksum=True)
    part.replace(path)


def read_index(path: Path) -> dict[str, Input]:
    """The inputs by their keys; none where there is no index yet.

    Raises
    ------
    GraphDirectoryError
        If the file is damaged.
    """
    if not path.exists():
        return {}
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        if table.schema != _INDEX:
            raise RecordError(f"it has the columns {table.schema.names}")
        return {row["input"]: _input(row) for row in table.to_pylist()}
    except (OSError, pa.ArrowException, ValueError, RecordError) as error:
        raise GraphDirectoryError(
            f"the index of the records is damaged ({error})",
            where=str(path),
            remedy="delete this file and build again from all inputs; what was read need not be read again",
        ) from error


def _input(row: dict[str, Any]) -> Input:
    return Input(
        key=row["input"],
        fingerprint=row["fingerprint"],
        complete=row["complete"],
        sources={(source["digest"], source["name"]): source["reader"] for source in row["sources"]},
        discards=[Discard(**discard) for discard in row["discards"]],
    )
