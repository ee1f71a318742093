"""`kgscripts build-graph` and `kgscripts remove`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from attrs import field, frozen

from kgscripts import pipeline
from kgscripts.building.build import Progress
from kgscripts.building.configuration import configured, read_settings
from kgscripts.building.inputs import find_inputs
from kgscripts.building.options import BuildOptions
from kgscripts.building.report import BuildReport, print_report, spent_words
from kgscripts.building.run import added
from kgscripts.commands.options import Models, Settings, with_options
from schemas.errors import ConfigurationError
from schemas.records import Discard
from schemas.terminal import echo, echo_json, printable, progress_bar


@frozen
class Estimate:
    """The sources and words of the inputs, and what extractors would spend on them, by the names of these."""

    sources: int
    words: int
    spent: Mapping[str, Mapping[str, float]] = field(factory=dict)


def estimate_build(inputs: Sequence[str | Path], **options: Any) -> Estimate:
    """Estimate what a build of inputs would spend; nothing is sent, and nothing is written.

    `options` are those of `kgscripts.build_graph`. Sources that a graph has already count too; an extractor says what
    of them it has kept.

    Raises
    ------
    ConfigurationError, InputError, ModelError
        As `kgscripts.build_graph`.
    """
    build_options = BuildOptions(**options)
    chosen, _ = build_options.chosen()
    documents = (item for given in build_options.file_inputs(find_inputs(inputs)) for item in given.items())
    seen: set[str] = set()
    words = 0
    spent: dict[str, dict[str, float]] = {}
    for document in islice((item for item in documents if not isinstance(item, Discard)), build_options.limit):
        if document.digest in seen:
            continue
        seen.add(document.digest)
        words += len(document.text.split())
        for item in chosen:
            if numbers := item.extractor.estimate(document):
                spent[item.extractor.name] = added(spent.get(item.extractor.name, {}), numbers)
    return Estimate(len(seen), words, spent)


NOT_IN_PIECES = ("limit", "corrections")
"""The options that a reading in pieces lacks."""
OF_TAKING_IN = ("jobs", "memory")
"""The options of ``--take-in``; `split-reading` takes the others."""


@with_options(BuildOptions)
def build_graph(
    options: dict[str, Any],
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
    places = {"inputs": inputs or None, "output": output}
    options |= {name: place for name, place in places.items() if place is not None}
    configuration = configured(config, options, settings)
    options = configuration.options
    required = [("output", "--output")] if take_in else [("inputs", "INPUT"), ("output", "--output")]
    for name, what in required:
        if options.get(name) in (None, []):
            remedy = f"kgscripts build-graph INPUT -o DIR; or a file of --config has {name!r}"
            raise ConfigurationError(f"{what} is missing", remedy=remedy)
    if dry_run:
        _print_estimate(options)
        return
    try:
        with reading_progress() as progress:
            if take_in:
                report = _taken_in(options, progress)
            elif engine is not None or ray_address is not None:
                report = _on_ray(options, engine, ray_address, progress)
            else:
                report = pipeline.build_graph(**options, progress=progress)
    except KeyboardInterrupt:
        echo("interrupted: what was read is kept, and the same command continues", err=True)
        raise typer.Exit(130) from None
    if configuration.as_json if as_json is None else as_json:
        echo_json(report.to_dict())
    else:
        print_report(report, verbose=verbose)
    if report.run.failed_throughout:
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


def _taken_in(options: dict[str, Any], progress: Callable[[Progress], None] | None) -> BuildReport:
    """Take in the finished pieces of the directory of the options, and name the others."""
    from kgscripts.distributed.ingest import take_in_pieces

    directory = options.pop("output")
    if unused := sorted(name for name, value in options.items() if value and name not in OF_TAKING_IN):
        raise ConfigurationError(
            f"{unused[0].replace('_', '-')} is an option of the reading",
            where="--take-in",
            remedy="give it to `kgscripts split-reading`",
        )
    taken = take_in_pieces(directory, progress=progress, **{name: value for name, value in options.items() if value})
    for number, reason in sorted(taken.missing.items()):
        echo(f"piece {number} is {reason}: kgscripts read-piece {printable(taken.place)} --piece {number}", err=True)
    return taken.report


def _on_ray(
    options: dict[str, Any], engine: str | None, address: str | None, progress: Callable[[Progress], None] | None
) -> BuildReport:
    """Build with the options, and read on Ray."""
    if engine != "ray":
        raise ConfigurationError(
            "there is no such engine" if engine else "--ray-address is for --engine ray",
            where=f"--engine {engine}" if engine else None,
            remedy="give --engine ray, or leave both away",
        )
    from kgscripts.distributed.on_ray import build_on_ray

    if unused := sorted(set(options) & set(NOT_IN_PIECES)):
        raise ConfigurationError(f"--{unused[0]} cannot be given with --engine", remedy="leave one of them away")
    return build_on_ray(
        options.pop("inputs"),
        options.pop("output"),
        address=address,
        workers=options.pop("jobs", 1),
        progress=progress,
        **options,
    ).report


def _print_estimate(options: Mapping[str, Any]) -> None:
    """Print what a build with these options would spend."""
    estimate = estimate_build(**{name: value for name, value in options.items() if name != "output"})
    echo(f"sources {estimate.sources:,} · words {estimate.words:,} · nothing was sent or written")
    for name, numbers in estimate.spent.items():
        lines = textwrap.wrap(printable(spent_words(numbers)), 78 - len(name), break_on_hyphens=False)
        echo("\n".join(f"{name if not number else ' ' * len(name)}  {line}" for number, line in enumerate(lines)))
    if not estimate.spent:
        echo("none of these extractors asks a server")


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
