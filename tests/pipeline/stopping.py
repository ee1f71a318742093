"""Builds that stop where assembly begins: what comes before it is seen without waiting for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from attrs import define, field

from kgscripts.assembly import assemble as assembling
from kgscripts.records.store import RecordStore


class _BeginsError(Exception):
    """Raised in place of assembly."""


@define
class Begun:
    """What an assembly was about to make a graph of: the names of all sources, and its options."""

    sources: list[str] = field(factory=list)
    options: dict[str, Any] = field(factory=dict)


@contextmanager
def until_assembly() -> Iterator[Begun]:
    """The block must come to an assembly, which is left out: the directory keeps its graph, or has none yet."""
    begun = Begun()

    def begin(store: RecordStore, *_: Any, **options: Any) -> None:
        begun.sources = sorted(name for _, name in store.inputs.sources())
        begun.options = options
        raise _BeginsError

    with mock.patch.object(assembling, "assemble", begin), pytest.raises(_BeginsError):
        yield begun
