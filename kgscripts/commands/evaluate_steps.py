"""`kgscripts evaluate steps`: whether steps that mean the same are one sub-event."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json, printable


def steps(
    descript: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder of them.")
    ],
    as_json: AsJson = False,
) -> None:
    """Evaluate which steps of event sequence descriptions become one sub-event, on gold sets of paraphrases.

    A graph is built of the descriptions in a temporary folder. Scores are B-cubed, means over the files; steps by
    themselves, and steps with the same words, are there to compare with.
    """
    from kgscripts.evaluation.steps import evaluate_steps

    report = evaluate_steps(descript)
    means = {item.rule: report.mean(number) for number, item in enumerate(report.scores[0])}
    if as_json:
        echo_json(
            {
                "steps": report.steps,
                "sets": report.sets,
                "b_cubed": {rule: dict(zip(("p", "r", "f1"), mean, strict=True)) for rule, mean in means.items()},
                "files": {
                    name: {item.rule: item.b_cubed_f1 for item in scores}
                    for name, scores in zip(report.files, report.scores, strict=True)
                },
            }
        )
        return
    echo(f"{report.steps:,} steps in {report.sets:,} gold sets of {len(report.files)} files\n")
    echo(f"{'B-cubed, mean of the files':<44}{'P':>7}{'R':>7}{'F1':>7}")
    for rule, mean in means.items():
        echo(f"{rule:<44}" + "".join(f"{value:7.3f}" for value in mean))
    echo(f"\n{'F1 of the graph, file by file':<44}")
    for name, scores in zip(report.files, report.scores, strict=True):
        echo(printable(f"{name.removesuffix('.new.xml'):<58}{scores[-1].b_cubed_f1:7.3f}"))
