"""A pair with its alignment, as it is printed and drawn."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from kgscripts.corpora.pairs.pair import Pair
    from kgscripts.models.alignment.aligner import Alignment


@frozen
class AlignedPair:
    """A pair and its alignment."""

    pair: Pair
    alignment: Alignment

    @property
    def stretches(self) -> list[tuple[int, int, int]]:
        """(abstract word, start, end) for each run of concrete tokens aligned to one word, in text order."""
        runs = [list(run) for _, run in groupby(range(len(self.alignment.path)), key=self.alignment.path.__getitem__)]
        return [(self.alignment.path[run[0]], run[0], run[-1] + 1) for run in runs]
