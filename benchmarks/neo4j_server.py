"""A scratch Neo4j server for the length of a benchmark."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

_DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "neo4j"


@frozen
class Server:
    """Where it listens, and the password of its user ``neo4j``."""

    uri: str
    password: str


@contextmanager
def neo4j_server() -> Iterator[Server | None]:
    """Start the server of the folder that `KGSCRIPTS_TEST_NEO4J` names; None where there is none."""
    folder = Path(os.environ.get("KGSCRIPTS_TEST_NEO4J", _DEFAULT))
    if not (folder / "start").exists():
        yield None
        return
    password = "kgscripts-bench"
    os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"] = "neo4j", password
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen([folder / "start", home], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().strip(), password)
        finally:
            process.terminate()
            process.wait(timeout=60)
