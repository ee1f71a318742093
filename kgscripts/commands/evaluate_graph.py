"""`kgscripts evaluate graph`: how good a built graph is by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, Examples, ScoresFile
from schemas.output_files import check_outputs
from schemas.terminal import echo, progress_bar


def graph(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.")],
    sample: Annotated[int, typer.Option(min=1, help="Check this many nodes of each type against the shapes.")] = 1000,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach: Annotated[
        bool, typer.Option("--attach", help="Keep the measurements beside the graph; its RDF has them (DQV).")
    ] = False,
) -> None:
    """Measure a graph without gold: shapes, evidence, sources without a script, orphans, order, labels, duplicates.

    Exit code 0 whatever is measured; `kgscripts validate` is the check that fails.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.graph_quality import Conformance, evaluate_graph
    from schemas.provenance import Measurement, Unit, write_measurements
    from schemas.script_graph import StoredGraph

    check_outputs(output, inputs=[directory])
    opened = StoredGraph.open(directory)
    with progress_bar() as progress:
        task = progress.add_task("shapes", total=None)
        shapes = context.obj.shapes(opened, sample) if context.obj is not None else None
        found = evaluate_graph(
            opened, Conformance(*shapes) if shapes else None, lambda part: progress.update(task, description=part)
        )
    finish([found], places={}, attach_as=None, output=output, as_json=as_json, examples=examples)
    if attach:
        own = (figure for figure in found.systems[0].figures if not figure.part and figure.unit is not Unit.COUNT)
        measurements = [
            Measurement(metric=item.metric, value=round(item.value, 4), unit=item.unit, direction=item.direction)
            for item in own
        ]
        write_measurements(directory, opened.build_id, measurements)
        if not as_json:
            echo("\nKept beside the graph; its RDF has them as measurements of the data set (DQV).")
