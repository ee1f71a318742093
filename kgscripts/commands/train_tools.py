"""`kgscripts train tools`."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from schemas.terminal import echo, printable


def tools(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint directory to write.")],
    train: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Events with tools, TSV. Default: those that were written for kgscripts."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of all random choices, instead of that of the settings.")
    ] = None,
) -> None:
    """Train the model that ranks the tools of an event. It takes some two minutes on one core.

    The scores that are printed are those of the cross-validation that the probabilities are fitted on.
    """
    import attrs

    from kgscripts.models.checkpoint import ModelCard, check_place, save_checkpoint
    from kgscripts.models.tools.ranker import ranker_checkpoint
    from kgscripts.training.tool_events import read_events, shipped_events
    from kgscripts.training.tool_ranker import RankerSettings, train_ranker

    check_place(out, [train])
    path = train or shipped_events()
    groups = read_events(path)
    settings = RankerSettings() if seed is None else RankerSettings(seed=seed)
    ranker, held_out = train_ranker(groups, settings, lambda stage: echo(stage, err=True))
    number = sum(len(group.events) for group in groups)
    command = ["kgscripts train tools", *([] if train is None else [f"--train {path.name}"])]
    card = ModelCard(
        name="tool-ranker",
        version=metadata.version("kgscripts"),
        task="ranks the tools of an event",
        licence="CC0-1.0",
        data=f"{number:,} events in {len(groups):,} groups with {len(ranker.known.tools):,} tools, of {path.name}",
        command=" ".join([*command, *([] if seed is None else [f"--seed {seed}"])]),
        training=attrs.asdict(settings) | {"cross_validation": {name: attrs.asdict(x) for name, x in held_out.items()}},
    )
    save_checkpoint(ranker_checkpoint(ranker, card), out)
    for name, scores in held_out.items():
        echo(
            f"{scores.events:,} {name}, held out: answered {scores.answered:.2f}, precision@1 {scores.precision:.2f}, "
            f"hit@5 {scores.hit_at_5:.2f}"
        )
    echo(f"{printable(str(out))}: {card.data}")
