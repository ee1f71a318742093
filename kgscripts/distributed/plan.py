"""The plan of a reading in pieces: which parts of which inputs, by which extractors.

It lies in the folder ``pieces`` of a graph directory, beside what the pieces leave there::

    pieces/plan.json                 this plan
    pieces/<kind>/<shard>.parquet    records, as in ``records``
    pieces/finished/<piece>.json     what one piece has left, written last
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import attrs
from attrs import evolve, frozen
from cattrs import Converter
from cattrs.errors import ForbiddenExtraKeysError

from kgscripts.building.inputs import File, find_inputs, place_of
from kgscripts.building.options import BuildOptions
from kgscripts.distributed.object_stores import Store, StoredObject
from kgscripts.enrichers.protocol import Enricher
from kgscripts.extractors.registry import Chosen
from kgscripts.records.opening import open_records
from schemas.arguments import check_number, check_type, path_of, shown
from schemas.errors import ConfigurationError, GraphDirectoryError, KGScriptsError
from schemas.graph_directory import read_file, write_durably

T = TypeVar("T")

FOLDER = "pieces"
_FORMAT = 2
PLAN = "plan.json"
_LEAST_BYTES = 256 << 10
"""A file is cut only if its parts have at least this size."""
_MOST_PIECES = 100_000
# Larger integers are not exact for every reader of JSON.
_LARGEST = 2**53


DAMAGED = (ValueError, LookupError, TypeError, AttributeError, RecursionError, ForbiddenExtraKeysError)
"""What `structured` raises."""
_CONVERTER = Converter(detailed_validation=False, forbid_extra_keys=True)
_CONVERTER.register_structure_hook_func(lambda kind: kind in (str, int, bool), lambda value, kind: _exact(value, kind))


def structured(content: object, kind: type[T]) -> T:
    """Values of a file as an object; raises one of `DAMAGED` if a name or a type is another."""
    return _CONVERTER.structure(content, kind)


def _exact(value: object, kind: type[T]) -> T:
    if type(value) is not kind or (isinstance(value, int) and abs(value) > _LARGEST):
        raise TypeError(f"{shown(value)} is no {kind.__name__} of a plan")
    return value


@frozen(kw_only=True)
class Portion:
    """Each `parts`-th document of a file, from the document with the number `part` on.

    `path` (or URL) and `name` are those of the file, `fingerprint` identifies its content and how it is parsed.
    """

    path: str
    name: str
    fingerprint: str
    part: int = 0
    parts: int = 1


@frozen(kw_only=True)
class ReadingPlan:
    """The pieces of a reading, the options of the build, and the versions of its extractors with their names.

    `share` is the URL under which pieces are left instead of the folder of the graph directory.
    """

    options: Mapping[str, Any]
    extractors: Mapping[str, str]
    pieces: Sequence[Sequence[Portion]]
    share: str = ""

    @classmethod
    def read(cls, directory: Path) -> Self:
        """The plan in a graph directory.

        Raises
        ------
        GraphDirectoryError
            If there is none, or it is damaged or of another version of kgscripts.
        """
        path = directory / FOLDER / PLAN
        try:
            return cls.parsed(read_file(path), str(path))
        except FileNotFoundError:
            raise no_plan(str(path)) from None
        except (OSError, ValueError) as error:
            raise _damaged(str(path), error) from error

    @classmethod
    def parsed(cls, text: str, where: str) -> Self:
        """The plan that this text describes; raises GraphDirectoryError if it describes none."""
        try:
            content = json.loads(text)
            if content.pop("format") != _FORMAT:
                raise ValueError("it is of another version of kgscripts")
            plan = structured(content, cls)
            if not all(0 <= portion.part < portion.parts for piece in plan.pieces for portion in piece):
                raise ValueError("a part of a file has a number that does not exist")
            # It raises what is wrong with the options.
            BuildOptions(**plan.options)
            return plan
        except (*DAMAGED, KGScriptsError) as error:
            raise _damaged(where, error) from error

    def text(self) -> str:
        """The plan as `parsed` reads it."""
        return json.dumps({"format": _FORMAT, **attrs.asdict(self)}, indent=1, default=str) + "\n"

    def write(self, directory: Path) -> None:
        """Write the plan into a graph directory; a file is replaced as a whole."""
        write_durably(directory / FOLDER / PLAN, self.text().encode())

    def piece(self, number: int) -> Sequence[Portion]:
        """The portions of a piece, counted from 0; raises ConfigurationError if there is no such piece."""
        check_number("the piece", number, least=0)
        if number >= len(self.pieces):
            raise ConfigurationError(f"there is no piece {number}", remedy=f"name one from 0 to {len(self.pieces) - 1}")
        return self.pieces[number]

    def divided(self, number: int) -> ReadingPlan:
        """The plan with a piece cut in halves: the first one keeps the number, the second one comes last."""
        portions = self.piece(number)
        if len(portions) > 1:
            halves = [portions[: len(portions) // 2], portions[len(portions) // 2 :]]
        else:
            (whole,) = portions
            parts = whole.parts * 2
            halves = [[evolve(whole, part=part, parts=parts)] for part in (whole.part, whole.part + whole.parts)]
        pieces = [*self.pieces, halves[1]]
        pieces[number] = halves[0]
        return attrs.evolve(self, pieces=pieces)

    def digest(self, number: int) -> str:
        """Identifies what a piece reads, and by what: two pieces with one digest leave the same records."""
        content = [[attrs.astuple(portion) for portion in self.piece(number)], sorted(self.extractors)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def chosen(self) -> tuple[BuildOptions, list[Chosen], list[Enricher]]:
        """The options of the build, and its extractors and enrichers on this machine.

        Raises
        ------
        ConfigurationError
            If this machine has an extractor, its parser or its weights in another version than the plan.
        """
        options = BuildOptions(**self.options)
        chosen, enrichers = options.chosen()
        here = {item.version: item.extractor.name for item in chosen}
        if here.keys() != self.extractors.keys():
            other = sorted({(here | dict(self.extractors))[key] for key in here.keys() ^ self.extractors.keys()})
            raise ConfigurationError(
                f"this machine has other versions of {', '.join(other)}, of their parser or of their weights",
                remedy="install here what the machine of `kgscripts split-reading` has, or split there again",
            )
        return options, chosen, enrichers


def no_plan(where: str) -> GraphDirectoryError:
    """The error where a plan is missing."""
    return GraphDirectoryError(
        "there is no plan of a reading", where=where, remedy="run `kgscripts split-reading INPUT -o DIR`"
    )


def _damaged(where: str, error: Exception) -> GraphDirectoryError:
    return GraphDirectoryError(
        f"the plan of the reading is damaged ({error})",
        where=where,
        remedy="run `kgscripts split-reading` again; pieces that are finished stay so",
    )


def split_reading(
    inputs: Sequence[str | Path],
    directory: str | Path,
    *,
    pieces: int,
    share: str | None = None,
    **options: Any,
) -> ReadingPlan:
    """Plan the reading of inputs in pieces, and write the plan into a graph directory, which may hold a graph.

    Inputs that the graph has are left out. Others are read to identify them, and not parsed. Files are shared out by
    size, large ones cut at documents. The same call gives the same plan. A piece that a new plan has too stays
    finished. With `share`, the URL of a folder of an object store, the plan is put there too, and pieces are read and
    left there.

    `options` are those of `kgscripts.build_graph`; extractors are given by their names.

    Raises
    ------
    InputError
        If an input is missing.
    ConfigurationError
        If an option lies outside its range, or an extractor is not installed.
    GraphDirectoryError
        If the directory is foreign, in use, or cannot be written.
    StoreError
        If an object store refuses or does not answer.
    """
    check_number("pieces", pieces, most=_MOST_PIECES)
    check_type("share", share, (str, type(None)), "give a URL, such as s3://bucket/run1")
    store = None if share is None else Store.at(share)
    build_options = BuildOptions(**options)
    files = find_inputs(inputs)
    chosen, _ = build_options.chosen()
    path = path_of("output", directory)
    with open_records(path) as records:
        identified = (
            (file, given, given.fingerprint())
            for file, given in zip(files, build_options.file_inputs(files), strict=True)
        )
        new = [
            (file, fingerprint)
            for file, given, fingerprint in identified
            if not records.inputs.is_current(given.key, fingerprint)
        ]
    if not all(isinstance(item, str) for item in build_options.extractors or ()):
        raise ConfigurationError("extractors of a plan are given by name", remedy="install them as plug-ins")
    plan = ReadingPlan(
        options=build_options.changed(),
        extractors={item.version: item.extractor.name for item in chosen},
        pieces=_shared_out(new, pieces),
        share="" if store is None else store.url,
    )
    if store is not None:
        store.write(PLAN, plan.text().encode())
    plan.write(path)
    return plan


def _shared_out(files: Sequence[tuple[File, str]], pieces: int) -> list[list[Portion]]:
    """Pieces of about the same size, of files with their fingerprints; empty ones are left out."""
    sizes = [_size(file) for file, _ in files]
    share = max(_LEAST_BYTES, -(-sum(sizes) // pieces))
    portions: list[tuple[int, Portion]] = []
    for (file, fingerprint), size in zip(files, sizes, strict=True):
        parts = min(pieces, max(1, -(-size // share)))
        portions += [
            (
                size // parts,
                Portion(path=place_of(file), name=file.name, fingerprint=fingerprint, part=part, parts=parts),
            )
            for part in range(parts)
        ]
    loads = [0] * pieces
    shared: list[list[Portion]] = [[] for _ in range(pieces)]
    # The largest first, each to the piece that has least.
    for size, portion in sorted(portions, key=lambda item: (-item[0], item[1].path, item[1].part)):
        number = loads.index(min(loads))
        shared[number].append(portion)
        # Files whose size is not known are shared out evenly, too.
        loads[number] += max(size, 1)
    return [sorted(piece, key=lambda item: (item.path, item.part)) for piece in shared if piece]


def _size(file: File) -> int:
    if isinstance(file, StoredObject):
        return file.size
    try:
        return file.path.stat().st_size
    except OSError:
        return 0
