"""Options that several commands have in common."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from schemas.provenance import Exposure

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.KEY=VALUE",
        help="A setting of an extractor or enricher, e.g. steps.model=DIR (see `kgscripts extractors list`).",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.KEY=VALUE",
        help="The directory of a model of the graph that does not ship (steps.model=DIR), or a device.",
    ),
]
ScoresFile = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the scores as JSON.")]
PredictionsOut = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the predictions in the format of --predictions.")
]
AttachAs = Annotated[
    Exposure | None,
    typer.Option(
        help="Keep the scores with the models, for graphs: as unseen if every choice behind a model was made on other "
        "data, else as development. What is known to be development stays so; for a pretrained language model, unseen "
        "becomes unknown.",
        show_default=False,
    ),
]
Examples = Annotated[int, typer.Option(min=0, metavar="N", help="Print N items of the data, with what was found.")]
SplitName = Annotated[
    str | None, typer.Option("--split", metavar="NAME", help="What the split is called; default: after the file.")
]
ModelName = Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that ships, or a checkpoint.")]
Pipeline = Annotated[str | None, typer.Option(help="An installed spaCy pipeline instead of the shipped one.")]
Inscript = Annotated[Path | None, typer.Option(metavar="DIR", help="InScript: a folder with one folder per split.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that read.")]
GraphFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.")]
Thresholds = Annotated[
    list[float] | None,
    typer.Option(
        "--threshold", min=0.02, max=0.98, help="Also with this threshold: a higher one merges less. Repeatable."
    ),
]


class ListSplit(StrEnum):
    """The parts of a list that ships."""

    DEVELOPMENT = "development"
    UNSEEN = "unseen"


Split = Annotated[ListSplit, typer.Option(help="Which part of the list.")]
