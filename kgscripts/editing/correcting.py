"""Correcting a finished graph: the words of a correction are found in the graph, the correction is recorded, and the
graph is assembled again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from kgscripts.building.settings import Settings, check_settings
from kgscripts.editing.correction_words import GraphWords
from kgscripts.enrichers.kept import enrichers_of
from kgscripts.pipeline import assemble_again
from kgscripts.records.corrections import add_corrections, read_corrections
from kgscripts.records.opening import open_records
from schemas.arguments import check_type, items_of, path_of
from schemas.corrections import Correction
from schemas.script_graph import ScriptGraph
from schemas.vocabulary import node_id


@frozen
class Corrected:
    """The result of corrections: those that are new to the graph, and those that match nothing."""

    recorded: tuple[Correction, ...]
    unmatched: tuple[Correction, ...]


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
        manifest = ScriptGraph.open(path).manifest
        enrichers = enrichers_of(manifest.configuration, str(path), check_settings(settings))
        recorded = add_corrections(store, given)
        assembled = assemble_again(store, path, manifest, enrichers)
        store.compact(assembled.enriched, assembled.versions)
    rows = assembled.graph.select("Correction", ["id", "applied"]).to_pylist()
    applied = {row["id"]: row["applied"] for row in rows}
    unmatched = [item for item in given if not applied.get(correction_id(item), True)]
    return Corrected(tuple(recorded), tuple(unmatched))


def correct_in_words(directory: str | Path, correction: Correction, *, settings: Settings | None = None) -> Corrected:
    """Record a correction that a person typed, after its words were found in the graph (`GraphWords`).

    Raises
    ------
    InputError
        If they are not in the graph, or could mean several steps.
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    """
    words = GraphWords(ScriptGraph.open(directory), list_corrections(directory))
    return correct_graph(directory, [words.of_correction(correction)], settings=settings)


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
