"""Completion of commands in a shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_commands_are_completed(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "_KGSCRIPTS_COMPLETE": "complete_bash"}
    environment |= {"COMP_WORDS": "kgscripts sho", "COMP_CWORD": "1"}
    code = "import sys; sys.path[:0] = ['.']; sys.argv = ['kgscripts']; import cli; cli.main()"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["show"]
