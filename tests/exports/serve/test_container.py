"""The commands of the Dockerfile, run as they are except for the addresses of the graph, the token and the server."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgscripts import ScriptGraph
from tests.exports.serve.conftest import AT_ONCE, started

_DOCKERFILE = Path(__file__).parents[3] / "Dockerfile"


def _command(name: str) -> list[str]:
    """The command of an instruction, in its JSON form."""
    text = _DOCKERFILE.read_text(encoding="utf-8").replace("\\\n", "")
    (found,) = re.findall(rf"^{name}[^\[\n]*(\[.*\])$", text, re.MULTILINE)
    read: list[str] = json.loads(found)
    return read


@pytest.mark.skipif(not _DOCKERFILE.exists(), reason="the package has no Dockerfile")
def test_the_command_serves_and_the_health_check_sees_it(kitchen: ScriptGraph, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token-for-this-test\n")
    name, graph, *options = (
        part.replace("/run/secrets/token", str(token)).replace("0.0.0.0", "127.0.0.1") for part in _command("CMD")
    )
    assert (name, graph) == ("serve", "/graph")
    python, *check = _command("HEALTHCHECK")
    assert python == "python"
    with started(kitchen.directory, *options, says=AT_ONCE) as server:
        here = [part.replace("8080", str(server.port)) for part in check]
        assert subprocess.run([sys.executable, *here]).returncode == 0
    assert subprocess.run([sys.executable, *here], stderr=subprocess.DEVNULL).returncode == 1
