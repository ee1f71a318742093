"""Names of PDDL: valid, different for different words, and with a way back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.planning.making import SourceChange, SourceStep
from kgscripts.planning.pddl import LONGEST, pddl_domain, pddl_name, read_names
from tests.graphs import ODD_TEXTS
from tests.planning.hand_made import plan_of, step

_VALID = re.compile(r"[a-z][a-z0-9_-]*")
WORDS = st.one_of(
    st.text(max_size=8),
    st.text("aAbB -_0.ä", max_size=6),
    st.sampled_from(ODD_TEXTS),
    st.text("ab _", min_size=90, max_size=110),
)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("frying pan", "thing-frying-pan"),
        ("2 eggs", "thing-2-eggs"),
        ("crème", "thing-cr_e8_me"),
        ("Oven", "thing-_4f_ven"),
        ("and", "thing-and"),
        ("object", "thing-object"),
        ("", "thing-_"),
        (" ", "thing-_20_"),
        ("a  b ", "thing-a_20_-b_20_"),
        ("wash-up", "thing-wash_2d_up"),
        ("wash_up", "thing-wash_5f_up"),
        ("锅", "thing-_9505_"),
        ("(:goal) ; \n", "thing-_28__3a_goal_29_-_3b__20__a_"),
    ],
)
def test_what_pddl_forbids_is_escaped(words: str, name: str) -> None:
    assert pddl_name("thing", words) == name


@given(WORDS, WORDS)
def test_different_words_have_different_names(one: str, other: str) -> None:
    names = [pddl_name(kind, words) for words in (one, other) for kind in ("thing", "value")]
    assert all(_VALID.fullmatch(name) and len(name) <= LONGEST + 1 for name in names)
    # PDDL does not distinguish capitals, and these names have none.
    assert len(set(names)) == (2 if one == other else 4)


@pytest.mark.parametrize("words", ["long " * 100, "a" * (LONGEST - 6), "a" * (LONGEST - 5)])
def test_long_names_are_cut_and_differ(words: str) -> None:
    names = {pddl_name("value", words + end) for end in ("", "b", "c", "ä")}
    assert len(names) == 4
    assert max(map(len, names)) <= LONGEST + 1


@given(st.lists(WORDS, min_size=1, max_size=6), WORDS)
def test_a_domain_says_what_its_names_mean(words: list[str], label: str) -> None:
    changes = [SourceChange(entity=item, attribute=item, after=f"{item}x") for item in words]
    plan = plan_of(SourceStep(id="\n; a", label=label, tools=words, changes=changes))
    names = read_names(pddl_domain(plan))
    expected = {("script", plan.title), ("do", f"1 {label}"), ("step", f"1 {label}")}
    expected |= {("thing", item) for item in (*plan.tools, *plan.things)}
    for effect in plan.steps[0].effects:
        expected |= {("attribute", effect.attribute), ("value", effect.value)}
    assert names == {pddl_name(kind, item): item for kind, item in expected}


def test_passages_name_nothing() -> None:
    plan = plan_of(step('a" ; "b\n  thing-c ; "d"'))
    assert set(read_names(pddl_domain(plan))) == {
        "script-making-tea",
        pddl_name("step", f"1 {plan.steps[0].label}"),
        pddl_name("do", f"1 {plan.steps[0].label}"),
    }
