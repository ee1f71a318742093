"""Opening alignment models by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.kidscook.alignments.accuracy import Align
from kgscripts.reproductions.kidscook.alignments.baselines import IbmModel1, diagonal
from schemas.errors import ConfigurationError, InputError, ModelError

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


def _aligner(name_or_directory: Path, *, free: bool) -> Align:
    from kgscripts.models.registry import load

    aligner = load("alignment", name_or_directory)
    align = aligner.align_freely if free else aligner.align
    return lambda pairs: [alignment.path for alignment in align(pairs)]


def _checkpoint(directory: Path, *, free: bool) -> Align:
    from kgscripts.models.alignment.aligner import KIND
    from kgscripts.models.checkpoint import load_checkpoint
    from kgscripts.models.cloze import ViterbiModel
    from kgscripts.models.registry import find_checkpoint, load
    from kgscripts.reproductions.kidscook.networks.left_context import MAX_CELLS

    if load_checkpoint(find_checkpoint(directory)).kind == KIND:
        return _aligner(directory, free=free)
    model = load("cloze", directory)
    if free or not isinstance(model, ViterbiModel):
        raise ModelError(
            "a model without free alignments" if free else "a model without alignments",
            where=str(directory),
            remedy="name a transducer, or an aligner",
        )

    def align(pairs: Sequence[Pair]) -> Sequence[Sequence[int]]:
        for pair in pairs:
            if len(pair.abstract) * (len(pair.concrete) + 1) > MAX_CELLS:
                message = f"{len(pair.abstract):,} by {len(pair.concrete):,} tokens are too many to align"
                raise InputError(message, where=pair.where, remedy="cut the pair where its parts correspond")
        return model.align([pair.abstract for pair in pairs], [pair.concrete for pair in pairs])

    return align
