"""How the tests are shared among processes."""

from __future__ import annotations

import os

import pytest

from tests.conftest import OneProcessAFile


@pytest.mark.parametrize("_number", range(6))
def test_the_tests_of_a_file_run_in_one_process(_number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    processes = (
        tmp_path_factory.getbasetemp().parent / f"processes-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
    )
    with processes.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    assert set(processes.read_text(encoding="utf-8").split()) == {str(os.getpid())}


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/exports/test_neo4j.py::test_a", "servers"),
        ("tests/exports/test_rdf_server.py::test_a[x::y]", "servers"),
        ("tests/exports/test_show.py::test_a[b::c]", "tests/exports/test_show.py"),
    ],
)
def test_servers_run_in_one_process(nodeid: str, group: str) -> None:
    assert OneProcessAFile._split_scope(OneProcessAFile.__new__(OneProcessAFile), nodeid) == group
