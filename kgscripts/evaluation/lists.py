"""The gold lists that ship, in the folder ``data``."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any


def list_path(name: str) -> Path:
    """The file of a list."""
    return Path(str(resources.files("kgscripts.evaluation") / "data" / name))


def list_rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of a list in columns, by column."""
    lines = list_path(name).read_text(encoding="utf-8").splitlines()
    return csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def list_objects(name: str) -> Iterator[Any]:
    """The objects of a list with a JSON object a line."""
    return map(json.loads, list_path(name).read_text(encoding="utf-8").splitlines())
