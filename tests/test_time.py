"""No test depends on how fast the machine is: limits of time catch only what goes on for ever."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

_TESTS = Path(__file__).parent
_LEAST = 20
"""Seconds."""
_CLOCKS = {"monotonic", "perf_counter", "time", "process_time"}
_WAITS = {"communicate", "wait", "wait_procs", "join", "check_output", "check_call"}


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _limits(node: ast.AST) -> Iterator[float]:
    """The seconds that an expression compares a clock with, adds to it, or waits for a process."""
    if isinstance(node, ast.Compare | ast.BinOp) and any(_name(call) in _CLOCKS for call in _calls(node)):
        others = [*node.comparators] if isinstance(node, ast.Compare) else [node.right]
        yield from (item.value for item in others if isinstance(item, ast.Constant) and isinstance(item.value, int))
    if isinstance(node, ast.Call) and (_name(node) in _WAITS or ast.unparse(node.func) == "subprocess.run"):
        limits = (word.value for word in node.keywords if word.arg == "timeout")
        yield from (item.value for item in limits if isinstance(item, ast.Constant) and isinstance(item.value, int))


def test_no_limit_of_time_is_short() -> None:
    found = {
        f"{path.relative_to(_TESTS)}:{getattr(node, 'lineno', 0)}": limit
        for path in _TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for limit in _limits(node)
        if limit < _LEAST
    }
    assert not found


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("assert time.monotonic() - begun < 2", [2]),
        ("deadline = monotonic() + 3", [3]),
        ("process.communicate(timeout=4)", [4]),
        ("subprocess.run(command, timeout=5)", [5]),
        ("run_query(graph, text, timeout=1)", []),
        ("assert count < 2", []),
    ],
)
def test_limits_are_found(code: str, limits: list[float]) -> None:
    assert [limit for node in ast.walk(ast.parse(code)) for limit in _limits(node)] == limits


def test_no_property_has_a_deadline() -> None:
    assert settings().deadline is None
