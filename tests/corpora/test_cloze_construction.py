"""Construction of the cloze task: the blanked words, the kept blanks, and how near the released ones are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.pairs.loading import load_pairs, read_whitelist
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.kidscook.cloze.construction import (
    MAX_BLANKS,
    blankable_words,
    construct_clozes,
    with_blanks,
)


def pair(abstract: str, concrete: str, marks: str = "") -> Pair:
    return Pair(abstract=abstract.split(), concrete=concrete.split(), blanks=[mark == "0" for mark in marks.split()])


def agreement(pairs: Sequence[Pair], words: Set[str]) -> tuple[float, float]:
    """Precision and recall of the blanked tokens of templates if these words may be blanked."""
    outcomes = Counter(
        both for pair in pairs for both in zip(with_blanks(pair, words).blanks, pair.blanks, strict=True)
    )
    right = outcomes[True, True]
    return right / (right + outcomes[True, False]), right / (right + outcomes[False, True])


def blanked(made: Pair) -> list[str]:
    return [" ".join(made.concrete[start:end]) for start, end in made.slots]


def test_words_belong_to_the_concrete_side() -> None:
    pairs = [pair("drain pasta", "drain pasta with the strainer for 2 seven minutes , use it and salt")] * 5
    pairs += [pair("salt it", "salt it")] * 9
    assert blankable_words(pairs) == ["minutes", "strainer"]


def test_a_word_must_be_new_nearly_as_often_as_it_is_abstract() -> None:
    new = [pair("it .", "oven")] * 9
    assert blankable_words(new + [pair("oven", "it .")] * 10) == ["oven"]
    assert blankable_words(new + [pair("oven", "it .")] * 11) == []
    assert blankable_words([pair("oven", "oven")] * 9) == []


def test_rare_words_are_not_blanked() -> None:
    pairs = [pair("a", "whisk")] * 4
    assert blankable_words(pairs) == []
    assert blankable_words(pairs, min_count=4) == ["whisk"]


def test_the_most_frequent_word_comes_first_and_ties_are_in_alphabetical_order() -> None:
    assert blankable_words([pair("a", "pan bowl pot")] * 5 + [pair("a", "pot")]) == ["pot", "bowl", "pan"]


def test_neighbours_join_and_abstract_words_are_kept() -> None:
    made = with_blanks(
        pair("heat the pan", "use a wire whisk , heat a wire pan"), {"wire", "whisk", "pan", "heat", "other"}
    )
    assert blanked(made) == ["wire whisk", "wire"]


def test_longer_blanks_are_preferred_then_later_words_at_all_occurrences() -> None:
    made = with_blanks(pair("x", "b . a . c . d . f . e g . b . f . a"), set("abcdefg"))
    assert blanked(made) == ["b", "c", "d", "f", "e g", "b", "f"]


def test_pairs_without_a_blank_are_dropped() -> None:
    pairs = [pair("a", "b c"), pair("b", "b c"), pair("a", "b")]
    assert [made.concrete for made in construct_clozes(pairs, {"b"})] == [("b", "c"), ("b",)]


_SIDES = st.lists(st.sampled_from("abcdefghij."), min_size=1, max_size=40)


@given(abstract=_SIDES, concrete=_SIDES, words=st.sets(st.sampled_from("abcdefghij")))
def test_rules_hold_for_any_pair(abstract: list[str], concrete: list[str], words: set[str]) -> None:
    made = with_blanks(Pair(abstract=abstract, concrete=concrete), words)
    candidates = words - set(abstract)
    assert len(made.blanks) == len(concrete)
    assert {token for token, blank in zip(made.concrete, made.blanks, strict=True) if blank} <= candidates
    assert any(made.blanks) == bool(candidates & set(concrete))
    phrases = set(blanked(made))
    assert len(phrases) <= MAX_BLANKS
    if len(phrases) < MAX_BLANKS:
        assert all(blank == (token in candidates) for token, blank in zip(made.concrete, made.blanks, strict=True))


@pytest.mark.parametrize(("split", "pairs", "blanks", "tokens", "surplus"), [
    ("train", 8038, 37475, 45935, 6), ("valid", 1007, 4787, 5941, 2),
])  # fmt: skip
def test_the_released_whitelist_gives_the_released_templates(
    shared_corpora: Path, split: str, pairs: int, blanks: int, tokens: int, surplus: int
) -> None:
    folder = shared_corpora / "kidscook"
    words = frozenset(read_whitelist(folder / "approved.5.txt"))
    templates = load_pairs([folder / f"{split}.template.tsv"])
    assert len(templates) == pairs == len(construct_clozes(templates, words))
    assert sum(len(template.slots) for template in templates) == blanks
    assert sum(sum(template.blanks) for template in templates) == tokens
    assert agreement(templates, words) == (tokens / (tokens + surplus), 1)


def test_our_whitelist_is_close_to_the_released_one(shared_corpora: Path) -> None:
    folder = shared_corpora / "kidscook"
    train, valid = (load_pairs([folder / f"{split}.template.tsv"]) for split in ("train", "valid"))
    words = blankable_words(train)
    released = read_whitelist(folder / "approved.5.txt")
    assert len(released) == 1071
    assert len({*words} & {*released}) > 900
    assert min(agreement(valid, frozenset(words))) > 0.9
