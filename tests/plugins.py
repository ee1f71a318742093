"""Entry points of packages that are installed for a test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest


def install(folder: Path, group: str, entries: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package into a folder, with the entry points ``name = module:class`` of a group."""
    install_groups(folder, {group: entries}, monkeypatch)


def install_groups(folder: Path, groups: Mapping[str, Mapping[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with several groups."""
    found = folder / "found_by_tests-1.dist-info"
    found.mkdir(parents=True)
    (found / "METADATA").write_text("Metadata-Version: 2.1\nName: found-by-tests\nVersion: 1\n", encoding="utf-8")
    lines = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (found / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
