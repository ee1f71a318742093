"""The main job, start to end: texts -> records -> graph directory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from kgscripts.assembly.rules.packages import installed_packages, packages_of
from kgscripts.assembly.unchanged import Assembling
from kgscripts.building.build import Build, Progress
from kgscripts.building.correction_file import read_correction_file
from kgscripts.building.graph_report import report
from kgscripts.building.inputs import Text, file_input, path_key, text_input
from kgscripts.building.reading import DocumentReader
from kgscripts.building.report import BuildReport
from kgscripts.building.run import Run
from kgscripts.building.settings import Settings, check_settings, on_device, with_settings
from kgscripts.corpora.files import find_files
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.tables import Columns, check_columns
from kgscripts.devices import CPU
from kgscripts.enrichers.kept import enrichers_of
from kgscripts.enrichers.protocol import Enricher
from kgscripts.enrichers.registry import ENRICHERS, choose_enrichers, with_records
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.registry import choose, installed_extractors
from kgscripts.records.corrections import add_corrections
from kgscripts.records.opening import open_records
from kgscripts.records.removal import take_out
from kgscripts.records.store import RecordStore
from schemas.arguments import check_number, check_texts, check_type, items_of, path_of
from schemas.base_iri import check_base_iri
from schemas.errors import DamagedRecordsError
from schemas.logs import phase
from schemas.manifest import Manifest, check_licence, chosen_before
from schemas.provenance import Model
from schemas.script_graph import ScriptGraph
from schemas.vocabulary import DEFAULT_BASE_IRI

if TYPE_CHECKING:
    from kgscripts.assembly.assemble import Assembled

_LOG = logging.getLogger(__name__)
_PREDICTED = "predicted-tools"
"""The name of the enricher that predicts tools."""

_MOST_REPAIRS = 100
"""The most damaged files that one build replaces; if there are more, the disk may be failing."""


def build_graph(
    inputs: str | Path | Sequence[str | Path] = (),
    output: str | Path = "graph",
    *,
    texts: Iterable[Text] = (),
    format: str | None = None,
    columns: Columns | None = None,
    scenario: str | None = None,
    scenarios: str | None = None,
    scenario_list: str | Path | None = None,
    limit: int | None = None,
    min_support: int = 1,
    strict: bool = False,
    any_language: bool = False,
    jobs: int = 1,
    spacy_model: str | None = None,
    base_iri: str | None = None,
    licence: str | None = None,
    extractors: Iterable[str | Extractor | Enricher] | None = None,
    without: Iterable[str] = (),
    predict_tools: bool = False,
    settings: Settings | None = None,
    device: str = CPU,
    corrections: str | Path | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> BuildReport:
    """Read texts and build, or extend, the graph in the directory `output`.

    The graph is made of all texts of the directory by the chosen extractors. Only missing records are computed: all
    extractors read new and changed inputs, and extractors that are new or have another version read the known texts.
    After a kill or an error, the same call continues.

    Parameters
    ----------
    inputs:
        Files and folders.
    texts:
        Texts in memory: strings, or mappings like a record of JSON lines.
    format:
        One of `kgscripts.corpora.formats.FORMATS`; by default the format is detected from the content.
    columns:
        The names of the columns of tables (CSV, TSV) by what they hold: ``{"scenario": "Task", "step": "Action"}``,
        also ``order``, ``text``, ``title`` and ``source``. Others are guessed from the header.
    scenario:
        The scenario of every text whose label, front matter, title or folder names none.
    scenarios:
        ``given``: the scenarios that labels and titles name; ``detected``: those that a model detects in passages;
        ``both``: both. By default they are detected in the texts for which no label or title names one.
    scenario_list:
        A file with further scenarios to detect: on each line a name, or an object of JSON with ``scenario`` and
        ``sentences`` about it.
    limit:
        The maximum number of sources that are added from the inputs.
    min_support:
        Nodes and relations with the support of fewer sources are left out of the graph.
    strict:
        Stop at the first bad record, and at the first text on which an extractor fails, instead of setting it aside.
    any_language:
        Read texts in other languages than English too, which are left out otherwise.
    jobs:
        Number of processes for reading; the graph does not depend on it.
    spacy_model:
        Name of an installed spaCy pipeline instead of the one that ships.
    base_iri:
        The beginning of all IRIs; by default that of the graph in `output`, else `schemas.vocabulary.DEFAULT_BASE_IRI`.
    licence:
        IRI of the licence under which the graph is published, which RDF states, or "" for none; by default that of the
        graph in `output`.
    extractors:
        Names of installed extractors and enrichers, or extractors and enrichers themselves; None for all that are
        installed. ``steps`` among them merges steps that mean the same, as None does.
    without:
        Names that are left out; ``steps`` to merge only steps with the same verb and object.
    predict_tools:
        Add tools that no text names, as a tool ranker predicts them, marked as predicted.
    settings:
        Settings of extractors and enrichers by their names: ``{"state-changes": {"model": "DIR"}}``. Settings of
        extractors that the build leaves out have no effect.
    device:
        Where their networks run: ``cpu``, ``cuda``, ``cuda:N`` or ``mps``; settings of one may name another device. The
        same texts give the same bytes on the CPU only.
    corrections:
        A file of corrections (`kgscripts.building.correction_file`), which the directory keeps.
    memory:
        Bytes that assembly may use; by default a quarter of the machine's.

    Raises
    ------
    InputError
        If an input or the file of corrections cannot be read, or with `strict` at the first bad record.
    ExtractorError
        With `strict`, at the first text on which an extractor fails.
    GraphDirectoryError
        If `output` is foreign, in use, damaged or cannot be written.
    ConfigurationError
        If an option lies outside its range, settings are none of those that `kgscripts extractors list` prints, or
        extractors are unknown or do not fit together.
    ModelError
        If a model of the settings does not exist, is damaged, or is for another task.
    """
    for name, number in (("jobs", jobs), ("min_support", min_support)):
        check_number(name, number)
    if limit is not None:
        check_number("limit", limit)
    check_texts(
        format=format,
        scenario=scenario,
        scenarios=scenarios,
        spacy_model=spacy_model,
        base_iri=base_iri,
        licence=licence,
    )
    check_type("any_language", any_language, bool, "give True or False")
    check_columns(columns)
    check_type("device", device, str, "give the name of a device, such as cuda")
    if progress is not None:
        check_type("progress", progress, Callable, "give a function")  # type: ignore[arg-type]
    directory = path_of("output", output)
    if base_iri is not None:
        check_base_iri(base_iri)
    if licence:
        check_licence(licence)
    if memory is not None:
        from kgscripts.assembly.engine import check_memory

        check_memory(memory)
    corrected = [] if corrections is None else read_correction_file(corrections)
    files = find_files([inputs] if isinstance(inputs, str | Path) else inputs)
    extractors = None if extractors is None else items_of("extractors", extractors)
    settings = check_settings(settings, extractors or ())
    also = [_PREDICTED] if predict_tools else []
    extractors, without, enrichers = _split(extractors, without, also, settings, device)
    if scenarios is not None or scenario_list is not None:
        from kgscripts.building.scenario_modes import for_build
        from kgscripts.models.scenarios.list import read_scenario_list

        added = read_scenario_list(scenario_list) if scenario_list is not None else []
        extractors, without = for_build(scenarios, added, extractors, without)
    chosen = choose(extractors, without, partial(_describe_parser, spacy_model))
    enrichers = with_records(enrichers, {kind for item in chosen for kind in item.extractor.gives})
    label = "" if scenario is None else resolve(scenario)
    build_inputs = [
        *(file_input(file, format, label, columns, any_language=any_language) for file in files),
        *(text_input(text, format, label, any_language=any_language) for text in items_of("texts", texts)),
    ]
    with open_records(directory) as store:
        base_before, licence_before = chosen_before(directory / "manifest.json")
        assembling = Assembling(
            chosen,
            enrichers,
            installed_packages(),
            base_iri or base_before or DEFAULT_BASE_IRI,
            (licence_before if licence is None else licence) or None,
            min_support,
        )
        add_corrections(store, corrected)
        run = Run(jobs=jobs)
        build = Build(store, DocumentReader(chosen, spacy_model, strict), run, progress or _no_progress)
        for repairs in count():
            try:
                with phase(_LOG, f"looking at {len(build_inputs):,} inputs"):
                    build.take_in(build_inputs, strict=strict, limit=limit)
                with phase(_LOG, f"reading with {', '.join(item.extractor.name for item in chosen)}"):
                    build.read()
                run.reading_ended()
                graph = assembling.kept(directory, store) or _assemble(store, directory, assembling, memory)
                break
            except DamagedRecordsError as damage:
                _LOG.warning("%s", damage)
                # The records of the file are computed again if its inputs are given; otherwise assembly names the
                # missing inputs.
                if repairs == _MOST_REPAIRS:
                    raise
        run.ended()
        run.write(directory / "run.json")
        _LOG.info(
            "%s: %d sources and %d words read, build %s", directory, run.sources_read, run.words_read, graph.build_id
        )
        return report(graph, run, store.failures.counts([item.version for item in chosen]))


def _assemble(store: RecordStore, directory: Path, assembling: Assembling, memory: int | None) -> ScriptGraph:
    # Here, since importing DuckDB takes long and a build may have nothing to assemble.
    from kgscripts.assembly.assemble import assemble

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


def remove_source(directory: str | Path, source: str | Path, *, settings: Settings | None = None) -> list[str]:
    """Remove a source from a graph directory and assemble the graph again; return the names of the removed sources.

    `source` is the path of an input, all of whose sources are removed, or a source's name, its digest (or the first
    eight digits or more), or the id or IRI of its node. `build_graph` adds it again if its input is named again.
    `settings` name models of the graph's enrichers that do not ship, and other devices.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    ConfigurationError
        If an enricher of the graph is not installed, or a model of one not found.
    InputError
        If `source` names no source, or more than one.
    """
    path = path_of("directory", directory)
    with open_records(path, create=False) as store:
        manifest = ScriptGraph.open(path).manifest
        enrichers = enrichers_of(manifest.configuration, str(path), check_settings(settings))
        # The records are removed last, so that a call that was killed can be repeated.
        with store.transaction():
            names = take_out(store.inputs, str(source), manifest.base_iri, path_key)
            assembled = assemble_again(store, path, manifest, enrichers)
        store.compact(assembled.enriched, assembled.versions)
    return names


def assemble_again(store: RecordStore, directory: Path, manifest: Manifest, enrichers: Sequence[Enricher]) -> Assembled:
    """Make the graph of a store in `directory` with the extractors and options of a graph that has this `manifest`.

    `enrichers` are `kgscripts.enrichers.kept.enrichers_of` it.

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


def _split(
    named: Sequence[str | Extractor | Enricher] | None,
    without: Iterable[str],
    also: Collection[str],
    settings: Settings,
    device: str,
) -> tuple[list[str | Extractor], list[str], list[Enricher]]:
    """The extractors and the names that are left out, and the enrichers among both."""
    installed = ENRICHERS.names()
    left_out = items_of("without", without)
    kept: list[str | Extractor] = [*installed_extractors()]
    of_enrichers: list[str | Enricher] | None = None
    if named is not None:
        kept = [item for item in named if not isinstance(item, Enricher) and item not in installed]
        of_enrichers = [item for item in named if not isinstance(item, Extractor) and item not in kept]
    names = [name for name in installed_extractors() if name in kept] + installed
    settings = on_device(settings, [name for name in names if name not in left_out], device)
    enrichers = choose_enrichers(of_enrichers, left_out, also, settings)
    left_out = [name for name in left_out if name not in installed]
    return with_settings(kept, left_out, settings), left_out, enrichers


def _describe_parser(spacy_model: str | None) -> Model:
    from kgscripts.text.pipeline import describe_pipeline

    return describe_pipeline(spacy_model)


def _no_progress(_: Progress) -> None:
    """Report nothing."""
