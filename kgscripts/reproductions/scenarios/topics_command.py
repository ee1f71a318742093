"""`kgscripts topics`: the words of the topics that prevail in the stories of each scenario."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import console, echo_json


def topics(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="topic-tiling, or the directory of a checkpoint of that kind.")
    ] = "topic-tiling",
    top: Annotated[int, typer.Option(min=1, help="The number of words of each scenario.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Print the words of each scenario, by the topics of its stories (Wanzare, Roth and Pinkal 2019, Table 9).

    Example: kgscripts topics topic-tiling --top 5
    """
    from rich.table import Table
    from rich.text import Text

    from kgscripts.models.registry import load
    from kgscripts.reproductions.scenarios.tiling import TopicTilingModel
    from schemas.errors import ConfigurationError

    found = load("scenarios", model)
    if not isinstance(found, TopicTilingModel):
        raise ConfigurationError("this model has no topics", where=model, remedy="name topic-tiling, or one like it")
    words = found.scenario_words(top)
    if as_json:
        echo_json(words)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("scenario", max_width=30)
    table.add_column("words")
    for scenario, own in words.items():
        table.add_row(Text(scenario), Text(" ".join(own)))
    console().print(table)
