"""The evaluation task of what exports alone can measure: whether a graph conforms to its shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from kgscripts.commands.options import GraphFolder
from kgscripts.evaluation.registry import Report, evaluation_task, quiet
from kgscripts.evaluation.result import Evaluation
from schemas.provenance import Unit
from schemas.terminal import echo


def _show_graph(evaluations: Sequence[Evaluation], attach: bool, **_: object) -> None:
    from kgscripts.commands.evaluation_output import print_evaluations

    print_evaluations(evaluations)
    if attach:
        echo("\nKept beside the graph; its RDF has them as measurements of the data set (DQV).")


@evaluation_task("GRAPH --attach", show=_show_graph)
def graph(
    directory: GraphFolder,
    sample: Annotated[int, typer.Option(min=1, help="Check this many nodes of each type against the shapes.")] = 1000,
    attach: Annotated[
        bool, typer.Option("--attach", help="Keep the measurements beside the graph; its RDF has them (DQV).")
    ] = False,
    report: Report = quiet,
) -> list[Evaluation]:
    """Measure a graph without gold: shapes, evidence, sources without a script, orphans, order, labels, duplicates.

    Exit code 0 whatever is measured; `kgscripts validate` is the check that fails.
    """
    from exports.validation import validate
    from kgscripts.evaluation.graph_quality import Conformance, evaluate_graph
    from schemas.provenance import Measurement, write_measurements
    from schemas.script_graph import StoredGraph

    opened = StoredGraph.open(directory)
    report(description="shapes")
    validated = validate(opened, sample)
    conformance = None
    if validated.shapes is not None:
        checked = sum(item.checked for item in validated.shapes)
        violating = len({violation.node for violation in validated.violations})
        conformance = Conformance(checked, checked - min(checked, violating))
    evaluation = evaluate_graph(opened, conformance, lambda part: report(description=part))
    if attach:
        figures = (
            figure for figure in evaluation.systems[0].figures if not figure.part and figure.unit is not Unit.COUNT
        )
        measurements = [
            Measurement(metric=item.metric, value=round(item.value, 4), unit=item.unit, direction=item.direction)
            for item in figures
        ]
        write_measurements(directory, opened.build_id, measurements)
    return [evaluation]
