"""English Recipe Flow Graph corpus (Yamakata et al., LREC 2020): recipes whose tokens carry tags, with a flow graph.

Ten columns as in CoNLL-U: the number of the token in its recipe, the token, ``_``, its part of speech, its tag
(``B-Ac``, ``I-Ac``, ``O``), ``_``, the number of the token that it flows to, the label of this edge (``t``: the target
of an action, ``d``: its destination), and two more edges. A recipe begins at token 1; blank lines mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from attrs import frozen

from kgscripts.corpora.detokenizing import detokenize
from kgscripts.corpora.source import numbered_lines
from schemas.errors import InputError

_COLUMNS = 10
_NO_TAG = "O"


@frozen
class TaggedPhrase:
    """Tokens with one tag: action of the cook (``Ac``, ``Ac2`` where it goes on), of food (``Af``) or of a tool
    (``At``), food (``F``), tool (``T``), state of food or tool (``Sf``, ``St``), duration (``D``), quantity (``Q``).

    `token` is the number of its first token, `words` are its tokens, `start` and `end` its span in the text,
    `first_end` the end of its first token; `edge` is the label of the edge that leaves it ("t": it is the target of an
    action), and `to` the place of the phrase that the edge leads to among the phrases of the recipe, None for none.
    """

    tag: str
    token: int
    words: tuple[str, ...]
    start: int
    end: int
    first_end: int
    edge: str = ""
    to: int | None = None


@frozen
class TaggedRecipe:
    """The text of a recipe, and its tagged phrases in text order."""

    name: str
    text: str
    phrases: tuple[TaggedPhrase, ...]


@frozen
class _Row:
    token: str
    tag: str
    head: int
    label: str


def read_recipes(path: Path) -> list[TaggedRecipe]:
    """The recipes of a file, in order.

    Raises InputError for a file that cannot be read, at the first line that is not of this format, and for one without
    recipes.
    """
    recipes = [_recipe(f"{path.name}#{number}", rows) for number, rows in enumerate(_blocks(path), start=1)]
    if not recipes:
        raise InputError("no recipes", where=str(path), remedy="use the .conllu files of the Recipe Flow Graph corpus")
    return recipes


def _blocks(path: Path) -> Iterator[list[_Row]]:
    block: list[_Row] = []
    for where, line in numbered_lines(path):
        columns = line.split("\t")
        if columns[0] == "1" and block:
            yield block
            block = []
        block.append(_row(columns, len(block) + 1, where))
    if block:
        yield block


def _row(columns: list[str], expected: int, where: str) -> _Row:
    if len(columns) != _COLUMNS:
        raise InputError(
            f"{len(columns)} columns instead of {_COLUMNS}", where=where, remedy="use the corpus as published"
        )
    number, token, tag, head, label = columns[0], columns[1], columns[4], columns[6], columns[7]
    if number != str(expected):
        raise InputError(f"token {number!r} where {expected} is expected", where=where, remedy="mend the numbers")
    if tag != _NO_TAG and tag[:2] not in ("B-", "I-"):
        raise InputError(f"the tag {tag!r} is not O, B-… or I-…", where=where, remedy="mend the tag")
    if not head.isascii() or not head.isdigit():
        raise InputError(f"the head {head!r} is no number", where=where, remedy="mend the head")
    return _Row(token, tag, int(head), label)


def _recipe(name: str, rows: list[_Row]) -> TaggedRecipe:
    text, spans = detokenize([row.token for row in rows])
    # "I-" continues a phrase only of its own tag, so that a missing "B-" begins one.
    starts = [
        place
        for place, row in enumerate(rows)
        if row.tag != _NO_TAG and (row.tag[0] == "B" or place == 0 or rows[place - 1].tag[2:] != row.tag[2:])
    ]
    phrase_at: dict[int, int] = {}
    ends: list[int] = []
    for number, (start, following) in enumerate(pairwise([*starts, len(rows)])):
        end = start + 1
        while end < following and rows[end].tag == f"I-{rows[start].tag[2:]}":
            end += 1
        ends.append(end)
        phrase_at.update(dict.fromkeys(range(start, end), number))
    phrases = [
        TaggedPhrase(
            tag=rows[start].tag[2:],
            token=start + 1,
            words=tuple(row.token for row in rows[start:end]),
            start=spans[start][0],
            end=spans[end - 1][1],
            first_end=spans[start][1],
            edge=rows[start].label if rows[start].head else "",
            to=phrase_at.get(rows[start].head - 1),
        )
        for start, end in zip(starts, ends, strict=True)
    ]
    return TaggedRecipe(name=name, text=text, phrases=tuple(phrases))
