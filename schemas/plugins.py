"""Entry points of installed packages, ours too: found by name, imported when they are used, named where they fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, distributions, entry_points
from typing import Any

from schemas.errors import ModelError, without_extra

REMEDY = "repair or uninstall the package that brings it"


@cache
def _entries(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of a group, cached, since looking for them takes long."""
    # A part of the key of the cache only: on another path there may be other packages.
    del path
    by_name: dict[str, EntryPoint] = {}
    try:
        entries = entry_points(group=group)
    except Exception as error:
        raise _damaged() from error
    for entry in sorted(entries, key=lambda entry: (entry.name, entry.value)):
        by_name.setdefault(entry.name, entry)
    return by_name


def _damaged() -> ModelError:
    """The error that names the package whose entry points cannot be read."""
    name = ""
    for distribution in distributions():
        name = str(distribution.locate_file(""))
        try:
            name = distribution.metadata["Name"] or name
            list(distribution.entry_points)
        except Exception as error:  # noqa: BLE001, whatever a damaged file raises
            return ModelError(f"its entry_points.txt cannot be read ({error})", where=name, remedy="install it again")
    return ModelError("the entry points of installed packages cannot be read", remedy=REMEDY)


def entry_points_of(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; nothing is imported. If two packages have the same name, the first by value
    is used."""
    return _entries(group, tuple(sys.path))


def loaded(entry: EntryPoint, word: str) -> Any:
    """What an entry point names, imported; `word` is what it is called in messages.

    Raises
    ------
    ModelError
        If it cannot be imported.
    """
    with failures_of(entry, word):
        return entry.load()


@contextmanager
def failures_of(entry: EntryPoint, word: str) -> Iterator[None]:
    """Name the plugin whose code fails, also where it would end the program."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if missing := without_extra(error):
            raise missing from error
        said = f"{error}" if isinstance(error, Exception) else f"it ends the program ({type(error).__name__})"
        message = f"the {word} {entry.name!r} cannot be loaded: {said}"
        raise ModelError(message, where=entry.value, remedy=REMEDY) from error
