"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")

_SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared_corpora() -> Path:
    """The folder of development corpora; tests that need it are skipped where there is none."""
    folder = _SHARED / "corpora"
    if not folder.is_dir():
        pytest.skip(f"no corpora at {folder}: set KGSCRIPTS_SHARED to the folder that holds `corpora`")
    return folder
