"""Tagged recipes are read with their phrases, and what is wrong with a file is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.reproductions.corpora.recipe_flow import read_recipes
from schemas.errors import InputError


def rows(*tokens: str) -> str:
    """Lines of the corpus of "token/tag/head/label" items; tag, head and label may be left out."""
    lines = []
    for number, item in enumerate(tokens, start=1):
        given = item.split("/")
        token, tag, head, label = [*given, *["O", "0", "root"][len(given) - 1 :]]
        lines.append(f"{number}\t{token}\t_\tX\t{tag}\t_\t{head}\t{label}\t_\t_\n")
    return "".join(lines)


RECIPE = rows("Heat/B-Ac", "olive/B-F/1/t", "oil/I-F", "in", "a", "pan/B-T/1/d", ".", "Stir/B-Ac")


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "recipes.conllu"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_phrases_have_spans_and_edges(tmp_path: Path) -> None:
    first, second = read_recipes(write(tmp_path, RECIPE + "\n" + rows("Serve/B-Ac", ".")))
    assert (first.name, first.text) == ("recipes.conllu#1", "Heat olive oil in a pan. Stir")
    assert [(phrase.tag, first.text[phrase.start : phrase.end]) for phrase in first.phrases] == [
        ("Ac", "Heat"),
        ("F", "olive oil"),
        ("T", "pan"),
        ("Ac", "Stir"),
    ]
    oil, pan = first.phrases[1:3]
    assert (oil.edge, oil.to, first.text[oil.start : oil.first_end]) == ("t", 0, "olive")
    assert (pan.edge, pan.to) == ("d", 0)
    assert (first.phrases[0].edge, first.phrases[0].to) == ("", None)
    assert second.text == "Serve."


def test_a_phrase_may_lack_its_beginning(tmp_path: Path) -> None:
    (recipe,) = read_recipes(write(tmp_path, rows("Heat/B-Ac", "olive/I-F", "oil/I-F", "salt/I-Q")))
    assert [phrase.words for phrase in recipe.phrases] == [("Heat",), ("olive", "oil"), ("salt",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no recipes"),
        ("\n\n", "no recipes"),
        ("1\tHeat\n", "recipes.conllu:1: 2 columns instead of 10"),
        (RECIPE + rows("Heat").replace("1\t", "3\t", 1), "recipes.conllu:9: token '3' where 9 is expected"),
        (rows("Heat/Ac"), "recipes.conllu:1: the tag 'Ac' is not"),
        (rows("Heat/B-Ac/x/t"), "recipes.conllu:1: the head 'x' is no number"),
        (rows("Heat/B-Ac/²/t"), "the head '²' is no number"),
        (rows("Heat/B-Ac/-1/t"), "the head '-1' is no number"),
        (b"1\t\xff\n", "byte 0xff is not UTF-8"),
    ],
)
def test_bad_files(text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read_recipes(write(tmp_path, text))


def test_a_head_behind_the_end_leads_nowhere(tmp_path: Path) -> None:
    (recipe,) = read_recipes(write(tmp_path, rows("Heat/B-Ac/99/t")))
    assert recipe.phrases[0].to is None


def test_the_development_half_is_read(shared_corpora: Path) -> None:
    sizes = {name: len(read_recipes(shared_corpora / "recipe-flow" / f"{name}.conllu")) for name in ("train", "dev")}
    assert sizes == {"train": 240, "dev": 30}
