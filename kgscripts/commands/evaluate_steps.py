"""`kgscripts evaluate steps`: whether wordings of one step are merged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.errors import ConfigurationError
from schemas.terminal import echo, echo_json, printable

if TYPE_CHECKING:
    from kgscripts.evaluation.steps.merging import StepReport


def steps(
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    inscript: Annotated[
        Path | None, typer.Option(metavar="DIR", help="InScript: a folder with one folder per split.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
    as_json: AsJson = False,
) -> None:
    """Evaluate which steps of a scenario are merged, on steps that people have grouped.

    Scores are B-cubed, means over the annotations; plain rules are there to compare with. The model that ships has seen
    these scenarios: `kgscripts train cross-validate-steps` leaves each out.
    """
    from kgscripts.evaluation.steps.merging import evaluate_steps

    if descript is None and inscript is None:
        raise ConfigurationError("nothing to evaluate on", remedy="name a corpus by --descript or --inscript")
    names = [name for name, path in (("DeScript", descript), ("InScript", inscript)) if path is not None]
    reports = evaluate_steps(descript=descript, inscript=inscript, model=model)
    print_reports(dict(zip(names, reports, strict=True)), as_json=as_json)


def print_reports(reports: Mapping[str, StepReport], *, as_json: bool) -> None:
    """Print the report of each corpus."""
    if as_json:
        echo_json({name: _as_json(report) for name, report in reports.items()})
        return
    for name, report in reports.items():
        clusters = sum(report.clusters)
        echo(f"{name}: {report.steps:,} steps in {report.groups:,} groups, found {clusters:,} clusters\n")
        echo(f"{'B-cubed, mean of the annotations':<44}{'P':>7}{'R':>7}{'F1':>7}")
        for rule, mean in _means(report).items():
            echo(f"{rule:<44}" + "".join(f"{value:7.3f}" for value in mean))
        echo(f"\n{'F1 of the model, one by one':<44}")
        for annotation, scores in zip(report.annotations, report.scores, strict=True):
            echo(printable(f"{annotation.removesuffix('.new.xml'):<58}{scores[-1].b_cubed_f1:7.3f}"))
        echo()


def _means(report: StepReport) -> dict[str, tuple[float, float, float]]:
    return {item.rule: report.mean(number) for number, item in enumerate(report.scores[0])}


def _as_json(report: StepReport) -> dict[str, object]:
    return {
        "steps": report.steps,
        "groups": report.groups,
        "clusters": sum(report.clusters),
        "b_cubed": {rule: dict(zip(("p", "r", "f1"), mean, strict=True)) for rule, mean in _means(report).items()},
        "annotations": {
            name: {item.rule: item.b_cubed_f1 for item in scores}
            for name, scores in zip(report.annotations, report.scores, strict=True)
        },
    }
