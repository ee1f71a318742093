"""Options that several commands have in common, and a list under a title as they print it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from attrs import AttrsInstance

from kgscripts.building.declared_options import DeclaredOption, options_of
from kgscripts.everyday_scripts.graph import as_graph
from schemas.provenance import Exposure
from schemas.records import Discard
from schemas.terminal import console, echo, printable


def print_list(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int, nothing: str) -> None:
    """Print rows below their headings, of which the first `numbers` are over numbers, or `nothing` without a row."""
    from rich.table import Table
    from rich.text import Text

    screen = console()
    screen.print(Text(printable(title), style="bold"))
    if not rows:
        screen.print(f"  {nothing}\n")
        return
    table = Table(box=None, padding=(0, 0, 0, 2))
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column < numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen.print(table, "")


def print_left_out(discard: Discard) -> None:
    """Say on standard error that a text is left out, and why."""
    detail = f" ({discard.detail})" if discard.detail else ""
    echo(f"left out: {discard.where}: {discard.reason.value}{detail}", err=True)


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
        "data, else as development. What is known to be development stays so.",
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
GRAPH_FOLDER = typer.Argument(
    metavar="DIR", help="A graph directory, or `everyday`.", callback=as_graph, show_default=False
)
GraphFolder = Annotated[Path, GRAPH_FOLDER]
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


def with_options(
    cls: type[AttrsInstance], without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options that a class declares to a command, which gets those that are given as its argument `options`.

    `without` names fields that the command does not take.
    """
    declared = {name: option for name, option in options_of(cls).items() if name not in without}

    def make(_: object, values: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in values.items() if value is not None}
        return {name: _names(value) if declared[name].type is Iterable else value for name, value in given.items()}

    return lambda command: with_parameters(command, "options", [*map(_parameter, declared.values())], make)


def _parameter(option: DeclaredOption) -> inspect.Parameter:
    """The parameter of a command, whose value is None where the option is not given."""
    plain: Any = option.type if option.type in (bool, int) else list[str] if option.type is Iterable else str
    info = typer.Option(
        *((option.flag, option.short) if option.short else ()),
        metavar=option.metavar or None,
        min=1 if plain is int and not option.parser else None,
        parser=option.parser,
        help=option.help,
    )
    annotation = Annotated[Any if option.parser else plain | None, info]  # type: ignore[valid-type]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _names(texts: Sequence[str]) -> list[str]:
    """Names of an option that can be repeated; commas separate those of one text."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def with_parameters(
    command: Callable[..., None],
    argument: str,
    parameters: Sequence[inspect.Parameter],
    make: Callable[[Mapping[str, Any], Mapping[str, Any]], Any],
) -> Callable[..., None]:
    """The command with `parameters` in place of one `argument`; `make` gets the other values and those of these."""
    more = {parameter.name for parameter in parameters}
    own = inspect.signature(command, eval_str=True).parameters
    of_both = [
        *(parameter.replace(kind=parameter.KEYWORD_ONLY) for name, parameter in own.items() if name != argument),
        *parameters,
    ]

    def run(**values: Any) -> None:
        given = {name: value for name, value in values.items() if name not in more}
        made = make(given, {name: value for name, value in values.items() if name in more})
        command(**{argument: made}, **given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(of_both)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in of_both}
    return run
