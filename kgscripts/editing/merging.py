"""Merging graphs: their records are joined, and one graph is assembled of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from attrs import frozen

import kgscripts
from kgscripts.assembly.again import assemble_again, versions_of
from kgscripts.building.settings import Settings, check_settings
from kgscripts.enrichers.protocol import enrichers_of
from kgscripts.records.joining import join
from kgscripts.records.opening import open_records
from kgscripts.records.store import RecordStore
from schemas.arguments import items_of, path_of
from schemas.errors import ConfigurationError, GraphDirectoryError
from schemas.graph_directory import MARKER, check_path, locked, remove, unwritable
from schemas.manifest import Manifest
from schemas.script_graph import StoredGraph


@frozen
class _Part:
    """One of the graphs that are merged; `versions` are those of its extractors, with their names."""

    path: Path
    manifest: Manifest
    store: RecordStore
    versions: dict[str, str]


def merge_graphs(
    directories: Sequence[str | Path], output: str | Path, *, settings: Settings | None = None
) -> kgscripts.ScriptGraph:
    """Merge two or more graphs into the new directory `output`: the graph that one build of all their inputs makes.

    No text is read again. The graphs must have been read by the same extractors and built with the same options.
    `settings` name models of their enrichers that do not ship, and other devices.

    Raises
    ------
    ConfigurationError
        If there are fewer than two graphs, their extractors or options differ, or an enricher or a model of one is not
        found.
    GraphDirectoryError
        If one of them is no graph directory, in use or damaged, or `output` holds a graph or cannot be written.
    InputError
        If two graphs have read other contents of one input.
    """
    paths = [path_of("a directory", directory) for directory in items_of("directories", directories)]
    target = path_of("output", output)
    if len({path.resolve() for path in paths}) < max(2, len(paths)):
        raise ConfigurationError("a merge needs two or more different graphs", remedy="kgscripts merge A B -o C")
    check_path(target)
    with ExitStack() as stack:
        parts = []
        for path in paths:
            store = stack.enter_context(open_records(path, create=False))
            manifest = StoredGraph.open(path).manifest
            known = store.extractors.all()
            parts.append(_Part(path, manifest, store, {key: known[key].name for key in versions_of(store, manifest)}))
        first, *others = parts
        for other in others:
            _check_alike(first, other)
        enrichers = enrichers_of(first.manifest.configuration, str(first.path), check_settings(settings))
        with _new_directory(target) as new, RecordStore(new / "records") as joined:
            for part in parts:
                join(joined, part.store, part.versions)
            assembled = assemble_again(joined, new, first.manifest, enrichers)
            joined.compact(assembled.enriched, assembled.versions)
    return kgscripts.ScriptGraph.open(target)


@contextmanager
def _new_directory(path: Path) -> Iterator[Path]:
    """A temporary directory that is renamed to `path` at the end, so that a merge that was killed can be repeated."""
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        what = "there is a graph already" if (target / MARKER).exists() else "the directory holds other files"
        raise GraphDirectoryError(what, where=str(path), remedy="name a new or empty directory")
    # Cut, since a name of a file has 255 bytes at most.
    new = target.with_name(f".{target.name[:100]}.merging")
    with locked(new):
        try:
            remove(new / "records")  # left by a merge that was killed
            yield new
            new.replace(target)
        except OSError as error:
            raise unwritable(path, error) from error
        finally:
            if new.exists():
                shutil.rmtree(new, ignore_errors=True)


def _check_alike(first: _Part, other: _Part) -> None:
    """Raise an error if no single build could have made both graphs."""
    pair = f"{first.path} and {other.path}"
    if first.versions.keys() != other.versions.keys():
        differing = sorted({(first.versions | other.versions)[key] for key in first.versions.keys() ^ other.versions})
        raise ConfigurationError(
            f"other extractors, or other versions of them, have read {pair}: {', '.join(differing)}",
            remedy="build both again from their inputs with this version and the same options, then merge",
        )
    options = {
        "--base-iri": (first.manifest.base_iri, other.manifest.base_iri),
        "--licence": (first.manifest.licence, other.manifest.licence),
        "--min-support": tuple(part.manifest.configuration.get("min_support") for part in (first, other)),
        "enrichers": tuple(part.manifest.configuration.get("enrichers") for part in (first, other)),
        "settings": tuple(_settings(part.manifest) for part in (first, other)),
    }
    for option, (one, two) in options.items():
        if one != two:
            raise ConfigurationError(
                f"{pair} were built with other options: {option} {one or 'none'} and {two or 'none'}",
                remedy="build one of them again with the option of the other, then merge",
            )


def _settings(manifest: Manifest) -> str:
    """The settings of its enrichers."""
    return ", ".join(f"{name}={value}" for name, value in sorted(manifest.configuration.items()) if "." in name)
