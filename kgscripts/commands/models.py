"""`kgscripts models`: the models that ship and that are installed, and their cards."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback(epilog="Example: kgscripts models list")
def _group() -> None:
    """List the installed models, and print their cards."""


@app.command("list", epilog="Example: kgscripts models list --json")
def list_models(as_json: AsJson = False) -> None:
    """Print each model: its name, its task, its size, and whether it ships with kgscripts or was installed beside it.

    The names are those of `kgscripts models show`, of the options --model, and of `kgscripts.load_model` in Python.
    """
    from attrs import asdict

    from kgscripts.models.installed import InstalledModel, installed_models, size_text
    from schemas.results import ResultFormat, Table

    def state(model: InstalledModel) -> str:
        return "ships" if model.ships else "installed" if model.path else "missing"

    models = list(installed_models())
    if as_json:
        facts = [asdict(model, filter=lambda field, _: field.name not in ("path", "ships")) for model in models]
        places = [
            {"state": state(model), "path": model.path and str(model.path), "bytes": model.size} for model in models
        ]
        echo_json([{**fact, **place} for fact, place in zip(facts, places, strict=True)])
        return
    rows = [(model.name, model.task, size_text(model.size), state(model)) for model in models]
    table = Table(columns=("model", "task", "size", "state"), rows=rows)
    echo(table.render(ResultFormat.TABLE, width=80))
    echo("`kgscripts models show MODEL` prints a model's card.")


@app.command(epilog="Example: kgscripts models show aligner")
def show(
    model: Annotated[str, typer.Argument(metavar="NAME|DIR", help="A model of `models list`, or a checkpoint.")],
) -> None:
    """Print the card of a model as Markdown: what it is for, data, terms, how it was trained, and its scores."""
    from kgscripts.models.installed import card_markdown, find_model

    echo(card_markdown(find_model(model)))
