"""Clozes as pieces for a masked encoder: the abstract side, then the concrete one with a mask for each hidden word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from attrs import frozen
from torch import Tensor

from kgscripts.models.cloze import Cloze
from kgscripts.models.inference import TensorFields

MAX_PIECES = 256
"""The longest input of MiniLM as it was pretrained; tokens farther from the blank are cut."""


@frozen
class MaskedInput:
    """Piece ids of one cloze, where the concrete side begins, and the places of its masks by concrete position."""

    ids: list[int]
    concrete_start: int
    masks: dict[int, int]


@frozen(eq=False)
class MaskedBatch(TensorFields):
    """Padded inputs: `ids`, `types` and `attention` are (batch, pieces), int64."""

    ids: Tensor
    types: Tensor
    attention: Tensor


@frozen
class InputEncoding:
    """Turns clozes into pieces. `pieces` gives the ids of a word; the others are the ids of special pieces."""

    pieces: Callable[[str], Sequence[int]]
    start: int
    separator: int
    mask: int
    padding: int

    def encode(self, cloze: Cloze) -> MaskedInput:
        """The cloze's pieces; every hidden word of the concrete side is one mask, however many pieces it has."""
        ids = [self.start]
        for word in cloze.abstract:
            ids += self.pieces(word)
        del ids[MAX_PIECES // 2 :]
        ids.append(self.separator)
        concrete: list[int] = []
        masks: dict[int, int] = {}
        for position, (word, hidden) in enumerate(zip(cloze.concrete, cloze.hidden, strict=True)):
            if hidden:
                masks[position] = len(concrete)
                concrete.append(self.mask)
            else:
                concrete += self.pieces(word)
        first = _window(len(concrete), masks[cloze.position], MAX_PIECES - len(ids) - 1)
        concrete = concrete[first : first + MAX_PIECES - len(ids) - 1]
        masks = {
            position: place - first + len(ids)
            for position, place in masks.items()
            if first <= place < first + len(concrete)
        }
        return MaskedInput([*ids, *concrete, self.separator], len(ids), masks)

    def batch(self, inputs: Sequence[MaskedInput], length: int) -> MaskedBatch:
        """The inputs, padded to `length` pieces."""
        ids = torch.full((len(inputs), length), self.padding)
        types = torch.zeros_like(ids)
        attention = torch.zeros_like(ids)
        for row, item in enumerate(inputs):
            ids[row, : len(item.ids)] = torch.tensor(item.ids)
            types[row, item.concrete_start : len(item.ids)] = 1
            attention[row, : len(item.ids)] = 1
        return MaskedBatch(ids, types, attention)


def _window(length: int, place: int, room: int) -> int:
    """The first of `room` pieces around the place, as far back as the end allows."""
    return 0 if length <= room else min(max(0, place - room // 2), length - room)
