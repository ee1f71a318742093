"""What is no prose is set aside with a reason; everything else is read."""

from __future__ import annotations

import pytest

from kgscripts.corpora.text_kinds import other_kind
from tests.corpora.other_kinds import OTHER, PROSE


@pytest.mark.parametrize("name", OTHER)
def test_other_kinds(name: str) -> None:
    reason, text = OTHER[name]
    found = other_kind(text)
    assert found is not None
    assert found.reason is reason
    assert found.detail.startswith("looks like ")
    assert "; " in found.detail


@pytest.mark.parametrize("name", PROSE)
def test_prose(name: str) -> None:
    assert other_kind(PROSE[name]) is None
