"""`kgscripts train typicality`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schemas.output_files import check_outputs
from schemas.terminal import echo, printable


def typicality(
    inscript: Annotated[Path, typer.Option(metavar="DIR", help="InScript, with the folders train and val.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file of weights to write.")],
) -> None:
    """Learn how typical a step is of its scenario's script, from the `train` stories of InScript."""
    check_outputs(out, inputs=[inscript / "train", inscript / "val"])
    from kgscripts.training.typicality import train_typicality

    weights = train_typicality(inscript, out)
    echo(f"wrote {printable(str(out))}; steps are usual from a typicality of {weights.usual} on")
