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


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With KGSCRIPTS_NO_SKIP set (everything is at hand), a skipped test fails the run."""
    if not os.environ.get("KGSCRIPTS_NO_SKIP"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and exitstatus == 0 and reporter.stats.get("skipped"):
        reporter.write_line(f"KGSCRIPTS_NO_SKIP: {len(reporter.stats['skipped'])} tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
