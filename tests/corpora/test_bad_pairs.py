"""Invalid pair corpora: errors have a location, valid records are read, and no pickle is executed."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from kgscripts.corpora.pairs import loading
from kgscripts.corpora.pairs.loading import SPECIAL_WORDS, VOCABULARY_FILE, load_pairs, read_pair_corpus
from kgscripts.corpora.pairs.pair import Pair
from schemas.errors import InputError
from schemas.records import Discard
from tests.corpora.test_pair_corpora import WORDS, ids, write_ids

GOOD = "drain it .\tuse a strainer .\t1 1 0 1\n"
GOOD_JSON = '{"abstract": "drain it", "concrete": ["use a strainer", "tip it"]}\n'
DEEP = "[" * 100_000

# case: file name, content with one invalid record between valid ones, part of its message, its line
BAD_RECORDS: dict[str, tuple[str, bytes | str, str, int]] = {
    "one column": ("a.tsv", GOOD + "drain it .\n" + GOOD, "1 column instead of 2", 2),
    "four columns": ("a.tsv", GOOD + "a\tb\t1\tc\n" + GOOD, "4 columns", 2),
    "abstract side empty": ("a.tsv", GOOD + " \tb\t1\n" + GOOD, "the abstract side is empty", 2),
    "concrete side empty": ("a.tsv", GOOD + "a\t\t\n" + GOOD, "the concrete side is empty", 2),
    "too few marks": ("a.tsv", GOOD + "a\tb c\t1\n" + GOOD, "1 marks for 2 tokens", 2),
    "too many marks": ("a.tsv", GOOD + "a\tb c\t1 0 1\n" + GOOD, "3 marks for 2 tokens", 2),
    "no marks": ("a.tsv", GOOD + "a\tb c\t\n" + GOOD, "0 marks for 2 tokens", 2),
    "other marks": ("a.tsv", GOOD + "a\tb c\t1 2\n" + GOOD, "something other than 0 and 1", 2),
    "words for marks": ("a.tsv", GOOD + "a\tb c\tx y\n" + GOOD, "something other than 0 and 1", 2),
    "not UTF-8": ("a.tsv", GOOD.encode() + b"caf\x81\tb\n" + GOOD.encode(), "byte 0x81 is not UTF-8", 2),
    "header in the middle": ("a.tsv", GOOD + "abstract\n" + GOOD, "1 column", 2),
    "JSON cut off": ("a.jsonl", GOOD_JSON + '{"abstract": "a", "conc\n' + GOOD_JSON, "not JSON: ", 2),
    "JSON too deep": ("a.jsonl", GOOD_JSON + f'{{"abstract": {DEEP}\n' + GOOD_JSON, "JSON that cannot be read", 2),
    "no abstract side": ("a.jsonl", GOOD_JSON + '{"concrete": "b"}\n' + GOOD_JSON, '"abstract" is not a string', 2),
    "no concrete side": ("a.jsonl", GOOD_JSON + '{"abstract": "b"}\n' + GOOD_JSON, '"concrete" is neither', 2),
    "abstract number": ("a.jsonl", GOOD_JSON + '{"abstract": 1, "concrete": "b"}\n' + GOOD_JSON, "is not a string", 2),
    "steps of numbers": (
        "a.jsonl",
        GOOD_JSON + '{"abstract": "a", "concrete": ["b", 3]}\n' + GOOD_JSON,
        "is not a list of strings",
        2,
    ),
    "no steps": ("a.jsonl", GOOD_JSON + '{"abstract": "a", "concrete": []}\n' + GOOD_JSON, "concrete side is empty", 2),
    "blank steps": (
        "a.jsonl",
        GOOD_JSON + '{"abstract": "a", "concrete": ["", " \\t"]}\n' + GOOD_JSON,
        "concrete side is empty",
        2,
    ),
    "blank abstract side": (
        "a.jsonl",
        GOOD_JSON + '{"abstract": " ", "concrete": "b"}\n' + GOOD_JSON,
        "abstract side is empty",
        2,
    ),
    "half a surrogate pair": (
        "a.jsonl",
        GOOD_JSON + '{"abstract": "\\ud800", "concrete": "b"}\n' + GOOD_JSON,
        "half a surrogate pair",
        2,
    ),
    "a story": ("a.jsonl", GOOD_JSON + '{"id": 1, "text": "I ran."}\n' + GOOD_JSON, '"abstract" is not a string', 2),
}


@pytest.mark.parametrize("case", BAD_RECORDS)
def test_bad_records(tmp_path: Path, case: str) -> None:
    name, content, message, line = BAD_RECORDS[case]
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    read = list(read_pair_corpus(path))
    assert sum(isinstance(item, Pair) for item in read) == 2
    (discard,) = (item for item in read if isinstance(item, Discard))
    assert discard.where == f"{name}:{line}"
    assert message in discard.detail
    with pytest.raises(InputError, match=f"{name}:{line}") as caught:
        load_pairs([path])
    assert caught.value.remedy


def test_records_before_the_damage_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    rows = "".join(f"row {os.urandom(8).hex()}\tx\n" for _ in range(9000))
    path.write_bytes(gzip.compress(rows.encode())[:-4000])
    *pairs, last = read_pair_corpus(path)
    assert 5000 < len(pairs) < 9000
    assert isinstance(last, Discard)
    assert last.where == f"a.tsv.gz:{len(pairs) + 1}"
    assert "cannot be read beyond this line" in last.detail


@pytest.mark.parametrize("suffix", ["tsv", "jsonl"])
def test_very_long_sides_are_read(tmp_path: Path, suffix: str) -> None:
    side = "stir it . " * 3334
    path = tmp_path / f"a.{suffix}"
    line = f"{side}\t{side}" if suffix == "tsv" else json.dumps({"abstract": side, "concrete": [side] * 5})
    path.write_text(line)
    (pair,) = load_pairs([path])
    assert len(pair.abstract) == 10_002
    assert len(pair.concrete) == (10_002 if suffix == "tsv" else 50_010)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", "no pairs"),
        ("a.tsv", b"abstract\tconcrete\n", "no pairs"),
        ("a.jsonl", b"\n\n", "no pairs"),
        ("a.tsv", b"\0\1\2\3" * 100, "binary data"),
        ("a.npy", b"\x93NUMPY\1\0v\0{}" + bytes(400), "binary data"),
        ("a.tsv.gz", b"\x1f\x8b\x08\0 no gzip", "cannot be read beyond this line"),
    ],
)
def test_files_without_pairs(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_pairs([tmp_path / name])


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_pairs([tmp_path / "a.tsv"])
    with pytest.raises(InputError, match="it is a folder"):
        load_pairs([tmp_path])


class _Touch:
    """Unpickling it would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.open, (str(self.path), os.O_CREAT)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("victim", ["ids", "vocabulary"])
@pytest.mark.parametrize("zipped", [True, False])
def test_pickles_never_run(tmp_path: Path, protocol: int, victim: str, zipped: bool) -> None:
    target = tmp_path / "touched"
    path = write_ids(tmp_path, [(ids("drain"), ids("tip"))])
    if not zipped:
        path = path.rename(tmp_path / "train.freq.pkl")
    payload = pickle.dumps([(_Touch(target),)], protocol=protocol)
    attacked = path if victim == "ids" else tmp_path / VOCABULARY_FILE
    attacked.write_bytes(gzip.compress(payload) if zipped else payload)
    with pytest.raises(InputError, match="not a pickle of plain data: it uses"):
        load_pairs([path])
    assert not target.exists()
    os.close(pickle.loads(payload)[0][0])
    assert target.exists(), "the payload is harmless, so the test shows nothing"


@pytest.mark.parametrize(
    "payload",
    [
        b"\x80\x02cos\nsystem\n.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
        b"\x80\x02(ios\nsystem\n.",
        b"\x80\x02Pname\n.",
        b"\x80\x02U\x04nameQ.",
        b"\x80\x02\x82\x01.",
        b"\x80\x02]r\xff\xff\xff\x7f.",
        b"\x80\x02K\x01K\x02",
        b"\x80\x02.",
        b"\x80\x02e.",
        b"\x80\x02]K\x01s.",
        b"\x80\x02}(]K\x01u.",
        b"\x80\x05\x95\xff\xff\xff\xff\xff\xff\xff\x7f].",
        b"\x80\x02X\xff\xff\xff\x7fab.",
        b"\x80\x02X\x01\x00\x00\x00\xff.",
        b"\x80\x02\xff.",
        b"\x80\x02G?\xf0\x00\x00\x00\x00\x00\x00.",
        b"\x80\x02",
    ],
)
def test_pickles_of_other_than_plain_data(tmp_path: Path, payload: bytes) -> None:
    path = write_ids(tmp_path, [])
    path.write_bytes(payload)
    with pytest.raises(InputError, match="not a pickle of plain data") as caught:
        load_pairs([path])
    assert caught.value.where == path.name
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({1: 2}, "not a pickle of plain data: it uses EMPTY_DICT"),
        ("text", "not a pickle of plain data: it uses BINUNICODE"),
        (7, "a pickled int instead of a list of pairs"),
        ([], "no pairs"),
        ([[[8], [9]]], "#1.*not a tuple"),
        ([([8], [9]), 5], "#2.*not a tuple"),
        ([([8],)], "#1.*not a tuple"),
        ([tuple([8] for _ in range(7))], "#1.*not a tuple"),
        ([([8], 9)], "#1.*each a list"),
        ([([8], [[9]])], "#1.*a list is not an id"),
        ([([8], [len(WORDS)])], f"#1.*{len(WORDS)} is not an id in the vocabulary of {len(WORDS)} words"),
        ([([-1], [9])], "#1.*-1 is not an id"),
        ([([8], [6])], "#1.*concrete side is empty"),
        ([([7], [9])], "#1.*abstract side is empty"),
    ],
)
def test_wrong_items(tmp_path: Path, items: object, message: str) -> None:
    path = write_ids(tmp_path, items)
    with pytest.raises(InputError, match=message):
        load_pairs([path])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (WORDS, "it uses EMPTY_LIST"),
        (7, "a pickled int instead of a vocabulary"),
        ({(1, 2): "a"}, "it uses TUPLE2"),
        ({}, "the first ids are not #UNK#"),
        (dict(enumerate(WORDS, 1)), "do not run from 0"),
        ({str(key): word for key, word in enumerate(WORDS)}, "do not run from 0"),
        (dict(enumerate([*WORDS, 5])), "not a string"),
        (dict(enumerate([*WORDS, "wire whisk"])), "several words"),
        (dict(enumerate([*WORDS, ""])), "not a string, or several words"),
        (dict(enumerate(reversed(SPECIAL_WORDS))), "the first ids are not #UNK#"),
    ],
)
def test_wrong_vocabularies(tmp_path: Path, words: object, message: str) -> None:
    path = write_ids(tmp_path, [([0], [1])], words=words)
    with pytest.raises(InputError, match=message) as caught:
        load_pairs([path])
    assert caught.value.remedy


def test_vocabulary_missing_or_cut_off(tmp_path: Path) -> None:
    path = write_ids(tmp_path, [([8], [9])])
    vocabulary = tmp_path / VOCABULARY_FILE
    vocabulary.write_bytes(vocabulary.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be unpacked"):
        load_pairs([path])
    vocabulary.unlink()
    with pytest.raises(InputError, match="no vocabulary") as caught:
        load_pairs([path])
    assert VOCABULARY_FILE in str(caught.value.remedy)


def test_id_sequences_cut_off_or_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = ([8], [9])
    path = write_ids(tmp_path, [shared] * 100)
    assert len(load_pairs([path])) == 100
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with pytest.raises(InputError, match="cannot be read beyond this line"):
        load_pairs([path])
    path.write_bytes(gzip.compress(gzip.decompress(whole)[:-9]))
    with pytest.raises(InputError, match="not a pickle of plain data"):
        load_pairs([path])
    path.write_bytes(whole)
    monkeypatch.setattr(loading, "MAX_IDS", 150)
    with pytest.raises(InputError, match="#76: more than 150 ids"):
        load_pairs([path])
    monkeypatch.setattr(loading, "MAX_PICKLE_BYTES", 100)
    with pytest.raises(InputError, match="a pickle of more than 100 bytes"):
        load_pairs([path])
