"""Dishes with aligned actions are read, and what is wrong with a file is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.reproductions.corpora.ara import read_dishes
from schemas.errors import InputError
from tests.corpora.cooking import FIRST, SECOND, alignments, write_dish
from tests.corpora.test_recipe_flow import rows


def test_actions_have_spans_and_partners(tmp_path: Path) -> None:
    (dish,) = read_dishes(write_dish(tmp_path))
    assert (dish.name, list(dish.recipes), dish.left_out) == ("plain rice", ["a", "b"], 0)
    assert [phrase.words for phrase in dish.recipes["b"].actions] == [("Boil",), ("Wait",), ("Drain",), ("rice",)]
    pairs = [(item.action.words, item.other and item.other.words) for item in dish.alignments]
    assert pairs == [(("Boil",), ("Boil",)), (("Drain",), ("Drain",)), (("Serve",), None)]
    first, _ = dish.documents()
    assert (first.name, first.scenario, first.text) == (
        "a",
        "make plain rice",
        "Boil the rice. Drain the rice. Serve it.",
    )


def test_numbers_of_a_longer_text_are_the_actions_in_order(tmp_path: Path) -> None:
    shifted = [("a", 2, "b", 1), ("a", 8, "b", 7), ("a", 14, "b", 0), ("b", 1, "a", 8)]
    (dish,) = read_dishes(write_dish(tmp_path, aligned=alignments(shifted)))
    assert [item.action.words for item in dish.alignments] == [("Boil",), ("Drain",), ("Serve",), ("Boil",)]
    assert dish.alignments[-1].other == dish.recipes["a"].actions[1]


def test_tokens_that_are_no_actions_are_counted(tmp_path: Path) -> None:
    others = [("a", 2, "b", 1), ("a", 5, "b", 8), ("a", 9, "b", 99), ("a", 1, "b", 1)]
    (dish,) = read_dishes(write_dish(tmp_path, aligned=alignments(others)))
    assert (len(dish.alignments), dish.left_out) == (1, 3)


@pytest.mark.parametrize(
    ("aligned", "message"),
    [
        ("a\t1\tb\t1\n", "alignments.tsv:1: the columns are not file1, token1, file2, token2"),
        (alignments([("a", 1, "b")]), "alignments.tsv:2: 3 columns instead of 4"),
        (alignments([("a", 1, "b", 1), ("a", "x", "b", 1)]), "alignments.tsv:3: the token 'x' is no number"),
        (alignments([("a", -1, "b", 1)]), "alignments.tsv:2: the token '-1' is no number"),
        (alignments([("a", 1, "b", "²")]), "alignments.tsv:2: the token '²' is no number"),
        (alignments([("a", 1, "b", "9" * 5000)]), "alignments.tsv:2: the token"),
        (alignments([("a", 1, "c", 1)]), "alignments.tsv:2: no recipe 'c'"),
        (alignments([("a", 1, "b", 1), ("a", 1, "b", 5)]), "alignments.tsv:3: the action is aligned twice"),
    ],
)
def test_bad_alignments(tmp_path: Path, aligned: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_dishes(write_dish(tmp_path, aligned=aligned))
    assert message in str(caught.value)
    assert caught.value.remedy


def test_bad_folders_and_recipes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no dishes"):
        read_dishes(tmp_path)
    with pytest.raises(InputError, match=r"a\.conllu: 2 recipes instead of one"):
        read_dishes(write_dish(tmp_path / "two", first=FIRST + SECOND))
    with pytest.raises(InputError, match=r"a\.conllu:1: 2 columns"):
        read_dishes(write_dish(tmp_path / "short", first="1\tBoil\n"))
    folder = write_dish(tmp_path / "bytes", first=rows("Boil/B-A"))
    (folder / "plain_rice" / "alignments.tsv").write_bytes(b"file1\xff")
    with pytest.raises(InputError, match=r"alignments\.tsv:1: byte 0xff is not UTF-8"):
        read_dishes(folder)


def test_the_development_half_is_read(shared_corpora: Path) -> None:
    dishes = read_dishes(shared_corpora / "ara")
    assert [len(dish.recipes) for dish in dishes] == [11] * 5
    assert sum(len(dish.alignments) for dish in dishes) == 801
    assert sum(item.other is not None for dish in dishes for item in dish.alignments) == 540
    assert sum(dish.left_out for dish in dishes) == 0
