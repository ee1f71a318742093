"""The configurations that ship; their names are known without importing torch."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable


def configuration_folder(package: str) -> Traversable:
    """Where the configurations of a package, such as ``lightning_modules.transducer``, are."""
    return resources.files(package) / "configs"


def shipped_configurations(package: str) -> list[str]:
    """The names of the configurations of a package."""
    names = (path.name for path in configuration_folder(package).iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
