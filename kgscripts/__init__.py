"""Script knowledge from text: a typed graph of what everybody knows and nobody writes down."""

from pathlib import Path

import schemas

_FOUND = Path(schemas.__file__ or "").resolve()
if not (_FOUND.parent / "script_graph.py").exists():
    raise ImportError(
        f"kgscripts needs its own package `schemas`, but {_FOUND} shadows it; "
        "rename or move that file, or install kgscripts into an environment of its own"
    )
