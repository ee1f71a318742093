"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.disk import no_fsync
from tests.example_graph import FOLDER

# No property may depend on how fast the machine is, and a run must not fail for what another run did not try.
# `--hypothesis-profile explore` tries new examples. `@settings` in a test names only what differs from this.
settings.register_profile("explore", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
# A property has 25 examples, or as many as KGSCRIPTS_EXAMPLES says (`.ci/run`).
_examples = int(os.environ.get("KGSCRIPTS_EXAMPLES", "25"))
settings.register_profile("kgscripts", settings.get_profile("explore"), derandomize=True, max_examples=_examples)
settings.load_profile("kgscripts")

os.environ.setdefault("HF_HUB_OFFLINE", "1")

# Ten thousand tests and the libraries are millions of objects, which Python would look through again and again.
gc.set_threshold(50_000, 20, 20)

_of_run = tempfile.TemporaryDirectory(prefix="kgscripts-tests-")
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ[FOLDER] = _of_run.name

NO_GPU = "no GPU: torch finds no CUDA device"
"""The one reason for which a test may be skipped although everything is at hand."""

_ROOT = Path(__file__).resolve().parents[1]
_SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", _ROOT.parent / "shared"))


@pytest.fixture(autouse=True, scope="session")
def _without_fsync() -> Iterator[None]:
    """Hundreds of small builds need not wait until the disk has turned."""
    with pytest.MonkeyPatch.context() as patch:
        no_fsync(patch)
        yield


@pytest.fixture(scope="session")
def shared_corpora() -> Path:
    """The folder of development corpora; tests that need it are skipped where there is none."""
    folder = _SHARED / "corpora"
    if not folder.is_dir():
        pytest.skip(f"no corpora at {folder}: set KGSCRIPTS_SHARED to the folder that holds `corpora`")
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody may enter, unlike pytest's own: for what is tried `without_privileges`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def without_privileges() -> Iterator[None]:
    """Run the block as the user `nobody` if the process runs as root."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses a browser, so that `make test` can leave it to `make test-rest`."""
    for item in items:
        if isinstance(item, pytest.Function) and "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)


@cache
def _has_servers(file: Path) -> bool:
    return "mark.servers" in file.read_text(encoding="utf-8")


class OneProcessAFile(LoadScopeScheduling):  # type: ignore[misc]
    """Of several processes, one runs all tests of a file, whose fixtures are then made once; one has the servers.

    `--dist loadgroup` would do, but xdist 3.8 gives its groups to nobody since pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "servers" if _has_servers(_ROOT / file) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneProcessAFile:
    return OneProcessAFile(config, log)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With KGSCRIPTS_NO_SKIP set (everything is at hand but a GPU), a skipped test fails the run."""
    if not os.environ.get("KGSCRIPTS_NO_SKIP"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or exitstatus != 0:
        return
    skipped = reporter.stats.get("skipped", [])
    if forbidden := [report for report in skipped if NO_GPU not in str(report.longrepr)]:
        reporter.write_line(f"KGSCRIPTS_NO_SKIP: {len(forbidden)} tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
