"""The published scores of the papers (``published.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from kgscripts.evaluation.result import Figure, Role, System
from schemas.provenance import Direction, Unit


@cache
def published_systems(task: str) -> tuple[System, ...]:
    """The systems with published scores on a task of the file, in its order."""
    text = resources.files("kgscripts.reproductions").joinpath("published.toml").read_text(encoding="utf-8")
    return tuple(_system(**facts) for facts in tomllib.loads(text)[task])


def _system(figures: list[dict[str, Any]], **facts: str) -> System:
    return System(role=Role.PUBLISHED, figures=[figure for group in figures for figure in _figures(**group)], **facts)


def _figures(unit: str = "share", direction: str = "higher", part: str = "", **values: float) -> Iterator[Figure]:
    for metric, value in values.items():
        yield Figure(metric=metric, value=value, unit=Unit(unit), direction=Direction(direction), part=part)
