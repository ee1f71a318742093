"""Bytes that are not UTF-8: byte order marks, UTF-16, Windows-1252 and Latin-1, and what is left alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.building.report import print_report
from kgscripts.corpora.source import Utf8Check, western_encoding
from kgscripts.pipeline import build_graph
from schemas.records import DiscardReason
from tests.corpora.documents import read

TEXT = "I made a café au lait – for my fiancée – and drank it.\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode("cp1252"), "cp1252"),
        (("I ran. " * 40_000 + TEXT).encode("cp1252"), "cp1252"),
        (gzip.compress(TEXT.encode("cp1252"), mtime=0), "cp1252"),
        (TEXT.encode("utf-16"), "utf-16"),
        (TEXT.encode("utf-32"), "utf-32"),
        (TEXT.encode("utf-8-sig"), ""),
        (TEXT.encode(), ""),
        (b"I ran.", ""),
    ],
)
def test_the_encoding_is_named(data: bytes, encoding: str, tmp_path: Path) -> None:
    (document,), discards = read(tmp_path, "a.txt", data)
    assert not discards
    assert document.text.endswith(TEXT) or document.text == "I ran."
    assert document.encoding == encoding


@pytest.mark.parametrize(
    "data",
    [
        "Привет, мир. Я бежал домой.".encode("cp1251"),
        TEXT.encode() + "Noch ein café.".encode("latin-1"),
        TEXT.encode()[:13],
        b"one \x81 two",
    ],
    ids=["Cyrillic", "UTF-8 with damage", "UTF-8 cut off", "undefined"],
)
def test_what_is_not_western_is_set_aside(data: bytes, tmp_path: Path) -> None:
    documents, (discard,) = read(tmp_path, "a.txt", data)
    assert not documents
    assert discard.reason is DiscardReason.UNDECODABLE


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252"])
def test_xml_keeps_the_encoding_that_it_names(declared: str, tmp_path: Path) -> None:
    story = f"<?xml version='1.0' encoding='{declared}'?><data><instance id='1' scenario='x'><text>A café.</text>"
    (document,), _ = read(tmp_path, "a.xml", f"{story}</instance></data>".encode("latin-1"))
    assert document.text == "A café."


@settings(max_examples=50)
@given(st.text(), st.lists(st.integers(1, 7), min_size=1))
def test_utf_8_passes_in_any_pieces(text: str, sizes: list[int]) -> None:
    data, check, given_out, at, number = text.encode(), Utf8Check(), b"", 0, 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        given_out += check.recoded(data[at : at + size])
        at, number = at + size, number + 1
    assert given_out + check.recoded(b"") == data
    assert not check.encoding


@settings(max_examples=50)
@given(st.integers(0, 30), st.integers(1, 9))
def test_western_text_in_any_pieces(before: int, size: int) -> None:
    data = ("x" * before + "é" + TEXT).encode("cp1252")
    check = Utf8Check()
    pieces = [check.recoded(data[at : at + size]) for at in range(0, len(data), size)]
    found = b"".join([*pieces, check.recoded(b"")])
    assert found == data or found.decode() == "x" * before + "é" + TEXT


def test_nothing_is_guessed_of_binary_data() -> None:
    assert western_encoding(b"\xe9\x00\xe9") is None


def test_the_report_names_the_encoding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes((name + TEXT).encode("cp1252"))
    (tmp_path / "c.txt").write_text(TEXT)
    inputs = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    report = build_graph(inputs, tmp_path / "graph", extractors=["labels"])
    assert report.run.encodings == {"cp1252": 2}
    print_report(report)
    assert "sources that are not UTF-8 were read: 2 as cp1252" in " ".join(capsys.readouterr().out.split())
