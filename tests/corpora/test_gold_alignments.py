"""Reading gold alignments, and errors with their line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.kidscook.alignments.gold import read_gold_alignments
from schemas.errors import InputError

GOOD = '{"row": 2, "aligned": {"3": [1, 0], "0": [2]}, "unaligned": [5]}\n'
PAIR = Pair(abstract=["drain", "the", "pasta"], concrete=["tip", "it", "into", "a", "strainer", "now"])


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "gold.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_gold_alignments(tmp_path: Path) -> None:
    (gold,) = read_gold_alignments(write(tmp_path, "\n" + GOOD), [PAIR, PAIR])
    assert gold.row == 2
    assert gold.aligned == {3: (1, 0), 0: (2,)}
    assert gold.unaligned == (5,)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "not a JSON object"),
        ("{", "not JSON"),
        ("{}", "has nothing where aligned, row, unaligned are wanted"),
        ('{"row": 1, "aligned": {}}', "has aligned, row where"),
        ('{"row": 1, "aligned": {}, "unaligned": [], "more": 1}', "has aligned, more, row, unaligned where"),
        ('{"row": 0, "aligned": {}, "unaligned": []}', "no whole number from 1"),
        ('{"row": "1", "aligned": {}, "unaligned": []}', "no whole number from 1"),
        ('{"row": true, "aligned": {}, "unaligned": []}', "no whole number from 1"),
        ('{"row": 1, "aligned": [], "unaligned": []}', "no mapping from indices"),
        ('{"row": 1, "aligned": {"x": [1]}, "unaligned": []}', "no mapping from indices"),
        ('{"row": 1, "aligned": {"-1": [1]}, "unaligned": []}', "no mapping from indices"),
        ('{"row": 1, "aligned": {"\u0661": [1]}, "unaligned": []}', "no mapping from indices"),
        (f'{{"row": 1, "aligned": {{"{"1" * 5000}": [1]}}, "unaligned": []}}', "no mapping from indices"),
        ('{"row": 1, "aligned": {"1": 1}, "unaligned": []}', '"aligned" of 1 is no list of indices'),
        ('{"row": 1, "aligned": {"1": [-1]}, "unaligned": []}', "no list of indices"),
        ('{"row": 1, "aligned": {"1": [1.0]}, "unaligned": []}', "no list of indices"),
        ('{"row": 1, "aligned": {"1": [1, 1]}, "unaligned": []}', "names an index twice"),
        ('{"row": 1, "aligned": {"1": []}, "unaligned": []}', "without abstract words"),
        ('{"row": 1, "aligned": {"1": [0], "01": [0]}, "unaligned": []}', "names token 1 twice"),
        ('{"row": 1, "aligned": {}, "unaligned": null}', '"unaligned" is no list'),
        ('{"row": 1, "aligned": {"1": [0]}, "unaligned": [1]}', "token 1 is both aligned and unaligned"),
        ('{"row": 2, "aligned": {}, "unaligned": []}', "row 2 is labelled already"),
        ('{"row": 3, "aligned": {}, "unaligned": []}', "row 3 of 2 pairs"),
        ('{"row": 1, "aligned": {"6": [0]}, "unaligned": []}', "token 6 lies outside the concrete side of row 1"),
        ('{"row": 1, "aligned": {}, "unaligned": [9]}', "token 9 lies outside the concrete side of row 1"),
        ('{"row": 1, "aligned": {"1": [3]}, "unaligned": []}', "token 3 lies outside the abstract side of row 1"),
    ],
)
def test_bad_lines(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_gold_alignments(write(tmp_path, GOOD + line + "\n"), [PAIR, PAIR])
    assert caught.value.where == "gold.jsonl:2"
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no gold alignments"),
        (b'{"row": 1, "aligned": {}, "unaligned": [0]}\n', "no aligned words"),
        (b"caf\xe9\n", "not UTF-8"),
        (gzip.compress(GOOD.encode() + b"\n" * 99, mtime=0)[:-9], "cannot be read beyond this line"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_gold_alignments(write(tmp_path, content))
    with pytest.raises(InputError, match="cannot be read"):
        read_gold_alignments(tmp_path / "missing.jsonl")
