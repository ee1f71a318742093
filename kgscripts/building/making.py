"""Documents -> graph directory: what is new is read, and the graph is assembled of all records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from kgscripts.assembly.rules.packages import installed_packages
from kgscripts.assembly.unchanged import Assembling
from kgscripts.building.build import Build, Progress
from kgscripts.building.graph_report import report
from kgscripts.building.options import BuildOptions
from kgscripts.building.reading import DocumentReader
from kgscripts.building.report import BuildReport
from kgscripts.building.run import Run
from kgscripts.enrichers.protocol import Enricher
from kgscripts.records.corrections import add_corrections
from kgscripts.records.opening import open_records
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.errors import DamagedRecordsError
from schemas.logs import phase
from schemas.manifest import chosen_before
from schemas.records import DiscardReason
from schemas.script_graph import StoredGraph
from schemas.vocabulary import DEFAULT_BASE_IRI

_LOG = logging.getLogger(__name__)

_MOST_REPAIRS = 100
"""The most damaged files that one build replaces; if there are more, the disk may be failing."""


def make_graph(
    directory: Path,
    reader: DocumentReader,
    enrichers: Sequence[Enricher],
    options: BuildOptions,
    take_in: Callable[[Build], None],
    corrections: Sequence[Correction] = (),
    progress: Callable[[Progress], None] | None = None,
) -> BuildReport:
    """Add what `take_in` brings to the records of a directory, read what no extractor has read, and assemble the graph.

    Raises what `build_graph` raises.
    """
    chosen = reader.extractors
    with open_records(directory) as store:
        base_before, licence_before = chosen_before(directory / "manifest.json")
        assembling = Assembling(
            chosen,
            enrichers,
            installed_packages(),
            options.base_iri or base_before or DEFAULT_BASE_IRI,
            (licence_before if options.licence is None else options.licence) or None,
            options.min_support,
        )
        add_corrections(store, corrections)
        run = Run(jobs=options.jobs)
        build = Build(store, reader, run, progress or _no_progress)
        for repairs in count():
            try:
                take_in(build)
                with phase(_LOG, f"reading with {', '.join(item.extractor.name for item in chosen)}"):
                    build.read()
                    if options.with_everyday:
                        from kgscripts.building.everyday import take_in_everyday  # few builds need it

                        take_in_everyday(build)
                run.reading_ended()
                graph = assembling.kept(directory, store) or _assemble(store, directory, assembling, options.memory)
                break
            except DamagedRecordsError as damage:
                _LOG.warning("%s", damage)
                # The records of the file are computed again if its inputs are given; otherwise assembly names the
                # missing inputs.
                if repairs == _MOST_REPAIRS:
                    raise
        versions = {item.extractor.name: item.version for item in chosen}
        failures = store.failures.counts(versions.values())
        run.failed_throughout = {
            item.name: item.documents
            for item in failures
            if item.reason is DiscardReason.EXTRACTOR_FAILED and not store.readings.subjects(versions[item.name])
        }
        run.ended()
        run.write(directory / "run.json")
        _LOG.info(
            "%s: %d sources and %d words read, build %s", directory, run.sources_read, run.words_read, graph.build_id
        )
        return report(graph, run, failures, store.inputs.discards())


def _assemble(store: RecordStore, directory: Path, assembling: Assembling, memory: int | None) -> StoredGraph:
    # Here, since importing DuckDB takes long and a build may have nothing to assemble.
    from kgscripts.assembly.assemble import assemble

    # Assembly reads whole shards: what was read again would count twice.
    store.drop_replaced()
    assembled = assemble(
        store,
        directory,
        [item.version for item in assembling.extractors],
        base_iri=assembling.base_iri,
        licence=assembling.licence,
        min_support=assembling.min_support,
        enrichers=assembling.enrichers,
        packages=assembling.packages,
        memory=memory,
    )
    store.compact(assembled.enriched, assembled.versions)
    assembling.remember(directory, store, assembled.graph)
    return assembled.graph


def _no_progress(_: Progress) -> None:
    """Report nothing."""
