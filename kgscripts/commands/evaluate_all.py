"""`kgscripts evaluate all`: every benchmark whose data is there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs
from schemas.terminal import echo, progress_bar

if TYPE_CHECKING:
    from kgscripts.evaluation.benchmarks import Benchmark


def all_benchmarks(
    data: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of corpora, as `kgscripts corpora fetch` lays them out.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Write all scores as JSON.")] = Path(
        "evaluation.json"
    ),
    examples: Examples = 0,
    as_json: AsJson = False,
    attach_as: AttachAs = None,
) -> None:
    """Run every benchmark whose data is there on the models that ship, and print one table beside published figures.

    A run that is stopped goes on where it was if the same command is given again: what is finished lies beside the
    output file.
    """
    from kgscripts.commands.evaluation_output import finish, print_summary
    from kgscripts.evaluation.benchmarks import BENCHMARKS, place_of
    from kgscripts.evaluation.finished import Finished
    from kgscripts.evaluation.result import from_json

    if not data.is_dir():
        remedy = "`kgscripts corpora list` shows where to get corpora"
        raise ConfigurationError("no such folder", where=str(data), remedy=remedy)
    check_outputs(output, inputs=[data])
    finished = Finished.beside(output)
    wanted = [benchmark for benchmark in BENCHMARKS if benchmark.is_there(data)]
    found = []
    with progress_bar() as progress:
        task = progress.add_task("benchmarks", total=len(wanted))
        for benchmark in wanted:
            progress.update(task, description=benchmark.name)
            found += from_json(finished.once(benchmark.key(data), partial(_run, benchmark, data, examples)))
            progress.advance(task)
    sources = {system.source for evaluation in found for system in evaluation.models}
    places = {source: place for source in sorted(sources) if (place := place_of(source)) is not None}
    finish(
        found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples, show=print_summary
    )
    finished.remove()
    if not as_json:
        for benchmark in BENCHMARKS:
            if benchmark not in wanted:
                echo(f"not measured, since its data is not there: {benchmark.name} ({', '.join(benchmark.needs)})")


def _run(benchmark: Benchmark, data: Path, examples: int) -> dict[str, Any]:
    from kgscripts.evaluation.result import as_json

    return as_json(evaluation.with_examples(examples) for evaluation in benchmark.run(data))
