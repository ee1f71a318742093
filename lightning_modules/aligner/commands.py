"""`kgscripts train aligner`."""

from __future__ import annotations

import hashlib
import shlex
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from schemas.errors import ConfigurationError

_LABELLED_SHA256 = "fc5dc28f3bf21672a500916a59ff0307c97cb981bb1919a9cbe1090ddd48fafb"
"""Of KidsCook's `train.template.tsv`, whose rows the labels that ship belong to."""


def aligner(
    train: Annotated[
        Path, typer.Option(metavar="FILE", help="Pairs: KidsCook's train.template.tsv, or with --labels others.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint directory to write.")],
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Gold alignments of rows of these pairs, instead of ours.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides the order of the pairs and what is hidden in them.")] = 1931,
) -> None:
    """Train the aligner that ships: MiniLM with low-rank changes, on labelled words and on words that both sides say.

    Takes minutes on one core. Labels are those of train pairs; what is evaluated on is never trained on.
    """
    from kgscripts.commands.output import progress_bar
    from kgscripts.corpora.gold_alignments import read_gold_alignments
    from kgscripts.corpora.pair_corpora import load_pairs
    from kgscripts.models.checkpoint import check_place, save_checkpoint
    from lightning_modules.aligner.train import TrainingSettings, train_aligner

    check_place(out)
    pairs = load_pairs([train]).pairs
    if labels is None and hashlib.sha256(train.read_bytes()).hexdigest() != _LABELLED_SHA256:
        raise ConfigurationError(
            "the labels that ship belong to KidsCook's train.template.tsv, as released",
            where=str(train),
            remedy="name labels of these pairs with --labels",
        )
    shipped = Path(str(resources.files("lightning_modules.aligner") / "data" / "labels.jsonl"))
    found = read_gold_alignments(labels or shipped, pairs)
    command = ["kgscripts", "train", "aligner", "--train", train.name, "--seed", str(seed)]
    command += ["--labels", labels.name] if labels else []
    settings = TrainingSettings(seed=seed)
    with progress_bar() as progress:
        task = progress.add_task("training", total=settings.steps)
        checkpoint = train_aligner(
            pairs,
            found,
            settings,
            command=shlex.join(command),
            on_step=lambda _: progress.advance(task),
        )
    save_checkpoint(checkpoint, out)
    typer.echo(f"{out}: trained on {len(found)} labelled pairs, last loss {checkpoint.card.training['last_loss']} nats")
