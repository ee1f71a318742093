"""`kgscripts models`: the models that ship and that are installed, and their cards."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback(epilog="Example: kgscripts models list")
def _group() -> None:
    """List the models that ship, and print their cards."""


@app.command("list", epilog="Example: kgscripts models list --json")
def list_models(as_json: AsJson = False) -> None:
    """Print each model that ships: its name, its task and its size.

    The names are those of `kgscripts models show`, of the options --model, and of `kgscripts.load_model` in Python.
    """
    from attrs import asdict

    from kgscripts.models.installed import installed_models, size_text
    from schemas.results import ResultFormat, Table

    models = list(installed_models())
    if as_json:
        echo_json([{**asdict(model), "path": str(model.path), "bytes": model.size} for model in models])
        return
    rows = [(model.name, model.task, size_text(model.size)) for model in models]
    echo(Table(columns=("model", "task", "size"), rows=rows).render(ResultFormat.TABLE, width=80))
    echo("`kgscripts models show MODEL` prints a model's card.")


@app.command(epilog="Example: kgscripts models show aligner")
def show(
    model: Annotated[str, typer.Argument(metavar="NAME|DIR", help="A model of `models list`, or a checkpoint.")],
) -> None:
    """Print the card of a model as Markdown: what it is for, data, terms, how it was trained, and its scores."""
    from kgscripts.models.installed import card_markdown, find_model

    echo(card_markdown(find_model(model)))
