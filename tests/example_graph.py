"""The graph of the shipped example texts, as `make graph` builds it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from filelock import FileLock

import kgscripts

FOLDER = "KGSCRIPTS_TEST_FOLDER"
"""The environment variable with a folder that the processes of a test run share."""
_EXAMPLES = Path(kgscripts.__file__).parent / "examples"


@cache
def example_graph() -> Path:
    """The directory of the graph, built once in a test run; nobody writes to it."""
    directory = Path(os.environ[FOLDER], "example-graph")
    with FileLock(directory.with_suffix(".lock")):
        if not (directory / "manifest.json").exists():
            kgscripts.build_graph([_EXAMPLES / "texts", _EXAMPLES / "pages"], directory)
    return directory
