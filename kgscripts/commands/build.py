"""`kgscripts build-graph` and `kgscripts remove`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kgscripts import pipeline
from kgscripts.building.build import Progress
from kgscripts.building.configuration import Configuration, bytes_of, merged, read_configuration, read_settings
from kgscripts.building.report import print_report
from kgscripts.commands.engines import on_ray, taken_in
from kgscripts.commands.estimates import print_estimate
from kgscripts.commands.options import Models, Settings
from kgscripts.corpora.formats import FORMATS
from kgscripts.corpora.tables import parse_columns
from kgscripts.extractors.registry import only_built_in
from kgscripts.text.pipeline import import_without_torch
from schemas.errors import ConfigurationError
from schemas.terminal import echo, echo_json, printable, progress_bar
from schemas.vocabulary import DEFAULT_BASE_IRI


def build_graph(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="INPUT", help="Files and folders with texts, and URLs of object stores."),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="DIR", help="The graph directory.")] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Read options and settings from a TOML file; options of the command line win."
        ),
    ] = None,
    settings: Settings = None,
    device: Annotated[
        str | None, typer.Option(metavar="cpu|cuda|mps", help="The device of the networks; by default cpu.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help=f"Format of the inputs ({', '.join(FORMATS)}); by default detected from the content."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="KEY=NAME,...",
            help="Columns of CSV and TSV files, e.g. scenario=Task,step=Action; also order, text, title, source. "
            "Others are guessed from the header.",
        ),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Scenario of the texts whose label, title or folder names none."),
    ] = None,
    scenarios: Annotated[
        str | None,
        typer.Option(
            metavar="given|detected|both",
            help="Scenarios of labels and titles, of a model, or both; by default a model detects those of texts that "
            "name none.",
        ),
    ] = None,
    scenario_list: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='Detect these scenarios too: lines with a name, or with {"scenario": "...", "sentences": ["..."]}.',
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The maximum number of sources.")] = None,
    min_support: Annotated[int | None, typer.Option(min=1, help="The least support, in sources; by default 1.")] = None,
    min_readers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Keep what at least N extractors have read; by default 1."),
    ] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict/--no-strict", help="Stop at the first bad record or failing extractor.")
    ] = None,
    any_language: Annotated[
        bool | None,
        typer.Option("--any-language/--no-any-language", help="Read texts that are not in English too."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Number of processes for reading; by default 1.")
    ] = None,
    spacy_model: Annotated[
        str | None, typer.Option(help="An installed spaCy pipeline instead of the shipped one.")
    ] = None,
    extractors: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Use these extractors only (see `kgscripts extractors list`)."),
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option(metavar="NAME,...", help="Use these too, such as those on request (llm).")
    ] = None,
    without: Annotated[list[str] | None, typer.Option(metavar="NAME,...", help="Leave out these extractors.")] = None,
    predict_tools: Annotated[
        bool | None,
        typer.Option("--predict-tools/--no-predict-tools", help="Add tools that no text names, marked as predicted."),
    ] = None,
    corrections: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Corrections, one JSON object per line; DIR keeps them.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory for assembly, e.g. 2GB; by default a quarter of the machine's."),
    ] = None,
    base_iri: Annotated[
        str | None, typer.Option(help=f"The beginning of all IRIs; DIR keeps its own, at first {DEFAULT_BASE_IRI}.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(metavar="IRI", help="The licence of the graph, stated in its RDF.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="ray", help="Read on Ray, with --jobs workers.", show_default=False)
    ] = None,
    ray_address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Ray cluster; by default this machine.", show_default=False)
    ] = None,
    take_in: Annotated[
        bool, typer.Option("--take-in", help="Take in the finished pieces of `kgscripts split-reading`.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what extractors that ask a server would ask; nothing is sent.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print all counts and failures, and the scores of the models.")
    ] = False,
    as_json: Annotated[bool | None, typer.Option("--json/--no-json", help="Print the report as JSON.")] = None,
) -> None:
    """Read texts and build, or extend, a graph directory.

    Each extractor reads only texts that it has not read before. After an interruption, the same command continues.

    Example: kgscripts build-graph stories/ how-tos.jsonl -o graph --jobs 2
    """
    if only_built_in():
        import_without_torch()
    configuration = Configuration() if config is None else read_configuration(config)
    given = {
        "inputs": inputs or None,
        "output": output,
        "device": device,
        "format": format,
        "columns": None if columns is None else parse_columns(columns),
        "scenario": scenario,
        "scenarios": scenarios,
        "scenario_list": scenario_list,
        "limit": limit,
        "min_support": min_support,
        "min_readers": min_readers,
        "strict": strict,
        "any_language": any_language,
        "jobs": jobs,
        "spacy_model": spacy_model,
        "base_iri": base_iri,
        "licence": licence,
        "extractors": None if extractors is None else _names(extractors),
        "also": None if also is None else _names(also),
        "without": None if without is None else _names(without),
        "predict_tools": predict_tools,
        "corrections": corrections,
        "memory": None if memory is None else bytes_of(memory),
    }
    options = configuration.options | {name: value for name, value in given.items() if value is not None}
    options["settings"] = merged(options.get("settings", {}), read_settings(settings or ()))
    required = [("output", "--output")] if take_in else [("inputs", "INPUT"), ("output", "--output")]
    for name, what in required:
        if options.get(name) in (None, []):
            remedy = f"kgscripts build-graph INPUT -o DIR; or a file of --config has {name!r}"
            raise ConfigurationError(f"{what} is missing", remedy=remedy)
    if dry_run:
        print_estimate(options)
        return
    try:
        with reading_progress() as progress:
            if take_in:
                found = taken_in(options, progress)
            elif engine is not None or ray_address is not None:
                found = on_ray(options, engine, ray_address, progress)
            else:
                found = pipeline.build_graph(**options, progress=progress)
    except KeyboardInterrupt:
        echo("interrupted: what was read is kept, and the same command continues", err=True)
        raise typer.Exit(130) from None
    if configuration.as_json if as_json is None else as_json:
        echo_json(found.to_dict())
    else:
        print_report(found, verbose=verbose)
    if found.run.failed_throughout:
        raise typer.Exit(1)


def remove(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The graph directory.")],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Name, digest or id of a source, or an input file.")],
    models: Models = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was removed as JSON.")] = False,
) -> None:
    """Remove a source, or all sources of an input file, from a graph directory.

    Example: kgscripts remove graph stories.jsonl#12
    """
    removed = pipeline.remove_source(directory, source, settings=read_settings(models or ()))
    if as_json:
        echo_json({"removed": removed})
    else:
        more = f" and {len(removed) - 5:,} more" if len(removed) > 5 else ""
        echo(f"removed {', '.join(map(printable, removed[:5]))}{more}")


def _names(options: Iterable[str]) -> list[str]:
    """The names of a repeatable option, each a comma-separated list."""
    return [name.strip() for option in options for name in option.split(",") if name.strip()]


@contextmanager
def reading_progress() -> Iterator[Callable[[Progress], None] | None]:
    """A bar on a terminal, nothing elsewhere."""
    with progress_bar() as bar:
        task = bar.add_task("reading", total=None)

        def show(done: Progress) -> None:
            bar.update(
                task,
                completed=done.documents,
                total=done.all_documents,
                description=f"reading: {done.documents:,} sources, {done.words:,} words",
            )

        yield None if bar.disable else show
