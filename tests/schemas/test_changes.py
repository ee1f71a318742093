"""Steps whose changes are predicted: what they may hold."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.changes import ProcedureStep
from schemas.errors import InputError


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": "half \ud83d"}, "the text of a step has a lone surrogate at character 5"),
        ({"text": "Go!", "context": ("Wait.", "\udcff")}, "the context of a step has a lone surrogate at character 0"),
        ({"text": "Go!", "title": "Tea\ude00"}, "the title of a step has a lone surrogate at character 3"),
    ],
)
def test_a_lone_surrogate_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        ProcedureStep(**values)
    assert error.value.remedy


def test_a_step_has_a_text() -> None:
    with pytest.raises(ValueError, match="text"):
        ProcedureStep(text="")
    assert ProcedureStep(text="\x00🍳鍋").text == "\x00🍳鍋"
