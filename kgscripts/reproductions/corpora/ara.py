"""Aligned Recipe Actions (Donatelli et al., EMNLP 2021): recipes of one dish, and which actions of two are the same.

A folder has a folder a dish. Its `recipes/*.conllu` have the columns of the Recipe Flow Graph corpus
(`recipe_flow`), with the tag ``A`` for actions; its `alignments.tsv` has, under a header, the name of
a recipe, the number of an action's first token in it, the name of another recipe, and the number of the first token of
the same action there, 0 if it has none.

The numbers of a few recipes are those of a text with more punctuation than the published one. Where they are as many
as the recipe has actions, they are its actions in order; other alignments of such recipes are left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from kgscripts.corpora.plain_text import document_of_text
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.corpora.recipe_flow import TaggedPhrase, read_recipes
from schemas.errors import InputError
from schemas.records import Document

ALIGNMENTS, RECIPES = "alignments.tsv", "recipes"
_HEADER = ["file1", "token1", "file2", "token2"]
_PUBLISHED = "use the corpus as published"
_DIGITS = 10
_ACTION = "A"


@frozen
class AraRecipe:
    """The text of a recipe, and its actions in text order."""

    text: str
    actions: tuple[TaggedPhrase, ...]


@frozen
class AlignedAction:
    """An action of a recipe, and the same one of another recipe, None if that has none."""

    recipe: str
    action: TaggedPhrase
    other_recipe: str
    other: TaggedPhrase | None


@frozen
class Dish:
    """The recipes of a dish by name, and the aligned actions of pairs of them; `left_out` counts other alignments."""

    name: str
    recipes: Mapping[str, AraRecipe]
    alignments: Sequence[AlignedAction]
    left_out: int = 0

    def documents(self) -> list[Document]:
        """Each recipe as a plain text; the scenario is to make the dish."""
        scenario = f"make {self.name}"
        return [evolve(document_of_text(name, recipe.text), scenario=scenario) for name, recipe in self.recipes.items()]


@frozen
class _Row:
    recipe: str
    token: int
    other_recipe: str
    other_token: int


def read_dishes(directory: Path) -> list[Dish]:
    """The dishes of a folder, by name.

    Raises
    ------
    InputError
        With file and line, for a file that cannot be read or has another format, and for a folder without dishes.
    """
    folders = sorted(path.parent for path in directory.glob(f"*/{ALIGNMENTS}"))
    if not folders:
        raise InputError(
            f"no dishes: no folder in it has a file {ALIGNMENTS}",
            where=str(directory),
            remedy="name the folder of the corpus of Aligned Recipe Actions",
        )
    return [_dish(folder) for folder in folders]


def _dish(folder: Path) -> Dish:
    recipes = {path.stem: _recipe(path) for path in sorted((folder / RECIPES).glob("*.conllu"))}
    rows = list(_rows(folder / ALIGNMENTS, recipes))
    actions = {name: _actions(name, recipe, rows) for name, recipe in recipes.items()}
    aligned = [
        AlignedAction(row.recipe, action, row.other_recipe, other)
        for row in rows
        if (action := actions[row.recipe].get(row.token))
        and ((other := actions[row.other_recipe].get(row.other_token)) or not row.other_token)
    ]
    return Dish(folder.name.replace("_", " "), recipes, aligned, len(rows) - len(aligned))


def _recipe(path: Path) -> AraRecipe:
    recipes = read_recipes(path)
    if len(recipes) > 1:
        raise InputError(f"{len(recipes)} recipes instead of one", where=str(path), remedy=_PUBLISHED)
    return AraRecipe(recipes[0].text, tuple(phrase for phrase in recipes[0].phrases if phrase.tag == _ACTION))


def _actions(name: str, recipe: AraRecipe, rows: Sequence[_Row]) -> dict[int, TaggedPhrase]:
    """The actions of a recipe by the numbers that its alignments give them."""
    actions = {phrase.token: phrase for phrase in recipe.actions}
    numbers = sorted({row.token for row in rows if row.recipe == name})
    if not actions.keys() >= set(numbers) and len(numbers) == len(actions):
        return dict(zip(numbers, actions.values(), strict=True))
    return actions


def _rows(path: Path, recipes: Mapping[str, AraRecipe]) -> Iterator[_Row]:
    aligned: set[tuple[str, int, str]] = set()
    lines = numbered_lines(path)
    where, header = next(lines, (str(path), ""))
    if header.split("\t") != _HEADER:
        raise InputError(f"the columns are not {', '.join(_HEADER)}", where=where, remedy=_PUBLISHED)
    for where, line in lines:
        row = _row(line.split("\t"), recipes, where)
        key = (row.recipe, row.token, row.other_recipe)
        if key in aligned:
            raise InputError("the action is aligned twice", where=where, remedy="delete one of the lines")
        aligned.add(key)
        yield row


def _row(columns: Sequence[str], recipes: Mapping[str, AraRecipe], where: str) -> _Row:
    if len(columns) != len(_HEADER):
        raise InputError(f"{len(columns)} columns instead of {len(_HEADER)}", where=where, remedy=_PUBLISHED)
    recipe, token, other_recipe, other_token = columns
    for text in (token, other_token):
        if not (text.isascii() and text.isdigit() and len(text) < _DIGITS):
            raise InputError(f"the token {text!r} is no number", where=where, remedy="mend the number")
    for name in (recipe, other_recipe):
        if name not in recipes:
            raise InputError(f"no recipe {name!r}", where=where, remedy=f"add {RECIPES}/{name}.conllu")
    return _Row(recipe, int(token), other_recipe, int(other_token))
