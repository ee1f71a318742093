"""The graph of the shipped example texts, as `make graph` builds it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import kgscripts

_EXAMPLES = Path(kgscripts.__file__).parent / "examples"


@cache
def example_graph() -> Path:
    """The directory of the graph, built once in a process; nobody writes to it."""
    directory = Path(_folder().name, "example-graph")
    kgscripts.build_graph([_EXAMPLES / "texts", _EXAMPLES / "pages"], directory)
    return directory


@cache
def _folder() -> TemporaryDirectory[str]:
    """A folder that is removed when the process ends."""
    return TemporaryDirectory()
