"""The configurations in the package; their names are known without importing torch."""

from __future__ import annotations

from importlib import resources


def shipped_configurations() -> list[str]:
    """The names of the configurations in the package."""
    folder = resources.files("lightning_modules.scenarios") / "configs"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))
