"""Functions of packages that depend on this one. They are found by name when they are called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def function(place: str) -> Callable[..., Any]:
    """The function at ``module:name``. Its package depends on `schemas`, which can be imported without it."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
