"""Corrections as records: what is needed, what is refused, and which of several counts."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.corrections import Correction
from schemas.errors import RecordError

WHO: dict[str, Any] = {"author": "Ada", "time": "2026-03-01"}
CAKE: dict[str, Any] = {"scenario": "baking a cake", "step": "put cake in oven"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "reject", "scenario": "baking a cake"}, 'needs "step"'),
        ({"kind": "reject", "step": "mix"}, 'needs "scenario"'),
        ({"kind": "reject", **CAKE, "relation": "USES"}, 'needs "other"'),
        ({"kind": "reject", **CAKE, "other": "tray"}, 'needs "relation"'),
        ({"kind": "reject", **CAKE, "relation": "HAS_SUB_EVENT", "other": "x"}, "name one of DECOMPOSES_INTO"),
        ({"kind": "reject", **CAKE, "relation": "EXPRESSED_AS", "other": "x"}, "cannot be rejected"),
        ({"kind": "reject", **CAKE, "name": "bake"}, 'has no "name"'),
        ({"kind": "rename", **CAKE}, 'needs "name"'),
        ({"kind": "rename", **CAKE, "name": " \n "}, 'needs "name"'),
        ({"kind": "rename", **CAKE, "name": "x" * 501}, "more than 500"),
        ({"kind": "same step", **CAKE}, 'needs "other"'),
        ({"kind": "same step", **CAKE, "other": " Put  cake in OVEN"}, "named twice"),
        ({"kind": "same thing", "thing": "stove"}, 'needs "other"'),
        ({"kind": "same thing", "thing": "stove", "other": "stove"}, "named twice"),
        ({"kind": "tool role", "thing": "bowl"}, 'needs "role"'),
        ({"kind": "tool role", "thing": "bowl", "role": "place"}, "instrument, container, appliance, support"),
        ({"kind": "tool role", "thing": "bowl", "role": "container", "step": "mix"}, 'needs "scenario"'),
        ({"kind": "add", "scenario": "baking a cake"}, 'needs "step"'),
        ({"kind": "add", **CAKE, "relation": "USES"}, 'needs "other"'),
        ({"kind": "add", **CAKE, "relation": "EXPRESSED_AS", "other": "x"}, "name one of USES, PRECEDES, CHANGES"),
        ({"kind": "add", **CAKE, "relation": "PRECEDES", "other": "put cake in oven"}, "named twice"),
        ({"kind": "add", **CAKE, "role": "support"}, "only a tool has a role"),
        ({"kind": "add", **CAKE, "relation": "USES", "other": "tray", "role": "vessel"}, "no role of a tool"),
        ({"kind": "add", **CAKE, "relation": "CHANGES", "other": "hot cake"}, "temperature of water: cold -> hot"),
        ({"kind": "about", "thing": "a.txt"}, 'needs "scenario"'),
        ({"kind": "about", "scenario": "none"}, 'needs "thing"'),
        ({"kind": "about", "thing": "a.txt", **CAKE}, 'has no "step"'),
        ({"kind": "reject", **CAKE, "author": ""}, 'needs "author"'),
        ({"kind": "reject", **CAKE, "time": "yesterday"}, "no date or time"),
        ({"kind": "reject", **CAKE, "time": "2026-02-30"}, "no date or time"),
    ],
)
def test_what_is_no_correction(values: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        Correction(**WHO | values)


def test_words_and_times_have_one_form() -> None:
    item = Correction(
        kind="rename",
        scenario=" baking  a cake",
        step="Put cake\nin  oven",
        name=" Bake  it ",
        author=" Ada ",
        time="2026-03-01T14:00:00+02:00",
    )
    assert item.to_dict() == {
        "kind": "rename",
        "scenario": "baking a cake",
        "step": "put cake in oven",
        "name": "Bake it",
        "author": "Ada",
        "time": "2026-03-01T12:00:00Z",
    }


def test_the_key_is_what_it_is_about() -> None:
    def key(kind: str, **values: Any) -> str:
        return Correction(kind=kind, **WHO, **values).digest

    first, second = CAKE | {"other": "bake"}, {"scenario": "baking a cake", "step": "bake", "other": "put cake in oven"}
    assert key("same step", **first) == key("different step", **second)
    assert (
        key("rename", **CAKE, name="one") == key("rename", **CAKE, name="two") == key("rename", **CAKE, withdrawn=True)
    )
    assert key("same thing", thing="a", other="b") == key("same thing", thing="b", other="a")
    keys = {
        key("reject", **CAKE),
        key("reject", **CAKE, relation="USES", other="tray"),
        key("reject", **CAKE, relation="HAS_PARTICIPANT", other="tray"),
        key("rename", **CAKE, name="one"),
        key("rename", **CAKE | {"scenario": "baking bread"}, name="one"),
        key("tool role", thing="tray", role="support"),
        key("tool role", thing="tray", role="support", **CAKE),
    }
    assert len(keys) == 7
    # What is added and what is rejected contradict each other.
    assert key("add", **CAKE) == key("reject", **CAKE)
    uses = CAKE | {"relation": "USES", "other": "tray"}
    assert key("add", **uses, role="support") == key("reject", **uses) == key("add", **uses, withdrawn=True)
    about = {"thing": "A.txt", "other": "Some  words"}
    assert key("about", **about, scenario="none") == key("about", **about, withdrawn=True)
    assert key("about", **about, scenario="none") != key("about", thing="a.txt", scenario="none")


def test_age_is_the_time_not_its_text() -> None:
    early, late = (
        Correction(kind="reject", **CAKE, author="Ada", time=f"2026-03-01T{t}") for t in ("09:00Z", "09:00:00.5Z")
    )
    assert early.age < late.age
    assert early.time > late.time
