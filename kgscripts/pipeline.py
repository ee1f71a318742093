"""The main job, start to end: texts -> records -> graph directory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kgscripts.assembly.rules.packages import packages_of
from kgscripts.building.build import Build, Progress
from kgscripts.building.correction_file import read_correction_file
from kgscripts.building.docs import OF_DOCS, given_docs
from kgscripts.building.inputs import Text, find_inputs, place_key
from kgscripts.building.intake import Intake
from kgscripts.building.making import GraphOptions, make_graph
from kgscripts.building.reading import DocumentReader
from kgscripts.building.reading_options import ReadingOptions
from kgscripts.building.report import BuildReport
from kgscripts.building.settings import Settings, check_settings
from kgscripts.corpora.table_columns import Columns
from kgscripts.devices import CPU
from kgscripts.enrichers.kept import enrichers_of
from kgscripts.enrichers.protocol import Enricher
from kgscripts.extractors.protocol import Extractor
from kgscripts.records.opening import open_records
from kgscripts.records.removal import take_out
from kgscripts.records.store import RecordStore
from schemas.arguments import check_number, check_type, items_of, path_of
from schemas.errors import ConfigurationError
from schemas.logs import phase
from schemas.manifest import Manifest
from schemas.script_graph import StoredGraph

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from kgscripts.assembly.assemble import Assembled

_LOG = logging.getLogger(__name__)


def build_graph(
    inputs: str | Path | Sequence[str | Path] = (),
    output: str | Path = "graph",
    *,
    texts: Iterable[Text] = (),
    docs: Iterable[Doc] | None = None,
    format: str | None = None,
    columns: Columns | None = None,
    scenario: str | None = None,
    scenarios: str | None = None,
    scenario_list: str | Path | None = None,
    limit: int | None = None,
    min_support: int = 1,
    min_readers: int = 1,
    strict: bool = False,
    any_language: bool = False,
    jobs: int = 1,
    spacy_model: str | None = None,
    base_iri: str | None = None,
    licence: str | None = None,
    extractors: Iterable[str | Extractor | Enricher] | None = None,
    also: Iterable[str] = (),
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
        Files and folders, and URLs of object stores: ``s3://bucket/stories/``.
    texts:
        Texts in memory: strings, or mappings like a record of JSON lines.
    docs:
        Parsed spaCy Docs instead of inputs and texts: ``docs=nlp.pipe(texts)``. They are read as they come, with the
        parse that they have.
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
    min_readers:
        Mentions, tools and state changes that fewer extractors have read are left out of the graph.
    strict:
        Stop at the first bad record, and at the first text on which an extractor fails, instead of setting it aside.
    any_language:
        Read texts in other languages than English too, which are left out otherwise.
    jobs:
        Number of processes for reading; the graph does not depend on it.
    spacy_model:
        Name of an installed spaCy pipeline instead of the one that ships; of `docs`, the one that parsed them.
    base_iri:
        The beginning of all IRIs; by default that of the graph in `output`, else `schemas.vocabulary.DEFAULT_BASE_IRI`.
    licence:
        IRI of the licence under which the graph is published, which RDF states, or "" for none; by default that of the
        graph in `output`.
    extractors:
        Names of installed extractors and enrichers, or extractors and enrichers themselves; None for all that are
        installed but those on request. ``steps`` among them merges steps that mean the same, as None does.
    also:
        Names of further ones, such as those on request: ``["llm"]``.
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
    reading = ReadingOptions(
        format=format,
        columns=columns,
        scenario=scenario,
        scenarios=scenarios,
        scenario_list=scenario_list,
        strict=strict,
        any_language=any_language,
        spacy_model=spacy_model,
        extractors=extractors,
        also=also,
        without=without,
        predict_tools=predict_tools,
        settings=settings,
        device=device,
    )
    making = GraphOptions(
        base_iri=base_iri,
        licence=licence,
        min_support=min_support,
        min_readers=min_readers,
        jobs=jobs,
        memory=memory,
    )
    if limit is not None:
        check_number("limit", limit)
    if progress is not None:
        check_type("progress", progress, Callable, "give a function")  # type: ignore[arg-type]
    directory = path_of("output", output)
    corrected = [] if corrections is None else read_correction_file(corrections)
    files = find_inputs([inputs] if isinstance(inputs, str | Path) else inputs)
    with ExitStack() as stack:
        given = None if docs is None else stack.enter_context(given_docs(docs, spacy_model))
        chosen, enrichers = reading.chosen(given.parser if given else None)
        build_inputs = [*reading.file_inputs(files), *reading.text_inputs(items_of("texts", texts))]
        if given and (build_inputs or format not in OF_DOCS):
            raise ConfigurationError(
                f"docs come with {'other inputs' if build_inputs else f'the format {format!r}'}",
                remedy="read other inputs by a call of their own; Docs are plain text or Markdown",
            )

        def take_in(build: Build) -> None:
            with phase(_LOG, f"looking at {len(build_inputs):,} inputs" if given is None else "looking at Docs"):
                items = build_inputs if given is None else given.inputs(lambda text: reading.text_inputs([text])[0])
                Intake(build.store, build.run).take_in(items, strict=strict, limit=limit)

        reader = DocumentReader(chosen, spacy_model, strict, given=given.parses if given else None)
        return make_graph(directory, reader, enrichers, making, take_in, corrected, progress)


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
        manifest = StoredGraph.open(path).manifest
        enrichers = enrichers_of(manifest.configuration, str(path), check_settings(settings))
        # The records are removed last, so that a call that was killed can be repeated.
        with store.transaction():
            names = take_out(store.inputs, str(source), manifest.base_iri, place_key)
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
        min_readers=int(manifest.configuration.get("min_readers") or 1),
        enrichers=enrichers,
        packages=packages_of(str(manifest.configuration.get("rules") or ""), str(directory)),
    )


def versions_of(store: RecordStore, manifest: Manifest) -> list[str]:
    """The versions of the extractors that a graph is made of."""
    known = store.extractors.all().items()
    return [digest for digest, entry in known if entry.role == "extractor" and digest in manifest.models]
