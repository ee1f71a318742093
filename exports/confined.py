"""Queries of embedded stores run in a child process that may not write, load code, call out or take all memory.

One process is started for each opened store and reused by later queries. It is killed when a query exceeds a limit or
is interrupted, and the next query starts another.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path

from exports.engine_process import EngineProcess, Limits
from schemas.errors import QueryError
from schemas.results import Table

_KEPT = 4
"""The number of processes that are kept for further queries."""


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
    try:
        content = json.dumps(request).encode()
    except (TypeError, ValueError, RecursionError):
        raise QueryError(
            "a parameter has a type that queries do not take",
            remedy="use text, numbers, booleans, lists and mappings",
        ) from None
    key = (engine, store.absolute(), limits.confined)
    with _registry_lock:
        child = _children.pop(key, None) or EngineProcess(engine, key[1], limits.confined)
        _children[key] = child
        unused = [name for name, other in _children.items() if other is not child and other.is_stale()]
        unused += [name for name in list(_children)[:-_KEPT] if name not in unused]
        for name in unused:
            if _children[name].close_if_idle():
                del _children[name]
    return child.ask(content, limits)


_registry_lock = threading.Lock()
_children: dict[tuple[str, Path, bool], EngineProcess] = {}
"""The least recently used first."""


def _close_all() -> None:
    for child in _children.values():
        child.close_if_idle()


def _forget_all() -> None:
    global _registry_lock
    _registry_lock = threading.Lock()
    for child in _children.values():
        child.forget()
    _children.clear()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
