"""A long evaluation that is stopped goes on where it was, and gives the scores of one that was not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from kgscripts.evaluation.finished import Finished


def _results(path: Path, keys: Iterator[str]) -> list[str]:
    """Asks for a result of each key, and gives those that were not kept."""
    finished, computed = Finished(path), []
    for key in keys:

        def compute(key: str = key) -> dict[str, str]:
            computed.append(key)
            return {"is": f"{key}\u2028é"}

        assert finished.once(key, compute) == {"is": f"{key}\u2028é"}
    return computed


@pytest.mark.parametrize("cut", range(0, 90, 7))
def test_a_file_that_was_cut_anywhere_is_gone_on_with(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "finished"
    keys = list("abc")
    assert _results(path, islice(keys, 2)) == ["a", "b"]
    content = path.read_bytes()
    path.write_bytes(content[:cut])
    assert _results(path, iter(keys)) == [key for key in keys if not _whole(content[:cut], key)]
    assert _results(path, iter(keys)) == []


def _whole(content: bytes, key: str) -> bool:
    """Whether the line of a key is there as a whole."""
    return any(line.endswith(b"}}") and f'"key": "{key}"'.encode() in line for line in content.split(b"\n"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"null\n[]\n3\n{}\n", b'{"key": "a"}\n', b'{"result": 1}\n'])
def test_what_is_no_result_is_left_out(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "finished"
    path.write_bytes(content)
    assert _results(path, iter("ab")) == ["a", "b"]
    assert _results(path, iter("ab")) == []


def test_without_an_output_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finished = Finished.beside(None)
    assert [finished.once("a", lambda: 1), finished.once("a", lambda: 2)] == [1, 2]
    finished.remove()
    assert list(tmp_path.iterdir()) == []
    assert [Finished.beside(Path(device)).path for device in ("/dev/stdout", "/dev/null")] == [None, None]
