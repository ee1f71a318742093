"""`kgscripts train aligner`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from lightning_modules.hardware import Precision
from lightning_modules.options import (
    Accelerator,
    Devices,
    MaxTime,
    NetworkPrecision,
    Out,
    Resume,
    RunOptions,
    Seed,
    TrainingFiles,
)
from schemas.errors import ConfigurationError
from schemas.graph_directory import file_digest

_LABELLED_SHA256 = "fc5dc28f3bf21672a500916a59ff0307c97cb981bb1919a9cbe1090ddd48fafb"
"""Of KidsCook's `train.template.tsv`, whose rows the labels that ship belong to."""


def aligner(
    train: Annotated[
        Path, typer.Option(metavar="FILE", help="Pairs: KidsCook's train.template.tsv, or with --labels others.")
    ],
    out: Out,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Gold alignments of rows of these pairs, instead of ours.")
    ] = None,
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.BRAIN_FLOAT,
) -> None:
    """Train the aligner that ships: MiniLM with adapters, on labelled words and on words that both sides have.

    Takes about three minutes on one core. Labels are those of train pairs; no model is trained on what it is
    evaluated on.
    """
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=[train, labels])
    from kgscripts.corpora.pairs.gold_alignments import read_gold_alignments
    from lightning_modules.aligner.settings import AlignerSettings
    from lightning_modules.aligner.task import AlignerTask

    files = TrainingFiles.read([train])
    if labels is None and file_digest(train) != _LABELLED_SHA256:
        raise ConfigurationError(
            "the labels that ship belong to KidsCook's train.template.tsv, as released",
            where=str(train),
            remedy="name labels of these pairs with --labels",
        )
    shipped = Path(str(resources.files("lightning_modules.aligner") / "data" / "labels.jsonl"))
    found = read_gold_alignments(labels or shipped, files.pairs)
    settings = AlignerSettings() if seed is None else AlignerSettings(seed=seed)
    options = ["--labels", labels.name] if labels else []
    options += ["--seed", str(settings.seed), "--precision", precision.value]
    words = sum(len(label.aligned) for label in found)
    run.train(
        AlignerTask(files.pairs, found),
        settings,
        data=f"{files.description}, {words:,} words of {len(found)} of them labelled; starts from all-MiniLM-L6-v2",
        command=files.command("aligner", options),
    )
