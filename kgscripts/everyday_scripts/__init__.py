"""Scripts of everyday activities that ship, written by a language model (`README.md`): the input `everyday`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

NAME = "everyday"
"""The input that stands for them, unless a path has this name."""


def folder() -> Path:
    """The folder of the files, one a scenario."""
    return Path(str(resources.files("kgscripts.everyday_scripts") / "scripts"))


def names_in(path: Path) -> list[str]:
    """The names of the activity of one of the files, its own first, without reading the whole of it."""
    import yaml  # here, since commands import this module for its name alone

    head = yaml.safe_load(path.read_text(encoding="utf-8").partition(_HEAD)[0])
    return [head["scenario"], *head["also"]]


_HEAD = "\nabout:"
"""The names stand before this line in each file."""
