"""Only regular files are opened, and without waiting."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest

from schemas.errors import InputError
from schemas.input_files import open_input, open_regular
from tests.conftest import without_privileges


@pytest.mark.timeout(60)
def test_what_is_no_file_is_refused(open_folder: Path) -> None:
    os.mkfifo(open_folder / "pipe")
    (open_folder / "link").symlink_to("pipe")
    (open_folder / "zeros").symlink_to("/dev/zero")
    (open_folder / "loop").symlink_to("loop")
    (open_folder / "private").touch(mode=0o000)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(open_folder / "socket"))
        for name, message in {
            "pipe": "it is a pipe, not a regular file",
            "link": "it is a pipe, not a regular file",
            "zeros": "it is a device, not a regular file",
            "socket": "it is a socket, not a regular file",
            ".": "it is a folder, not a regular file",
            "none": "o such file",
            "loop": "symbolic links",
            "private": "Permission denied",
            "nul\0": "null",
            "x" * 300: "too long",
            "half\ud800": "surrogates",
        }.items():
            path = open_folder / name
            with without_privileges(), pytest.raises(InputError, match=f"cannot be read: .*{message}") as caught:
                open_input(path)
            assert (caught.value.where, bool(caught.value.remedy)) == (str(path), True)
            with without_privileges(), pytest.raises(OSError, match=re.escape(message)):
                open_regular(path)


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\r\ntwo")
    (tmp_path / "link").symlink_to("file")
    for path in (tmp_path / "file", str(tmp_path / "link")):
        with open_input(path) as stream:
            assert (stream.read(3), stream.seek(0), stream.read()) == (b"one", 0, b"one\r\ntwo")


def test_a_pipe_that_takes_the_place_of_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    status = (tmp_path / "file").stat()
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(Path, "stat", lambda *_, **__: status)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112, PTH208
    with pytest.raises(InputError, match="it is a pipe"):
        open_input(tmp_path / "pipe")
    if before:
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
