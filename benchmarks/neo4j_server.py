"""A scratch Neo4j server for the length of a benchmark."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from benchmarks.java import with_java

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
