"""Scripts of everyday activities that ship, written by a language model (`README.md`): the input `everyday`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

NAME = "everyday"
"""The input that stands for them, unless a path has this name."""


def folder() -> Path:
    """The folder of the files, one a scenario."""
    return Path(str(resources.files("kgscripts.everyday_scripts") / "scripts"))
