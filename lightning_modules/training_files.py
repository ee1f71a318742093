"""What the commands that train on pairs have in common: reading them, and saying on the model card how it was made."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from schemas.errors import ModelError

if TYPE_CHECKING:
    from kgscripts.corpora.pair import Pair


def require_lightning() -> None:
    """Raises ModelError where the extra `train` is not installed."""
    if find_spec("pytorch_lightning") is None:
        raise ModelError("training needs pytorch-lightning", remedy="pip install 'kgscripts[train]'")


@frozen
class TrainingFiles:
    """The pairs of some files, by the names of the files: what is said means the same on another machine."""

    names: Sequence[str]
    pairs: Sequence[Pair]

    @classmethod
    def read(cls, paths: Sequence[Path]) -> TrainingFiles:
        """Raises InputError for files that cannot be read."""
        from kgscripts.corpora.pair_corpora import load_pairs

        return cls([path.name for path in paths], load_pairs(paths).pairs)

    @property
    def description(self) -> str:
        """How many pairs, and of what."""
        return f"{len(self.pairs):,} pairs of {', '.join(self.names)}"

    def command(self, name: str, options: Sequence[str]) -> str:
        """The command line of `kgscripts train` for these files."""
        files = [word for file in self.names for word in ("--train", file)]
        return shlex.join(["kgscripts", "train", name, *files, *options])
