"""Modules that were moved are imported by the names that the documentation of version 0.2.0 gave them."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from kgscripts.moved import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_old_names_import_the_same_module(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{old} is {new} now"):
        module = import_module(old)
    assert module is import_module(new)
    assert import_module(old) is module
    assert module.__name__ == new


def test_other_names_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("kgscripts.corpora.pair_corporas")
