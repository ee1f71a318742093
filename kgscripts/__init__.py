"""Script knowledge from text: a typed graph of what everybody knows and nobody writes down."""

from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import schemas

if TYPE_CHECKING:
    from exports.graph import Script, ScriptGraph, everyday, export
    from kgscripts.analysis.reading import read
    from kgscripts.commands.evaluate import evaluate
    from kgscripts.editing.correcting import correct_graph
    from kgscripts.editing.merging import merge_graphs
    from kgscripts.models.registry import load_model
    from kgscripts.pipeline import build_graph, remove_source
    from kgscripts.scripts.types import Step
    from lightning_modules.commands import train

    __version__: str

__all__ = [
    "Script",
    "ScriptGraph",
    "Step",
    "__version__",
    "build_graph",
    "correct_graph",
    "evaluate",
    "everyday",
    "export",
    "load_model",
    "merge_graphs",
    "read",
    "remove_source",
    "train",
]

_HOMES = {  # The only names of kgscripts that stand for something above it.
    "Script": "exports.graph",
    "ScriptGraph": "exports.graph",
    "Step": "kgscripts.scripts.types",
    "build_graph": "kgscripts.pipeline",
    "correct_graph": "kgscripts.editing.correcting",
    "evaluate": "kgscripts.commands.evaluate",
    "everyday": "exports.graph",
    "export": "exports.graph",
    "load_model": "kgscripts.models.registry",
    "merge_graphs": "kgscripts.editing.merging",
    "read": "kgscripts.analysis.reading",
    "remove_source": "kgscripts.pipeline",
    "train": "lightning_modules.commands",
}

_FOUND = Path(schemas.__file__ or "").resolve()
if not (_FOUND.parent / "script_graph.py").exists():
    raise ImportError(
        f"kgscripts needs its own package `schemas`, but {_FOUND} shadows it; "
        "rename or move that file, or install kgscripts into an environment of its own"
    )


def __getattr__(name: str) -> Any:
    """The main functions, imported at their first use, so that `import kgscripts` stays light."""
    if name == "__version__":
        return metadata.version("kgscripts")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public, for completion."""
    return sorted(__all__)
