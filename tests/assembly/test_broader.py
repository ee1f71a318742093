"""BROADER: which tool the name of another one makes it a kind of."""

from __future__ import annotations

import pytest

from kgscripts.assembly.writing.broader import broader_name

TOOLS = {"pan", "cake pan", "round cake pan", "knife", "butter knife", "ice cream scoop", "scoop", "pin"}


@pytest.mark.parametrize(
    ("tool", "broader"),
    [
        ("cake pan", "pan"),
        ("round cake pan", "cake pan"),
        ("ice cream scoop", "scoop"),
        ("rolling pin", None),
        ("safety pin", None),
        ("pan", None),
        ("saucepan", None),
        ("pan lid", None),
        ("paper plate", None),
    ],
)
def test_the_longest_name_that_is_a_tool_counts(tool: str, broader: str | None) -> None:
    assert broader_name(tool, TOOLS) == broader
