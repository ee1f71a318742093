"""Gold alignments: concrete words, and the abstract words that they realise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.corpora.json_records import json_object
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.corpora.source import numbered_lines
from schemas.errors import InputError

_KEYS = {"row", "aligned", "unaligned"}
_INDEX = re.compile(r"[0-9]{1,9}")
_REMEDY = 'each line is {"row": 1, "aligned": {"0": [1]}, "unaligned": [3]}: row from 1, indices from 0'


@frozen(kw_only=True)
class GoldAlignment:
    """The labelled words of one pair.

    `row` is the pair's row in its template file, from 1. `aligned` maps the index of a concrete token to the indices of
    the accepted abstract tokens; `unaligned` are concrete tokens that belong to none. Indices start at 0.
    """

    row: int
    aligned: Mapping[int, tuple[int, ...]]
    unaligned: tuple[int, ...] = field(converter=tuple[int, ...])


def read_gold_alignments(path: str | Path, pairs: Sequence[Pair] | None = None) -> list[GoldAlignment]:
    """Read gold alignments from JSON lines; with `pairs`, those of the template file, check that they fit.

    Raises InputError, with the line, for a record that is malformed, repeats a row, or points outside its pair, and
    for a file in which no word is aligned.
    """
    path = Path(path)
    gold: dict[int, GoldAlignment] = {}
    for where, line in numbered_lines(path):
        try:
            alignment = _alignment(json_object(line))
            if alignment.row in gold:
                raise InputError(f"row {alignment.row} is labelled already")
            if pairs is not None:
                _check_fit(alignment, pairs)
        except InputError as error:
            raise InputError(error.message, where=where, remedy=error.remedy or _REMEDY) from error
        gold[alignment.row] = alignment
    if not any(alignment.aligned for alignment in gold.values()):
        raise InputError("no gold alignments" if not gold else "no aligned words", where=path.name, remedy=_REMEDY)
    return list(gold.values())


def _alignment(record: dict[str, Any]) -> GoldAlignment:
    if set(record) != _KEYS:
        raise InputError(f"has {', '.join(sorted(record)) or 'nothing'} where {', '.join(sorted(_KEYS))} are wanted")
    row, aligned = record["row"], record["aligned"]
    if type(row) is not int or row < 1:
        raise InputError('"row" is no whole number from 1')
    if not isinstance(aligned, dict) or not all(_INDEX.fullmatch(key) for key in aligned):
        raise InputError('"aligned" is no mapping from indices')
    words = {int(key): _indices(value, f'"aligned" of {key}') for key, value in aligned.items()}
    unaligned = _indices(record["unaligned"], '"unaligned"')
    if len(words) < len(aligned):
        twice = next(int(key) for key in aligned if key != str(int(key)))
        raise InputError(f'"aligned" names token {twice} twice')
    if not all(words.values()):
        raise InputError('an aligned word without abstract words; it belongs to "unaligned"')
    if both := sorted(words.keys() & set(unaligned)):
        raise InputError(f"token {both[0]} is both aligned and unaligned")
    return GoldAlignment(row=row, aligned=words, unaligned=unaligned)


def _indices(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(index) is int and index >= 0 for index in value):
        raise InputError(f"{what} is no list of indices")
    if len(set(value)) != len(value):
        raise InputError(f"{what} names an index twice")
    return tuple(value)


def _check_fit(alignment: GoldAlignment, pairs: Sequence[Pair]) -> None:
    remedy = "give the template file that the labels were made for"
    if alignment.row > len(pairs):
        raise InputError(f"row {alignment.row} of {len(pairs)} pairs", remedy=remedy)
    pair = pairs[alignment.row - 1]
    abstract = (index for indices in alignment.aligned.values() for index in indices)
    for side, size, indices in (
        ("concrete", len(pair.concrete), (*alignment.aligned, *alignment.unaligned)),
        ("abstract", len(pair.abstract), abstract),
    ):
        if (last := max(indices, default=-1)) >= size:
            message = f"token {last} lies outside the {side} side of row {alignment.row}"
            raise InputError(message, remedy=remedy)
