"""How often verbs have an object, by counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgscripts.text.verb_objects import VerbObjects, parse_counts, verb_objects
from kgscripts.training.text.verb_objects import rows


def test_counts_by_hand() -> None:
    counts = VerbObjects(parse_counts("drink\t10\t8\nsit\t20\t0\nsit down\t5\t0\n"))
    assert counts.transitivity("drink") == 0.75
    assert counts.transitivity("drink", "up") == 0.75
    assert counts.transitivity("sit", "down") < counts.transitivity("frobnicate") == 0.5


def test_the_counts_that_ship() -> None:
    counts = verb_objects()
    assert counts.transitivity("sit") < 0.1 < 0.7 < counts.transitivity("wash")


_WORDS = st.text("abc", min_size=1, max_size=3)


@given(st.dictionaries(_WORDS, st.tuples(st.integers(3, 9), st.integers(0, 3))))
def test_what_is_written_is_read_again(verbs: dict[str, tuple[int, int]]) -> None:
    uses, with_object = ({verb: counts[place] for verb, counts in verbs.items()} for place in (0, 1))
    assert parse_counts("".join(f"{line}\n" for line in rows(uses, with_object))) == verbs
