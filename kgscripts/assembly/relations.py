"""Counting: from single mentions to relations with their support, their evidence and their readers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from attrs import evolve, frozen

from kgscripts.assembly.names import Integers

Numbers = npt.NDArray[np.float64]
Column = Integers | Numbers | npt.NDArray[np.bool_] | npt.NDArray[np.str_]


@frozen
class Mentions:
    """All mentions of events: arrays of one length, in the order of the sources and of each text."""

    source: Integers
    passage: Integers
    """Places among `passage_ids`, which ascend."""
    passage_ids: pa.Array
    extractor: Integers
    score: Numbers
    position: Numbers
    action: Integers
    step: Integers
    """Place of the sub-event that the mention tells."""


@frozen
class Relations:
    """Relations of one type, ascending by the places of their ends.

    `mentions` says how many mentions speak for each, `support` how many sources. `evidence` and `readers` point back by
    the number of the row: (row, passage) and (row, extractor) with the highest score.
    """

    start: Integers
    end: Integers
    support: Integers
    mentions: Integers
    evidence: tuple[Integers, Integers]
    readers: tuple[Integers, Integers]
    reader_scores: Numbers
    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(self.start)

    def where(self, keep: npt.NDArray[np.bool_]) -> Relations:
        """The relations for which `keep` holds."""
        row = np.cumsum(keep) - 1
        evidence, readers = keep[self.evidence[0]], keep[self.readers[0]]
        return evolve(
            self,
            start=self.start[keep],
            end=self.end[keep],
            support=self.support[keep],
            mentions=self.mentions[keep],
            evidence=(row[self.evidence[0][evidence]], self.evidence[1][evidence]),
            readers=(row[self.readers[0][readers]], self.readers[1][readers]),
            reader_scores=self.reader_scores[readers],
            columns={name: column[keep] for name, column in self.columns.items()},
        )


def pairs(first: Integers, second: Integers) -> tuple[Integers, Integers, Integers]:
    """The distinct pairs, ascending, and for each given pair its place among them."""
    width = int(second.max(initial=0)) + 1
    keys, places = np.unique(first * width + second, return_inverse=True)
    return keys // width, keys % width, places


def distinct(group: Integers, member: Integers, groups: int) -> Integers:
    """How many different members each of the `groups` groups has."""
    return np.bincount(pairs(group, member)[0], minlength=groups)


@frozen
class Said:
    """What speaks for relations, one row each: a mention, and where, by which extractor and how surely it was read."""

    mention: Integers
    passage: Integers
    extractor: Integers
    score: Numbers

    @classmethod
    def by(cls, mention: Integers, mentions: Mentions) -> Said:
        """Mentions that speak for themselves."""
        return cls(mention, mentions.passage[mention], mentions.extractor[mention], mentions.score[mention])

    def __add__(self, other: Said) -> Said:
        return Said(
            np.concatenate((self.mention, other.mention)),
            np.concatenate((self.passage, other.passage)),
            np.concatenate((self.extractor, other.extractor)),
            np.concatenate((self.score, other.score)),
        )


def relate(start: Integers, end: Integers, said: Said, mentions: Mentions) -> Relations:
    """The relations start -> end for which something speaks: arrays of one length."""
    starts, ends, row = pairs(start, end)
    readers_row, reader, reader_of = pairs(row, said.extractor)
    scores = np.zeros(len(reader))
    np.maximum.at(scores, reader_of, said.score)
    return Relations(
        start=starts,
        end=ends,
        support=distinct(row, mentions.source[said.mention], len(starts)),
        mentions=distinct(row, said.mention, len(starts)),
        evidence=pairs(row, said.passage)[:2],
        readers=(readers_row, reader),
        reader_scores=scores,
        columns={},
    )


def share(part: Integers | Numbers, whole: Integers) -> Numbers:
    """Part of the whole, rounded."""
    return np.round(part / whole.astype(np.float64), 4)


def pointwise_mutual_information(both: Integers, first: Integers, second: Integers, total: int) -> Numbers:
    """ln p(a, b) / (p(a) p(b)) from counts over `total` mentions, in nats, rounded (Church and Hanks 1990)."""
    odds: Numbers = both * float(total) / (first * second.astype(np.float64))
    # Adding zero turns -0.0 into 0.0.
    pmi: Numbers = np.log(odds)
    return pmi.round(4) + 0.0
