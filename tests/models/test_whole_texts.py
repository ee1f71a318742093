"""What a text as a whole is about, given what its sentences are about."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.models.scenarios.whole_texts import SHORT, most_central, stretches, without_asides


def _labels(told: str, sure: float = 0.8) -> list[Mapping[str, float]]:
    return [{} if name == " " else {name: sure} for name in told]


def _about(told: str, sure: float = 0.8) -> str:
    return "".join(next(iter(labels), " ") for labels in without_asides(_labels(told, sure)))


def test_a_short_text_is_about_one_thing_unless_it_tells_as_much_of_another() -> None:
    assert _about("aaabaa") == "aaaaaa", "an aside joins what goes on around it"
    assert _about("aaa  a") == "aaaaaa"[:6], "and so does what is between"
    assert _about(" aaab") == " aaaa"
    assert _about("aaabbb") == "aaabbb"
    assert _about("aaaabbbc") == "aaaabbb" + "b"
    assert _about("a b c d e f g h") == " " * 15, "nothing is told enough"


def test_a_long_text_keeps_what_is_found_unless_most_of_it_is_about_one_thing() -> None:
    several = "aaa bb ccc d ee ffff gg "
    assert len(several) > SHORT
    assert _about(several) == several
    assert _about("a" * 20 + "bb" + "a" * 5) == "a" * 27


def test_a_whole_has_one_scenario() -> None:
    found: list[Mapping[str, float]] = [*_labels("aaaa"), *[{"a": 0.5, "b": 0.5}] * 4, *_labels("bbb")]
    kept = without_asides(found, is_whole=True)
    assert {name for labels in kept for name in labels} == {"a"}
    assert {name for labels in without_asides(found) for name in labels} == {"a", "b"}


@given(st.lists(st.sampled_from(" abc"), max_size=40).map("".join), st.sampled_from([0.4, 0.8]))
def test_no_scenario_is_made_up(told: str, sure: float) -> None:
    kept = without_asides(_labels(told, sure))
    assert len(kept) == len(told)
    assert {name for labels in kept for name in labels} <= set(told) - {" "}
    for name, start, end, mean in stretches(kept):
        assert told[start:end].strip()
        assert name in told[start:end]
        assert 0 < mean <= sure + 1e-9


def test_the_most_central_name() -> None:
    sentences = np.array([[9, 1], [9, 2]], dtype=np.int8)
    assert most_central(sentences, np.array([[0, 5], [5, 1], [5, 1]], dtype=np.int8)) == 1
