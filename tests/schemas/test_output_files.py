"""Files and directories are written whole, in their place, with their mode, or not at all."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import ConfigurationError, KGScriptsError, StoreError
from schemas.output_files import (
    check_directory,
    check_outputs,
    new_directory,
    new_file,
    replaced_directory,
    write_lines,
)
from tests.conftest import without_privileges
from tests.disk import small_disk


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def device(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """Devices of the test's own: if one is replaced by mistake, nothing else misses it."""
    found = {}
    for name, number in {"null": 3, "full": 7}.items():
        found[name] = tmp_path / name
        try:
            os.mknod(found[name], stat.S_IFCHR | 0o666, os.makedev(1, number))
            found[name].write_bytes(b"")
        except OSError as error:
            pytest.skip(f"no devices can be made here: {error}")
    yield found
    for path in found.values():
        assert stat.S_ISCHR(path.lstat().st_mode)


def test_a_device_is_written_to(device: dict[str, Path]) -> None:
    check_outputs(device["null"], device["null"], inputs=[device["full"]])
    write_lines(device["null"], ["nothing is kept"])
    link = device["null"].with_name("link")
    link.symlink_to("null")
    write_lines(link, ["nothing is kept"])


def test_a_device_that_refuses_is_an_error(device: dict[str, Path]) -> None:
    for path in (device["full"], device["full"].with_name("link")):
        if path.name == "link":
            path.symlink_to("full")
        check_outputs(path)
        with pytest.raises(StoreError, match=r"cannot be written \(No space left"):
            write_lines(path, ["too much"])


def test_what_nothing_reads_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket"):
            with pytest.raises(StoreError, match="nothing reads from it"):
                write_lines(tmp_path / name, ["lost"])
    assert names(tmp_path) == {"pipe", "socket"}


_SCRIPT = """
import sys
from pathlib import Path
from schemas.output_files import check_outputs, write_lines
path = Path(sys.argv[1])
check_outputs(path)
print("before")
write_lines(path, ["written"])
print("after")
"""


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "/dev/fd/{}"])
def test_an_open_descriptor_is_written_to(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    out = tmp_path / "out.txt"
    out.write_text("a line of the shell\n", encoding="utf-8")
    inode = out.stat().st_ino
    with out.open("a") as stream:
        arguments = [sys.executable, "-c", _SCRIPT, name.format(stream.fileno())]
        subprocess.run(arguments, stdout=stream, check=True, timeout=60, pass_fds=[stream.fileno()], cwd=tmp_path)
        stream.write("another\n")
    lines = "a line of the shell\nbefore\nwritten\nafter\nanother\n"
    assert (out.stat().st_ino, out.read_text(encoding="utf-8")) == (inode, lines)
    done = subprocess.run([sys.executable, "-c", _SCRIPT, "/dev/stdout"], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"before\nwritten\nafter\n"
    assert names(tmp_path) == {"link", "out.txt"}


def test_a_descriptor_that_is_not_open_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no file can be written there"):
        check_outputs(Path("/dev/fd/987"))
    with pytest.raises(StoreError, match="cannot be written"):
        write_lines(Path("/dev/fd/987"), [])


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to("inner/file")
    for text in ("one", "two"):
        check_outputs(tmp_path / "first")
        write_lines(tmp_path / "first", [text])
        assert (tmp_path / "inner" / "file").read_text() == f"{text}\n"
    assert (tmp_path / "first").is_symlink()
    assert (tmp_path / "second").is_symlink()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ConfigurationError, match="no file can be written there"):
        check_outputs(tmp_path / "loop")
    with pytest.raises(StoreError, match="cannot be written"):
        write_lines(tmp_path / "loop", ["nowhere"])
    assert (tmp_path / "loop").is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400, 0o666, 0o755])
def test_the_mode_stays_and_nobody_else_reads_what_is_unfinished(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    with new_file(path) as temporary:
        temporary.write_text("secret")
        assert stat.S_IMODE(temporary.parent.stat().st_mode) == 0o700
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (mode, "secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(mode | 0o700)
    with replaced_directory(folder) as new:
        (new / "inner").touch()
        assert stat.S_IMODE(new.parent.stat().st_mode) == 0o700
    assert (stat.S_IMODE(folder.stat().st_mode), names(folder)) == (mode | 0o700, {"inner"})


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_what_is_new_follows_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_lines(tmp_path / "a" / "b" / "file", ["new"])
        with new_directory(tmp_path / "folder"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a" / "b" / "file").stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o777 & ~umask


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(texts=st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["written", "failed", "full"])), max_size=6))
def test_a_file_is_the_last_that_was_written(tmp_path: Path, texts: list[tuple[str, str]]) -> None:
    path = tmp_path / ("名" * 80)
    path.unlink(missing_ok=True)
    expected = None
    for text, how in texts:
        content = text.encode("utf-8", "replace")
        if how == "full":
            with small_disk(10), pytest.raises(StoreError, match="cannot be written"), new_file(path) as temporary:
                temporary.write_bytes(b"more than fits")
        elif how == "failed":
            with suppress(KeyboardInterrupt), new_file(path) as temporary:
                temporary.write_bytes(content)
                raise KeyboardInterrupt
        else:
            with new_file(path) as temporary:
                temporary.write_bytes(content)
            expected = content
        assert (path.read_bytes() if path.exists() else None) == expected
    assert names(tmp_path) == (set() if expected is None else {path.name})


def test_a_directory_that_cannot_be_moved_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "kept").touch()
    replace = Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(5, "Input/output error")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="Input/output"), replaced_directory(tmp_path / "old"):
        pass
    assert (names(tmp_path), names(tmp_path / "old")) == ({"old"}, {"kept"})


def test_places_where_nothing_can_be_written(open_folder: Path) -> None:
    (open_folder / "file").touch()
    (open_folder / "sealed").mkdir(mode=0o555)
    with without_privileges():
        for name in (".", "file/inner", "file/inner/more", "sealed/file", "sealed/new/file", "x" * 300, "/proc/file"):
            with pytest.raises(ConfigurationError, match="no file can be written there"):
                check_outputs(open_folder / name)
            with pytest.raises(StoreError, match="cannot be written"):
                write_lines(open_folder / name, ["nowhere"])
    assert names(open_folder) == {"file", "sealed"}


def test_inputs_are_known_by_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "folder/inner/b.txt", "folder/.hidden", "other.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    Path("hard").hardlink_to("a.txt")
    Path("soft").symlink_to("folder/inner/b.txt")
    Path("linked").symlink_to("folder")
    inputs: list[str | Path | None] = ["a.txt", Path("linked"), None, "-", "", "no such model", "nul\0", "x" * 5000]
    for name in ("a.txt", "./folder/../a.txt", "hard", "soft", "folder/inner/b.txt", str(tmp_path / "a.txt")):
        with pytest.raises(ConfigurationError, match="is an input and would be overwritten"):
            check_outputs(None, Path("new"), Path(name), inputs=inputs)
        with pytest.raises(ConfigurationError, match="is an input"), new_file(Path(name), [i for i in inputs if i]):
            pass
    check_outputs(Path("other.txt"), Path("folder/.hidden"), Path("folder/new"), Path("no such model"), inputs=inputs)
    for name in ("folder", "linked", ".", "folder/inner/.."):
        with pytest.raises(KGScriptsError, match="is or contains an input"):
            check_directory(Path(name), ["folder/inner/b.txt"])
    check_directory(Path("folder/inner"), ["a.txt", "folder", None])
    check_directory(Path("new"), ["new"])
