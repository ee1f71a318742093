"""Shards: Parquet files that hold what was read, one row a source; a file's name is the digest of its bytes."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from attrs import asdict, frozen

from schemas.errors import GraphDirectoryError, RecordError
from schemas.graph_directory import durable
from schemas.records import Action, ConcreteStep, Decomposition, Discard, Document, EventMention, Passage, Reading

_ROWS_A_GROUP = 512
_SPAN = [pa.field("start", pa.int64()), pa.field("end", pa.int64())]
_PASSAGE = pa.struct([pa.field("kind", pa.string()), *_SPAN])
_ARGUMENT = pa.struct([pa.field("lemma", pa.string()), pa.field("role", pa.string()), *_SPAN])
_TOOL = pa.struct([pa.field("lemma", pa.string()), *_SPAN])
ACTION_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")
_EVENT = pa.struct(
    [
        *(pa.field(part, pa.string()) for part in ACTION_PARTS),
        *_SPAN,
        pa.field("score", pa.float64()),
        pa.field("extractor", pa.int64()),
        pa.field("participants", pa.list_(_ARGUMENT)),
        pa.field("tools", pa.list_(_TOOL)),
    ]
)
_STEP = pa.struct(
    [pa.field("event", pa.int64()), pa.field("log_probability", pa.float64()), pa.field("tools", pa.list_(_TOOL))]
)
_DECOMPOSITION = pa.struct(
    [pa.field("event", pa.int64()), pa.field("extractor", pa.int64()), pa.field("steps", pa.list_(_STEP))]
)
_PHRASE = pa.struct(
    [
        pa.field("word_start", pa.int64()),
        pa.field("word_end", pa.int64()),
        *_SPAN,
        pa.field("log_probability", pa.float64()),
    ]
)
DISCARD = pa.struct(
    [pa.field("reason", pa.string()), pa.field("where", pa.string()), *_SPAN, pa.field("detail", pa.string())]
)
RECORDS = pa.schema(
    [
        pa.field("digest", pa.string(), nullable=False),
        pa.field("reader", pa.string(), nullable=False),
        pa.field("format", pa.string()),
        pa.field("title", pa.string()),
        pa.field("scenario", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("passages", pa.list_(_PASSAGE)),
        pa.field("sentences", pa.list_(_PASSAGE)),
        pa.field("events", pa.list_(_EVENT)),
        pa.field("discards", pa.list_(DISCARD)),
        pa.field("decompositions", pa.list_(_DECOMPOSITION)),
        pa.field("phrases", pa.list_(_PHRASE)),
    ]
)
"""The columns of a shard. Rows ascend by `digest`, which with `reader` names a row.

Decompositions refer to events by their place in the row, so that what several extractors found stays one mention.
"""


def encode(documents: Sequence[Document], readings: Sequence[Sequence[Reading]], reader: str) -> pa.RecordBatch:
    """Documents and what the reader with the digest `reader` found in each, as rows of a shard.

    `readings` holds one sequence a document with the reading of each extractor of the reader; sentences are taken from
    the first.

    Raises
    ------
    RecordError
        If a decomposition refers to an event that no extractor found.
    """
    rows = [
        {
            "digest": document.digest,
            "reader": reader,
            "format": document.format,
            "title": document.title,
            "scenario": document.scenario,
            "text": document.text,
            "passages": [_passage(passage) for passage in document.passages],
            "sentences": [_passage(sentence) for sentence in found[0].sentences],
            "events": [_event(event, place) for place, reading in enumerate(found) for event in reading.events],
            "discards": [encode_discard(discard) for reading in found for discard in reading.discards],
            "decompositions": _decompositions(document, found),
            "phrases": [asdict(phrase) for reading in found for phrase in reading.phrases],
        }
        for document, found in zip(documents, readings, strict=True)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=RECORDS)


def _passage(passage: Passage) -> dict[str, Any]:
    return {"kind": passage.kind, "start": passage.start, "end": passage.end}


def _event(event: EventMention, extractor: int) -> dict[str, Any]:
    return {
        **dict(zip(ACTION_PARTS, event.action.key, strict=True)),
        "start": event.start,
        "end": event.end,
        "score": event.score,
        "extractor": extractor,
        "participants": [
            {"lemma": item.lemma, "role": item.role, "start": item.start, "end": item.end}
            for item in event.participants
        ],
        "tools": [{"lemma": item.lemma, "start": item.start, "end": item.end} for item in event.tools],
    }


def _decompositions(document: Document, readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """The decompositions of a document, their events by place among the events of all readings."""
    places: dict[tuple[Action, int, int], int] = {}
    for place, event in enumerate(event for reading in readings for event in reading.events):
        places.setdefault((event.action, event.start, event.end), place)

    def place_of(item: Decomposition | ConcreteStep) -> int:
        try:
            return places[item.action, item.start, item.end]
        except KeyError:
            raise RecordError(
                f"a decomposition refers to {item.action.label!r} at {item.start}:{item.end}, where no event was read",
                where=document.name,
                remedy="extractors refer to events of their own reading or of an extractor before them",
            ) from None

    return [
        {
            "event": place_of(item),
            "extractor": extractor,
            "steps": [
                {
                    "event": place_of(step),
                    "log_probability": step.log_probability,
                    "tools": [asdict(tool) for tool in step.tools],
                }
                for step in item.steps
            ],
        }
        for extractor, reading in enumerate(readings)
        for item in reading.decompositions
    ]


def encode_discard(discard: Discard) -> dict[str, Any]:
    """A discard as a plain row."""
    return {
        "reason": discard.reason,
        "where": discard.where,
        "start": discard.start,
        "end": discard.end,
        "detail": discard.detail,
    }


@frozen
class Shard:
    """A shard on disk: its size and the (digest, reader) of its rows, in their order."""

    path: Path
    bytes: int
    keys: tuple[tuple[str, str], ...]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Check the file against its name and read its keys.

        Raises
        ------
        GraphDirectoryError
            If the file is damaged.
        """
        try:
            if _digest(path) == path.stem:
                keys = pq.read_table(path, columns=["digest", "reader"]).to_pydict()
                readers = map(sys.intern, keys["reader"])
                return cls(path, path.stat().st_size, tuple(zip(keys["digest"], readers, strict=True)))
        except pa.ArrowException:
            pass
        raise GraphDirectoryError("the shard of records is damaged", where=str(path))

    @classmethod
    def write(cls, folder: Path, table: pa.Table) -> Self:
        """Write `table` as a shard of `folder`; it is there whole or not at all."""
        table = table.take(pc.sort_indices(table, [("digest", "ascending"), ("reader", "ascending")]))
        part = folder / "shard.part"
        with durable(part):
            pq.write_table(table, part, compression="zstd", row_group_size=_ROWS_A_GROUP)
        path = part.replace(folder / f"{_digest(part)}.parquet")
        keys = zip(table["digest"].to_pylist(), table["reader"].to_pylist(), strict=True)
        return cls(path, path.stat().st_size, tuple(keys))

    def read(self, keep: set[tuple[str, str]] | None = None) -> pa.Table:
        """The rows, or those whose keys are in `keep`."""
        table = _with_all_columns(pq.read_table(self.path))
        return table if keep is None else table.filter(pa.array([key in keep for key in self.keys], pa.bool_()))


def _with_all_columns(rows: Any) -> Any:
    """Rows (table or batch) as RECORDS has them: shards written before there were decompositions hold none."""
    for item in RECORDS:
        if item.name not in rows.column_names:
            rows = rows.append_column(item, pa.array([[]] * rows.num_rows, item.type))
    return rows


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


class _Cursor:
    """Reads a shard forward, a row group at a time."""

    def __init__(self, shard: Shard) -> None:
        self._batches = map(_with_all_columns, pq.ParquetFile(shard.path).iter_batches(_ROWS_A_GROUP))
        self._rest: pa.RecordBatch | None = next(self._batches, None)

    def through(self, digest: str) -> Iterator[pa.RecordBatch]:
        """The rows not read yet up to the source `digest`, itself included."""
        while self._rest is not None:
            inside = pc.sum(pc.less_equal(self._rest["digest"], digest)).as_py()
            if inside:
                yield self._rest.slice(0, inside)
            if inside < self._rest.num_rows:
                self._rest = self._rest.slice(inside)
                return
            self._rest = next(self._batches, None)


def merged(shards: Iterable[Shard], wanted: Mapping[str, str], rows: int) -> Iterator[pa.RecordBatch]:
    """The rows of `wanted` (source -> reader), each once and ascending by source, `rows` at a time.

    Memory holds one row group a shard.
    """
    cursors = [_Cursor(shard) for shard in shards]
    ordered = sorted(wanted)
    for start in range(0, len(ordered), rows):
        last = ordered[start : start + rows][-1]
        pieces = [piece for cursor in cursors for piece in cursor.through(last)]
        table = pa.Table.from_batches(pieces, schema=RECORDS)
        table = table.take(pc.sort_indices(table, [("digest", "ascending")]))
        keep: list[bool] = []
        previous = ""
        for digest, reader in zip(table["digest"].to_pylist(), table["reader"].to_pylist(), strict=True):
            keep.append(digest != previous and wanted.get(digest) == reader)
            previous = digest if keep[-1] else previous
        yield table.filter(pa.array(keep, pa.bool_())).combine_chunks().to_batches()[0]
