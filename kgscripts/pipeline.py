"""The main job, start to end: texts -> records -> graph directory."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from kgscripts.assembly.again import assemble_again
from kgscripts.building.build import Build
from kgscripts.building.correction_file import read_correction_file
from kgscripts.building.declared_options import called_with
from kgscripts.building.docs import OF_DOCS, given_docs
from kgscripts.building.inputs import find_inputs, place_key
from kgscripts.building.intake import Intake
from kgscripts.building.making import make_graph
from kgscripts.building.options import BuildArguments
from kgscripts.building.reading import DocumentReader
from kgscripts.building.report import BuildReport
from kgscripts.building.settings import Settings, check_settings
from kgscripts.enrichers.protocol import enrichers_of
from kgscripts.records.joining import take_out
from kgscripts.records.opening import open_records
from schemas.arguments import check_type, items_of, path_of
from schemas.errors import ConfigurationError
from schemas.logs import phase
from schemas.script_graph import StoredGraph

_LOG = logging.getLogger(__name__)


@called_with(BuildArguments)
def build_graph(arguments: BuildArguments) -> BuildReport:
    """Read texts and build, or extend, the graph in the directory `output`.

    The graph is made of all texts of the directory by the chosen extractors. Only missing records are computed: all
    extractors read new and changed inputs, and extractors that are new or have another version read the known texts.
    After a kill or an error, the same call continues.

    The arguments are the fields of `BuildArguments`, so that they are written once: `called_with` adds them to the
    signature that type checkers and editors see, and their help to this docstring. `columns` is a mapping of names by
    what the columns hold, `memory` a number of bytes, and `extractors` may hold extractors and enrichers themselves.

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
    if arguments.progress is not None:
        check_type("progress", arguments.progress, Callable, "give a function")  # type: ignore[arg-type]
    directory, inputs = path_of("output", arguments.output), arguments.inputs
    corrected = [] if arguments.corrections is None else read_correction_file(arguments.corrections)
    files = find_inputs([inputs] if isinstance(inputs, str | Path) else inputs)
    with ExitStack() as stack:
        of_docs = None
        if arguments.docs is not None:
            of_docs = stack.enter_context(given_docs(arguments.docs, arguments.spacy_model))
        chosen, enrichers = arguments.chosen(of_docs.parser if of_docs else None)
        build_inputs = [*arguments.file_inputs(files), *arguments.text_inputs(items_of("texts", arguments.texts))]
        if of_docs and (build_inputs or arguments.format not in OF_DOCS):
            raise ConfigurationError(
                f"docs come with {'other inputs' if build_inputs else f'the format {arguments.format!r}'}",
                remedy="read other inputs by a call of their own; Docs are plain text or Markdown",
            )

        def take_in(build: Build) -> None:
            with phase(_LOG, f"looking at {len(build_inputs):,} inputs" if of_docs is None else "looking at Docs"):
                items = of_docs.inputs(lambda text: arguments.text_inputs([text])[0]) if of_docs else build_inputs
                Intake(build.store, build.run).take_in(items, strict=arguments.strict, limit=arguments.limit)

        parses = of_docs.parses if of_docs else None
        reader = DocumentReader(chosen, arguments.spacy_model, arguments.strict, given=parses)
        return make_graph(directory, reader, enrichers, arguments, take_in, corrected, arguments.progress)


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
