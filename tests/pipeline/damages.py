"""What can happen to a file: of records, of a graph, and the index of records."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 0xFF
    file.write_bytes(content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


OF_A_FILE: tuple[Callable[[Path], None], ...] = (flip, cut, empty, Path.unlink)


def damage_each(files: list[Path]) -> None:
    """Each file in a way of its own."""
    for file, damage in zip(files, OF_A_FILE, strict=True):
        damage(file)


def _page(path: Path, number: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(number * 4096)
        stream.write(b"\xa5" * 4096)


def _foreign_path(path: Path) -> None:
    with closing(sqlite3.connect(path)) as index:
        index.execute("UPDATE shard_file SET kind = '../../victim' WHERE kind = 'document'")
        index.commit()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def _link(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


OF_AN_INDEX: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "a page": lambda path: _page(path, 3),
    "names of files elsewhere": _foreign_path,
}
IN_PLACE_OF_AN_INDEX: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "something else": lambda path: path.write_bytes(b"no index" * 1000),
    "a folder": _folder,
    "a link": _link,
}
"""It is made anew as one that was deleted."""
