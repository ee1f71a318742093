"""`kgscripts evaluate scenario-titles`: whether titles that mean the same become one scenario."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json


class Split(StrEnum):
    """The parts of the gold titles."""

    DEVELOPMENT = "development"
    TEST = "test"


def scenario_titles(
    split: Annotated[Split, typer.Option(help="Which of the gold titles.")] = Split.TEST,
    as_json: AsJson = False,
) -> None:
    """Evaluate which titles of how-tos become one scenario, on titles that ship with the package."""
    from attrs import asdict

    from kgscripts.evaluation.scenarios.titles import evaluate_titles

    report = evaluate_titles(split.value)
    if as_json:
        scores = [asdict(item) | {"f1": item.f1, "b_cubed_f1": item.b_cubed_f1} for item in report.merged]
        echo_json(asdict(report) | {"merged": scores})
        return
    echo(f"{report.titles:,} titles of {report.groups:,} activities ({report.split})\n")
    echo(f"{'Titles made one scenario':<44}{'P':>7}{'R':>7}{'F1':>7}{'B3 F1':>8}")
    for item in report.merged:
        echo(f"{item.rule:<44}{item.precision:7.3f}{item.recall:7.3f}{item.f1:7.3f}{item.b_cubed_f1:8.3f}")
    echo(f"\n{'Titles that mean a listed scenario':<44}{'meant':>7}{'given':>7}{'right':>7}")
    for row in report.listed:
        echo(f"{row.rule:<44}{row.meant:7}{row.given:7}{row.right:7}")
