"""Texts of any length: short ones as every reader gives them, long ones by blocks that make up the whole text."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora import long_texts
from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.long_texts import Item, LongText, TextBlock, read_inputs, texts_of
from kgscripts.corpora.source import source_of
from schemas.errors import ConfigurationError, InputError
from schemas.records import Discard, DiscardReason, Document
from tests.corpora.test_bad_input import CASES

PARAGRAPHS = st.lists(
    st.text(st.sampled_from("aé🍅 .\n\r!"), max_size=40) | st.sampled_from(["\n\n", "\r\n\r\n", "x" * 70]),
    max_size=12,
)


@pytest.mark.parametrize("case", [name for name in CASES if name != "text over the limit"])
def test_what_is_no_long_text_is_read_as_elsewhere(case: str, tmp_path: Path) -> None:
    name, content, format, _, _ = CASES[case]
    file = InputFile(tmp_path / name, name)
    file.path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    assert list(read_inputs([str(file.path)], format)) == list(read_file(file, format=format))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of more than 100 bytes or 20 lines are long, and their blocks have at most 64 bytes."""
    monkeypatch.setattr(long_texts, "MAX_RECORD_BYTES", 100)
    monkeypatch.setattr(long_texts, "MAX_PASSAGES", 20)
    monkeypatch.setattr(long_texts, "BLOCK_BYTES", 64)


def _read(data: bytes, name: str = "a.txt") -> list[Item]:
    """What is in these bytes; the blocks of a long text follow it."""
    found: list[Item] = []
    for item in texts_of(source_of(name, io.BytesIO(data)), None):
        found.append(item)
        if isinstance(item, LongText):
            found += item.blocks  # type: ignore[arg-type]
    return found


@pytest.mark.usefixtures("small")
@given(PARAGRAPHS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_blocks_make_up_the_text(paragraphs: list[str], encoding: str) -> None:
    text = "".join(paragraphs)
    content = text.encode("utf-8")
    found = _read(text.encode(encoding))
    long, *blocks = found
    if len(content) <= 100 and max(content.count(b"\n"), content.count(b"\r")) <= 20:
        assert not isinstance(long, LongText)
        return
    assert isinstance(long, LongText)
    place = 0
    for block in blocks:
        assert isinstance(block, TextBlock)
        assert block.start == place
        assert text.startswith(block.text, place)
        assert 0 < len(block.text.encode()) <= 64
        assert all(block.text[passage.start : passage.end].strip() for passage in block.passages)
        place += len(block.text)
    assert place == len(text)


@pytest.mark.usefixtures("small")
def test_blocks_end_between_paragraphs_if_they_can() -> None:
    first, second = "A first one.\n\nI ran. " * 2 + "I sat.", "I slept.\n\n" * 9
    long, *blocks = _read(f"A title\n\n{first}\n\n{second}".encode())
    assert isinstance(long, LongText)
    assert long.title == "A title"
    assert next(block.text for block in blocks if isinstance(block, TextBlock)) == f"A title\n\n{first}\n\n"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("data", "where", "readable"),
    [
        (b"I ran. I sat.\n\n" * 8 + b"caf\x81 au lait\n\n" + b"I slept. I woke.\n\n" * 8, "a.txt:17", "I woke."),
        (b"\x81" + b"I slept. I woke.\n\n" * 8, "a.txt:1", "I woke."),
        (gzip.compress(b"I slept. I woke.\n\n" * 9999, mtime=0)[:-20], "", "I woke."),
        (
            "I slept. I woke.\n\n".encode("utf-16") + "I slept. I woke.\n\n".encode("utf-16-le") * 99 + b"\0",
            "",
            "I wok",
        ),
    ],
    ids=["one byte of no encoding", "no UTF-8 from the beginning", "gzip cut off", "UTF-16 cut off"],
)
def test_what_cannot_be_read_is_left_out(data: bytes, where: str, readable: str) -> None:
    found = _read(data)
    [fault] = [item for item in found if isinstance(item, Discard)]
    assert fault.reason is DiscardReason.UNDECODABLE
    assert fault.where.startswith(where or "a.txt:")
    blocks = [item for item in found if isinstance(item, TextBlock)]
    assert any(readable in block.text for block in blocks)
    assert not any("\ufffd" in block.text for block in blocks)


def test_memory_does_not_grow_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A source of 10 MB that is made as it is read."""

    class Sentences(io.RawIOBase):
        left = 10_000_000

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            size = min(self.left, len(buffer))
            buffer[:size] = (b"I ran over the hill. I sat down.\n\n" * (size // 34 + 1))[:size]
            self.left -= size
            return size

    monkeypatch.setattr(long_texts, "MAX_RECORD_BYTES", 400_000)
    monkeypatch.setattr(long_texts, "paragraph_spans", lambda _: [])
    tracemalloc.start()
    try:
        [long] = texts_of(source_of("a.txt", io.BufferedReader(Sentences())), None)  # type: ignore[type-var]
        assert isinstance(long, LongText)
        characters = sum(len(block.text) for block in long.blocks if isinstance(block, TextBlock))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert characters == 10_000_000
    assert peak < 8_000_000


def test_inputs_are_files_folders_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("I ran.", encoding="utf-8")
    (tmp_path / "a" / "y.jsonl").write_text('{"id": 1, "text": "I sat."}', encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"I slept.")))
    found = list(read_inputs([str(tmp_path / "a"), "-"]))
    assert [item.name for item in found if isinstance(item, Document)] == ["x.txt", "y.jsonl#1", "standard input"]
    with pytest.raises(InputError, match="no such file"):
        read_inputs([str(tmp_path / "b")])
    with pytest.raises(ConfigurationError):
        read_inputs([str(tmp_path / "a")], "odt")
