"""Assembling the graph of a directory again, as its manifest says. It reads no text, so that it imports no reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgscripts.assembly.rules.packages import packages_of
from kgscripts.enrichers.protocol import Enricher
from kgscripts.records.store import RecordStore
from schemas.manifest import Manifest

if TYPE_CHECKING:
    from kgscripts.assembly.assemble import Assembled


def assemble_again(store: RecordStore, directory: Path, manifest: Manifest, enrichers: Sequence[Enricher]) -> Assembled:
    """Make the graph of a store in `directory` with the extractors and options of a graph that has this `manifest`.

    `enrichers` are `kgscripts.enrichers.protocol.enrichers_of` it.

    Raises
    ------
    GraphDirectoryError
        If records are missing or damaged, or the graph cannot be written.
    """
    from kgscripts.assembly.assemble import assemble

    return assemble(
        store,
        directory,
        versions_of(store, manifest),
        base_iri=manifest.base_iri,
        licence=manifest.licence,
        min_support=int(manifest.configuration.get("min_support") or 1),
        enrichers=enrichers,
        packages=packages_of(str(manifest.configuration.get("rules") or ""), str(directory)),
    )


def versions_of(store: RecordStore, manifest: Manifest) -> list[str]:
    """The versions of the extractors that a graph is made of."""
    known = store.extractors.all().items()
    return [digest for digest, entry in known if entry.role == "extractor" and digest in manifest.models]
