"""`kgscripts evaluate all`: every benchmark whose data is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs
from schemas.terminal import echo, progress_bar


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
    from kgscripts.evaluation.benchmarks import BENCHMARKS, Finished, place_of

    if not data.is_dir():
        remedy = "`kgscripts corpora list` shows where to get corpora"
        raise ConfigurationError("no such folder", where=str(data), remedy=remedy)
    check_outputs(output, inputs=[data])
    # A device such as /dev/stdout has no place beside it.
    folder = output.parent if output.is_file() or not output.exists() else Path()
    finished = Finished(folder / f"{output.name}.finished")
    known = finished.read()
    wanted = [benchmark for benchmark in BENCHMARKS if benchmark.is_there(data)]
    found = []
    with progress_bar() as progress:
        task = progress.add_task("benchmarks", total=len(wanted))
        for benchmark in wanted:
            progress.update(task, description=benchmark.name)
            key = benchmark.key(data)
            if key not in known:
                known[key] = list(benchmark.run(data))
                finished.add(key, [evaluation.with_examples(examples) for evaluation in known[key]])
            found += known[key]
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
