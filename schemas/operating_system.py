"""What Linux, macOS and Windows do differently. No other module uses a name that one of them lacks.

Each function says what happens without it. `exports/query/confined_child.py` alone has such names of its own: it limits
its process before it may import a module of ours, and says so where the system has no such limits.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

_ASSUMED_MEMORY = 8 << 30
_LOW_PRIORITY = 10
_MOST_LINKS = 40
"""The longest chain of symbolic links that is followed, as in Linux."""
_MOST_PROCESSES_ON_WINDOWS = 61


def memory_bytes() -> int:
    """The memory of this machine; 8 GiB where the system does not say."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _ASSUMED_MEMORY
    return size if size > 0 else _ASSUMED_MEMORY


def most_processes(wanted: int) -> int:
    """The number of processes of one pool, at most `wanted`: Windows waits for no more than 61."""
    return min(wanted, _MOST_PROCESSES_ON_WINDOWS) if sys.platform == "win32" else wanted


def lower_priority(process: int) -> None:
    """Let a process of ours go after others, where the system can."""
    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, process, _LOW_PRIORITY)


def open_without_waiting(path: str | Path, flags: int) -> int:
    """Open a file, a pipe or a device, and return its descriptor; nothing waits for the other end of a pipe.

    Reading and writing wait as usual. Where no pipe has a name (Windows), there is nothing to wait for.

    Raises
    ------
    OSError
        If it cannot be opened: for writing, also if nothing reads from the pipe.
    """
    more = ("O_NONBLOCK", "O_NOCTTY", "O_BINARY")
    descriptor = os.open(path, flags | sum(getattr(os, name, 0) for name in more))
    if hasattr(os, "O_NONBLOCK"):
        # Only opening must not wait; reading and writing may.
        os.set_blocking(descriptor, True)
    return descriptor


def open_descriptor(path: Path) -> int | None:
    """The number of the open descriptor that a path such as ``/dev/stdout`` or ``/dev/fd/3`` leads to.

    None for any other path, and so for all where descriptors have no paths (Windows).
    """
    of_descriptors = re.compile(rf"/dev/fd|/proc/{os.getpid()}(/task/\d+)?/fd")
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if of_descriptors.fullmatch(folder) and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = Path(folder, path.readlink())
    return None


def after_fork_in_child(function: Callable[[], None]) -> None:
    """Let every later fork of this process call `function` first; without forks (Windows) it is never called."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)
