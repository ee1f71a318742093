"""Queries of embedded stores run in a child process that may not write, load code, call out or take all memory.

A process is started for an opened store and reused by later queries; queries of several threads get one each, up to a
limit. It is killed when a query exceeds a limit or is interrupted, and the next query starts another.
"""

from __future__ import annotations

import atexit
import json
import threading
from collections.abc import Mapping
from pathlib import Path

from exports.query.engine_process import EngineProcess, Limits, Serialised
from schemas.errors import QueryError
from schemas.operating_system import after_fork_in_child
from schemas.results import Table

_KEPT = 4
"""The number of processes that are kept for further queries, and the most of one store."""


def ask(engine: str, store: Path, request: Mapping[str, object], limits: Limits) -> Table:
    """Return the answer of the `engine` (``oxigraph``, ``ladybug``) over the `store` to a request.

    Raises
    ------
    EngineError
        If the engine refuses the query.
    QueryError
        If the query exceeds a limit, or the engine crashes.
    StoreError
        If the store cannot be opened.
    ConfigurationError
        If this platform cannot confine a process, and `limits` requires that.
    """
    answer = _asked(engine, store, request, limits)
    if isinstance(answer, Serialised):
        raise TypeError("a request for a table names no formats")
    return answer


def ask_serialised(store: Path, request: Mapping[str, object], limits: Limits) -> Serialised:
    """Return the answer of Oxigraph to a request whose ``formats`` are the media types of ``solutions`` and
    ``triples``; the errors are those of `ask`."""
    answer = _asked("oxigraph", store, request, limits)
    if not isinstance(answer, Serialised):
        raise TypeError("a request for text names its formats")
    return answer


def _asked(engine: str, store: Path, request: Mapping[str, object], limits: Limits) -> Table | Serialised:
    try:
        content = json.dumps(request).encode()
    except (TypeError, ValueError, RecursionError):
        raise QueryError(
            "a parameter has a type that queries do not take",
            remedy="use text, numbers, booleans, lists and mappings",
        ) from None
    key = (engine, store.absolute(), limits.confined)
    with _registry_lock:
        child = _free(key)
        is_taken = child is not None
        if child is None:
            child = min((other for name, other in _children if name == key), key=lambda other: other.waiting)
            # Until it is taken, nobody may end it (`close_if_idle`).
            child.waiting += 1
        else:
            _children.append((key, child))
            _forget_unused()
    if not is_taken:
        # Not under the lock of the registry, since it waits for the query of another thread.
        child.take()
        with _registry_lock:
            child.waiting -= 1
    return child.ask(content, limits)


def _free(key: tuple[str, Path, bool]) -> EngineProcess | None:
    """A process of the store that nobody else uses, taken and out of the registry; None if there are enough others."""
    of_store = [entry for entry in _children if entry[0] == key]
    # The one that was used last: the others stay idle, and are ended if there are too many.
    for entry in reversed(of_store):
        if entry[1].take(wait=False):
            _children.remove(entry)
            return entry[1]
    if len(of_store) >= _KEPT:
        return None
    child = EngineProcess(*key)
    child.take()
    return child


def _forget_unused() -> None:
    """End processes that are idle and stale, or more than are kept; the last one was just taken."""
    excess = len(_children) - _KEPT
    for number, entry in enumerate(_children[:-1]):
        if (number < excess or entry[1].is_stale()) and entry[1].close_if_idle():
            _children.remove(entry)


_registry_lock = threading.Lock()
_children: list[tuple[tuple[str, Path, bool], EngineProcess]] = []
"""The least recently used first."""


def _close_all() -> None:
    for _, child in _children:
        child.close_if_idle()


def _forget_all() -> None:
    global _registry_lock
    # A thread of the parent may have held the old one, and is not there to release it.
    _registry_lock = threading.Lock()
    for _, child in _children:
        child.forget()
    _children.clear()


atexit.register(_close_all)
after_fork_in_child(_forget_all)
