"""What the reader learns from: labelled passages, the words and pairs they give, and the windows that are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.models.encoder import shared_minilm
from kgscripts.models.reader.windows import MOST_PIECES, Pieces, ReaderText
from kgscripts.training.reader.gold import (
    CONDITIONAL,
    NEEDED,
    PLACE_BEFORE,
    REFERENT,
    labelled_passages,
    shipped_passages,
)
from kgscripts.training.reader.passages import DOMAINS, REGISTERS, EventRole, Reality, read_passages
from schemas.errors import InputError

PASSAGE = """## repair | forum answer | Replacing a car fuse
You will need a fuse puller and a new fuse.
! puller fuse#2
Before touching the old fuse, let it cool in a tray.
- touching ment obj:fuse
- cool do obj:it>fuse con:tray
If the cover is stuck, pry it off with a flat screwdriver.
? If the cover is stuck
- pry do if obj:it>cover ins:screwdriver
Rinse and dry.
- Rinse do obj:>fuse con:>tray
- dry neg obj:>fuse
"""


def _write(folder: Path, content: str) -> Path:
    path = folder / "passages.txt"
    path.write_text(content, encoding="utf-8")
    return path


def test_words_and_pairs_of_a_passage(tmp_path: Path) -> None:
    (found,) = labelled_passages([_write(tmp_path, PASSAGE)])
    words = [word for sentence in found.text.sentences for word in sentence]
    assert {words[place]: label for place, label in found.words.items()} == {
        "touching": Reality.MENTIONED,
        "cool": Reality.INSTRUCTED,
        "pry": Reality.INSTRUCTED,
        "Rinse": Reality.INSTRUCTED,
        "dry": Reality.NEGATED,
    }
    assert {(words[one], words[other], label) for (one, other), label in found.pairs.items()} == {
        ("touching", "fuse", EventRole.OBJECT),
        ("cool", "it", EventRole.OBJECT),
        ("cool", "fuse", REFERENT),
        ("cool", "tray", EventRole.CONTAINER),
        ("pry", "it", EventRole.OBJECT),
        ("pry", "cover", REFERENT),
        ("pry", "screwdriver", EventRole.INSTRUMENT),
        ("Rinse", "fuse", REFERENT),
        ("Rinse", "tray", PLACE_BEFORE),
        ("dry", "fuse", REFERENT),
    }
    assert [words[place] for place in sorted(found.flags[NEEDED])] == ["puller", "fuse"]
    assert [words[place] for place in found.flags[CONDITIONAL]] == ["pry"]


@pytest.mark.parametrize(
    ("wrong", "line", "what"),
    [
        ("- Rinse do obj:>bolt", 11, "bolt"),
        ("- Scrub do", 11, "Scrub"),
        ("- Rinse perhaps", 11, "second word"),
        ("- Rinse do tool:fuse", 11, "a role is one of"),
        ("- Rinse do obj:", 11, "names nothing"),
        ("- Rinse do if", 11, "no line with ?"),
        ("? unless it rains", 11, "does not have the words"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, wrong: str, line: int, what: str) -> None:
    lines = PASSAGE.splitlines()
    path = _write(tmp_path, "\n".join([*lines[: line - 1], wrong]))
    with pytest.raises(InputError) as error:
        read_passages(path)
    assert f"passages.txt:{line}:" in str(error.value)
    assert what in str(error.value)


@pytest.mark.parametrize(
    "content", ["Rinse it.\n", "## repair | forum answer\n", "## magic | blog | x\n", "## repair | blog | x\n- a do\n"]
)
def test_a_passage_has_a_heading_and_sentences(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError):
        read_passages(_write(tmp_path, content))


def test_every_passage_that_ships_can_be_read() -> None:
    passages = [passage for path in shipped_passages() for passage in read_passages(path)]
    assert len(passages) >= 1_500
    assert {passage.register for passage in passages} == REGISTERS
    assert {passage.domain for passage in passages} <= DOMAINS
    titles = [(passage.title, passage.sentences[0].text) for passage in passages]
    assert len(set(titles)) == len(titles)


_SENTENCES = st.lists(
    st.lists(st.sampled_from(["cut", "bread", "antidisestablishmentarianism", ".", "it"]), max_size=90)
)


@given(st.sampled_from(["", "How to cut bread"]), _SENTENCES)
def test_every_word_is_read_once(title: str, sentences: list[list[str]]) -> None:
    pieces = Pieces(shared_minilm())
    text = ReaderText(title, [sentence for sentence in sentences if sentence])
    words = [word for sentence in text.sentences for word in sentence]
    read: list[int] = []
    for window in pieces.windows(text):
        assert len(window.pieces) <= MOST_PIECES
        assert window.first <= window.own
        for place, (begin, end) in enumerate(window.spans, start=window.first):
            assert list(window.pieces[begin:end]) == pieces(words[place])
        read += range(window.own, window.first + len(window.spans))
    assert read == list(range(text.words))
