"""The most frequent role of a participant or a tool, as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.records import ToolRole

TOOL_ROLES = sorted(role.value for role in ToolRole)


def most_frequent(roles: Sequence[str]) -> str:
    """SQL: the role with the highest sum (`as_<role>`); among equal ones, the first in the alphabet."""
    choices = " ".join(f"WHEN c.as_{role} THEN '{role}'" for role in roles)
    return f"CASE greatest({', '.join(f'c.as_{role}' for role in roles)}) {choices} END"
