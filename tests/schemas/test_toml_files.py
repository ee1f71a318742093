"""TOML files that people write."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from schemas.errors import ConfigurationError
from schemas.input_files import read_toml


def test_values(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('a = 1\n[b]\nc = ["ä"]\n', encoding="utf-8")
    assert read_toml(tmp_path / "a.toml") == {"a": 1, "b": {"c": ["ä"]}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = ", "no TOML"),
        (b"a = 1\na = 2", "no TOML"),
        (b"\xff\xfe", "no UTF-8"),
        (b"\xef\xbb\xbfa = 1", "no TOML"),
        (b"a = " + b"9" * 5_000, "no TOML"),
        (b"a = " + b"[" * 100_000, "no TOML"),
    ],
)
def test_what_is_none(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=message) as caught:
        read_toml(tmp_path / "a.toml")
    assert caught.value.where == str(tmp_path / "a.toml")
    assert caught.value.remedy


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("missing", "no such configuration"), ("pipe", "it is a pipe"), (".", "it is a folder")):
        with pytest.raises(ConfigurationError, match=message) as caught:
            read_toml(tmp_path / name, remedy="name another one")
        assert caught.value.remedy == "name another one"


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 100_000) + " = 1",
        f"[{'.'.join('a' * 100_000)}]",
        "x = {" + " . ".join(['"a.b"'] * 10_000) + " = 1}",
        "a = 1\n" * 200_000,
        "x = " + "[" * 100_000,
    ],
    ids=["key", "table", "quoted", "long", "deep"],
)
def test_what_would_take_much_memory_is_refused_before_it_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError, match="no TOML") as caught:
            read_toml(tmp_path / "odd.toml")
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 300
