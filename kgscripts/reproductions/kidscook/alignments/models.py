"""Opening alignment models by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.aligner import free_aligner
from kgscripts.reproductions.kidscook.alignments.accuracy import Align
from kgscripts.reproductions.kidscook.alignments.baselines import IbmModel1, diagonal
from schemas.errors import ConfigurationError

_FREE = "-free"

BASELINES = ("diagonal", "ibm1", "ibm1-free")
"""Models without a checkpoint."""


def open_alignment_model(name: str, train: Sequence[Pair]) -> Align:
    """The model called `name`, or in that directory; `train` are the pairs that IBM Model 1 learns from.

    Raises
    ------
    ConfigurationError
        For a baseline that has nothing to learn from.
    ModelError
        Where there is no such model, or it is damaged, or it aligns nothing.
    """
    base, free = name.removesuffix(_FREE), name.endswith(_FREE)
    if name == "diagonal":
        return diagonal
    if base == "ibm1":
        if not train:
            raise ConfigurationError(f"{name} has nothing to learn from", remedy="name pairs with --train")
        ibm = IbmModel1(train)
        return ibm.align_freely if free else ibm.align
    directory = checkpoint_of(name)
    return _checkpoint(directory, free=directory.name != Path(name).name)


def checkpoint_of(name: str) -> Path:
    """The directory or shipped name in a model's name: without "-free", unless a directory has the whole name."""
    return Path(name if Path(name).is_dir() else name.removesuffix(_FREE))


def _checkpoint(directory: Path, *, free: bool) -> Align:
    from kgscripts.models.registry import load

    model = load("alignment", directory)
    align = free_aligner(model, str(directory)).align_freely if free else model.align
    return lambda pairs: [alignment.path for alignment in align(pairs)]
