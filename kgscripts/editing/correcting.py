"""Correcting a finished graph: the words of a correction are found in the graph, the correction is recorded, and the
graph is assembled again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from attrs import evolve, field, frozen

from kgscripts.assembly.again import assemble_again
from kgscripts.assembly.tables.words import names_source, spans_of
from kgscripts.building.settings import Settings, check_settings
from kgscripts.editing.correction_words import GraphWords, unknown
from kgscripts.enrichers.protocol import enrichers_of
from kgscripts.records.corrections import add_corrections, read_corrections
from kgscripts.records.opening import open_records
from kgscripts.records.store import RecordStore
from schemas.arguments import check_type, items_of, path_of
from schemas.corrections import Correction, CorrectionKind, plain_words
from schemas.records import Document
from schemas.script_graph import StoredGraph
from schemas.vocabulary import node_id

_TEXTS_AT_ONCE = 1_000
_MOST_SENTENCES = 10_000
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@frozen
class Corrected:
    """The result of corrections: those that are new to the graph, those of them that change nothing in it, and earlier
    ones that no longer change anything, since these contradict them. `taken` has given words with those that are taken
    instead."""

    recorded: tuple[Correction, ...]
    unmatched: tuple[Correction, ...]
    overruled: tuple[Correction, ...] = ()
    taken: Mapping[str, str] = field(factory=dict)


def correct_graph(
    directory: str | Path, corrections: Iterable[Correction], *, settings: Settings | None = None
) -> Corrected:
    """Add corrections to a graph directory and assemble its graph again.

    `settings` name models of the graph's enrichers that do not ship, and other devices.

    Raises
    ------
    ConfigurationError
        If an enricher of the graph is not installed, or a model of one not found.
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    """
    path = path_of("directory", directory)
    given = items_of("corrections", corrections)
    for item in given:
        check_type("a correction", item, Correction, "give instances of schemas.corrections.Correction")
    with open_records(path, create=False) as store:
        before = StoredGraph.open(path)
        manifest = before.manifest
        held = _applied(before)
        enrichers = enrichers_of(manifest.configuration, str(path), check_settings(settings))
        recorded = add_corrections(store, given)
        assembled = assemble_again(store, path, manifest, enrichers)
        store.compact(assembled.enriched, assembled.versions)
        known = read_corrections(store)
    applied = _applied(assembled.graph)
    unmatched = [item for item in given if not applied.get(correction_id(item), True)]
    lost = [item for item in known if held.get(key := correction_id(item)) and not applied.get(key, True)]
    return Corrected(tuple(recorded), tuple(unmatched), tuple(lost))


def _applied(graph: StoredGraph) -> dict[str, bool]:
    """By id of a correction, whether it changes something."""
    return {row["id"]: row["applied"] for row in graph.select("Correction", ["id", "applied"]).to_pylist()}


def correct_in_words(directory: str | Path, correction: Correction, *, settings: Settings | None = None) -> Corrected:
    """Record a correction that a person typed, after its words were found in the graph (`GraphWords`).

    Raises
    ------
    InputError
        If they are not in the graph, or could mean several steps.
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    """
    path = path_of("directory", directory)
    with open_records(path, create=False) as store:
        known = read_corrections(store)
        if correction.kind is CorrectionKind.ABOUT and not correction.withdrawn:
            _check_text(store, correction)
    words = GraphWords(StoredGraph.open(path), known)
    done = correct_graph(path, [words.of_correction(correction)], settings=settings)
    return evolve(done, taken=words.taken)


def _check_text(store: RecordStore, correction: Correction) -> None:
    """Raise InputError if no source has the name, or none of those that have it has the passage."""
    sources = list(store.inputs.sources())
    digests = sorted({digest for digest, name in sources if names_source(correction.thing, name, digest)})
    if not digests:
        raise unknown(f"there is no source {correction.thing!r}", correction.thing, {name for _, name in sources})
    if not correction.other:
        return
    sentences: list[str] = []
    for start in range(0, len(digests), _TEXTS_AT_ONCE):
        for (document,) in store.read(Document, digests[start : start + _TEXTS_AT_ONCE]).values():
            if next(spans_of(correction.other, document.text), None):
                return
            sentences += _SENTENCE_END.split(document.text) if len(sentences) < _MOST_SENTENCES else []
    raise unknown(
        f"{correction.thing!r} has no passage {correction.other!r}",
        correction.other,
        [plain_words(sentence) for sentence in sentences],
    )


def correction_id(correction: Correction) -> str:
    """The id of a correction's node."""
    return node_id("Correction", correction.label, *correction.key)


def list_corrections(directory: str | Path) -> list[Correction]:
    """The corrections of a graph directory, withdrawn ones too, the oldest first.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    """
    path = path_of("directory", directory)
    with open_records(path, create=False) as store:
        return read_corrections(store)
