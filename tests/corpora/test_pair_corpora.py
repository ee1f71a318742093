"""Pair corpora as tokens: every format, detected from its content, and whitelists."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgscripts.corpora.pairs.loading import (
    SPECIAL_WORDS,
    VOCABULARY_FILE,
    load_pairs,
    read_released_vocabulary,
    read_whitelist,
    split_files,
)
from kgscripts.corpora.pairs.pair import Pair, tokens
from kgscripts.reproductions.kidscook.cloze.construction import template_line
from schemas.errors import InputError, RecordError

WORDS = [*SPECIAL_WORDS, "the", ".", " ", "drain", "pasta", "use", "a", "strainer", "tip", "  "]


def write_ids(folder: Path, items: object, words: object = None, name: str = "train.freq.pkl.gz") -> Path:
    """Id sequences and their vocabulary, as they were released."""
    vocabulary = dict(enumerate(WORDS)) if words is None else words
    (folder / VOCABULARY_FILE).write_bytes(gzip.compress(pickle.dumps(vocabulary, protocol=2)))
    path = folder / name
    path.write_bytes(gzip.compress(pickle.dumps(items, protocol=2)))
    return path


def ids(text: str) -> list[int]:
    """The ids of a text whose words are in the vocabulary; `_` is the spacer."""
    return [WORDS.index(word.replace("_", " ")) for word in text.split()]


def test_cloze_template(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("drain the pasta .\tUse a strainer .\t1 1 0 1\n\nboil it .\tlight the stove now\t1 1 0 0\n")
    first, second = load_pairs([path])
    assert first.abstract == ("drain", "the", "pasta", ".")
    assert first.concrete == ("Use", "a", "strainer", ".")
    assert first.blanks == (False, False, True, False)
    assert first.slots == [(2, 3)]
    assert first.where == "a.tsv:1"
    assert second.where == "a.tsv:3"
    assert second.slots == [(2, 4)]


def test_plain_columns_are_tokenised(tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_text("Abstract\tConcrete\nDrain the pasta.\tDon't use (any) fork; it's hot!\n")
    (pair,) = load_pairs([path])
    assert pair.abstract == ("drain", "the", "pasta", ".")
    assert pair.concrete == ("do", "n't", "use", "(", "any", ")", "fork", ";", "it", "'s", "hot", "!")
    assert pair.blanks == ()
    assert pair.steps == (0,)
    assert pair.where == "pairs:2"


@pytest.mark.parametrize("text", ["you 're done .", "half - full", "#UNK# it .", "1/2 cup , then stir", '" so "'])
def test_tokenised_text_is_only_split(text: str) -> None:
    assert tokens(text) == text.lower().split()


def test_json_lines_keep_their_steps(tmp_path: Path) -> None:
    records = [
        {"id": 7, "abstract": "Drain the pasta.", "concrete": ["Take a strainer.", " ", "Tip the pot."]},
        {"abstract": "boil it", "concrete": "light the stove .", "more": None},
    ]
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode("utf-8-sig")))
    first, second = load_pairs([path])
    assert first.concrete == ("take", "a", "strainer", ".", "tip", "the", "pot", ".")
    assert first.steps == (0, 4)
    assert second.steps == (0,)


def test_released_id_sequences(tmp_path: Path) -> None:
    steps = ["use a strainer .", "_ .", "_ tip #UNK# _ the pasta .", "__ .", ""]
    path = write_ids(tmp_path, [(ids("drain the pasta ."), *map(ids, steps)), (ids("drain"), ids("tip"))])
    first, second = load_pairs([path])
    assert first.abstract == ("drain", "the", "pasta", ".")
    assert first.concrete == ("use", "a", "strainer", ".", "tip", "#UNK#", "the", "pasta", ".")
    assert first.steps == (0, 4)
    assert first.where == "train.freq.pkl.gz#1"
    assert second.concrete == ("tip",)


def test_released_vocabulary(tmp_path: Path) -> None:
    write_ids(tmp_path, [])
    assert read_released_vocabulary(tmp_path / VOCABULARY_FILE) == WORDS


def test_several_files_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "b.tsv").write_text("a\tb\n")
    (tmp_path / "a.jsonl").write_text('{"abstract": "c", "concrete": "d"}\n')
    pairs = load_pairs([tmp_path / "b.tsv", str(tmp_path / "a.jsonl")])
    assert [pair.where for pair in pairs] == ["b.tsv:1", "a.jsonl:1"]


def test_a_folder_means_its_splits(tmp_path: Path) -> None:
    names = [
        "valid.tsv",
        "train.freq.pkl.gz",
        "train.tsv.gz",
        "i2v.freq.pkl.gz",
        "notes.tsv",
        "train.npy",
        "test.jsonl",
    ]
    folder = tmp_path / "kidscook"
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    expected = ["train.freq.pkl.gz", "train.tsv.gz", "valid.tsv", "test.jsonl"]
    assert [path.name for path in split_files([folder], fetched=tmp_path)] == expected
    assert [path.name for path in split_files([Path("kidscook")], fetched=tmp_path)] == expected
    assert split_files([folder / "notes.tsv"], fetched=tmp_path) == [folder / "notes.tsv"]
    with pytest.raises(InputError, match="no splits"):
        split_files([tmp_path], fetched=tmp_path)


def test_whitelist(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("spoon\n\n bowl \n")
    assert read_whitelist(path) == ["spoon", "bowl"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no words"),
        (b"\n \n", "no words"),
        (b"spoon\nwire whisk\n", r"words.txt:2.*several words"),
        (b"spoon\nbowl\nspoon\n", r"words.txt:3.*already listed at words.txt:1"),
        (b"spoon\ncaf\xe9\n", r"words.txt:2.*not UTF-8"),
        (gzip.compress(b"spoon\n" * 9, mtime=0)[:-6], "cannot be read beyond this line"),
    ],
)
def test_bad_whitelists(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_whitelist(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"abstract": []}, "abstract side is empty"),
        ({"concrete": []}, "concrete side is empty"),
        ({"blanks": [True]}, "1 marks for 3 tokens"),
        ({"steps": []}, "steps begin"),
        ({"steps": [1]}, "steps begin"),
        ({"steps": [0, 2, 2]}, "steps begin"),
        ({"steps": [0, 3]}, "steps begin"),
    ],
)
def test_a_pair_is_consistent(changes: dict[str, list[int]], message: str) -> None:
    good = {"abstract": ["a"], "concrete": ["b", "c", "d"], "where": "here"}
    with pytest.raises(RecordError, match=message):
        Pair(**{**good, **changes})  # type: ignore[arg-type]


def test_a_column_may_begin_with_a_brace(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('{ stir\tuse a { spoon\n{"abstract": "a",\t"concrete": ["b"]}\n', encoding="utf-8")
    first, second = load_pairs([path])
    assert (list(first.abstract), list(first.concrete)) == (["{", "stir"], ["use", "a", "{", "spoon"])
    assert (list(second.abstract), list(second.concrete)) == (["a"], ["b"])


_WORD = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=5)
_SIDE = st.lists(_WORD, min_size=1, max_size=6)


@given(abstract=_SIDE, steps=st.lists(st.lists(_WORD, max_size=4), min_size=1, max_size=5).filter(any))
def test_steps_round_trip(abstract: list[str], steps: list[list[str]]) -> None:
    pair = Pair.of_steps(abstract, steps)
    ends = (*pair.steps[1:], len(pair.concrete))
    found = [pair.concrete[start:end] for start, end in zip(pair.steps, ends, strict=True)]
    assert found == [tuple(step) for step in steps if step]


@given(abstract=_SIDE, marked=st.lists(st.tuples(_WORD, st.booleans()), min_size=1, max_size=6))
@example(abstract=["{"], marked=[('"', False)])
def test_templates_round_trip(
    tmp_path_factory: pytest.TempPathFactory, abstract: list[str], marked: list[tuple[str, bool]]
) -> None:
    concrete, blanks = [word for word, _ in marked], [blank for _, blank in marked]
    pair = Pair(abstract=abstract, concrete=concrete, blanks=blanks)
    line = template_line(pair)
    path = tmp_path_factory.mktemp("pairs") / "a.tsv"
    path.write_text(f"before\tit\t1\n{line}\n", encoding="utf-8")
    _, again = load_pairs([path])
    assert (again.abstract, again.concrete, again.blanks) == (pair.abstract, pair.concrete, pair.blanks)
    covered = [index for start, end in pair.slots for index in range(start, end)]
    assert covered == [index for index, blank in enumerate(blanks) if blank]
    assert all(end < start for (_, end), (start, _) in zip(pair.slots, pair.slots[1:], strict=False))
