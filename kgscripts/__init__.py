"""Script knowledge from text: a typed graph of what everybody knows and nobody writes down."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import schemas

if TYPE_CHECKING:
    from kgscripts.models.registry import load_model
    from kgscripts.pipeline import build_graph, remove_source

__all__ = ["build_graph", "load_model", "remove_source"]

_FOUND = Path(schemas.__file__ or "").resolve()
if not (_FOUND.parent / "script_graph.py").exists():
    raise ImportError(
        f"kgscripts needs its own package `schemas`, but {_FOUND} shadows it; "
        "rename or move that file, or install kgscripts into an environment of its own"
    )


def __getattr__(name: str) -> Any:
    """The main functions, loaded when they are first asked for: `import kgscripts` stays light."""
    if name == "load_model":
        from kgscripts.models.registry import load_model

        return load_model
    if name in __all__:
        from kgscripts import pipeline

        return getattr(pipeline, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
