"""`kgscripts evaluate typicality`: whether typical steps are those of the script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json


def typicality(
    inscript: Annotated[Path, typer.Option(metavar="DIR", help="InScript, with one folder per split.")],
    split: Annotated[str, typer.Option(help="The split whose mentions are judged: val or train.")] = "val",
    as_json: AsJson = False,
) -> None:
    """Evaluate whether typical steps are those of the script, on the labels of InScript.

    Each scenario is judged with weights learnt from the others. Above a threshold, `ScrEv kept` is the share of the
    mentions so labelled, `script` the share of ScrEv, RelNScrEv and Evoking among the labelled mentions above it.
    """
    from attrs import asdict

    from kgscripts.evaluation.steps.typicality import evaluate_typicality

    report = evaluate_typicality(inscript, split)
    if as_json:
        echo_json(asdict(report))
        return
    heads = ("ScrEv kept", "all kept", "script", "ScrEv", "script of all")
    for known, orders in report.curves.items():
        rows = [(f"{order}", item) for order, points in orders.items() for item in points]
        echo(f"{f'known: {known}':<20}" + "".join(f"{head:>12}" for head in heads[:-1]) + f"{heads[-1]:>15}")
        last = ""
        for order, item in [*rows, ("usual", report.usual[known])]:
            numbers = (item.recall, item.kept, item.script, item.core)
            echo(
                f"{order if order != last else '':<20}"
                + "".join(f"{n:12.3f}" for n in numbers)
                + f"{item.of_all:15.3f}"
            )
            last = order
        echo("")
