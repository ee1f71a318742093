"""Pictures of alignments like Figure 2 of the KidsCook paper: the concrete text below the abstract words."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from attrs import field, frozen

from kgscripts.commands.aligned_pair import AlignedPair
from schemas.drawing.svg import Element, Svg
from schemas.drawing.text_layout import text_width, wrapped

# All lengths are in pixels, from the upper left corner.
_WIDTH = 960
_MARGIN = 36
_WORDS = 36
"""Height of a line of abstract words."""
_LINE = 60
"""Height of a line of concrete text, with the bracket and the abstract word below it."""
_BETWEEN = 24
_SPACE = 6
_INSET = 8
_TEXT, _LABEL = 14, 11
# Colours in which white text is legible, and which are legible on white.
_COLOURS = (
    *("#4f46e5", "#c2410c", "#15803d", "#be185d", "#0369a1"),
    *("#a16207", "#7e22ce", "#0f766e", "#b91c1c", "#4d7c0f"),
)
_STYLE = """
text { fill: #1a1a1a }
.unused { fill: #737373 }
.word text { fill: #ffffff }
path { fill: none }
""" + "".join(
    f".c{number} rect, .c{number} .label {{ fill: {colour} }}\n.c{number} path {{ stroke: {colour} }}\n"
    for number, colour in enumerate(_COLOURS)
)


@frozen
class _Token:
    """A token as it is shown: its text, its left edge and its width, and the posterior of its alignment."""

    text: str
    x: int
    width: int
    posterior: float


@frozen
class _Piece:
    """The part of a stretch on one line, which begins and ends at these x coordinates; `word` is its abstract word."""

    word: int
    line: int
    start: int
    end: int
    tokens: list[_Token] = field(factory=list)


def draw_alignments(aligned: Sequence[AlignedPair]) -> Svg:
    """Draw pairs one below the other.

    The abstract words are on top, each in its own colour. Below is the concrete text, each stretch with a bracket in
    the colour of the word that it is aligned to. A token with a higher posterior has a deeper shade.
    """
    laid_out = [(_words(item.pair.abstract), _pieces(item)) for item in aligned]
    heights = [_WORDS * (words[-1][2] + 1) + _LINE * (pieces[-1].line + 1) for words, pieces in laid_out]
    height = 2 * _MARGIN + sum(heights) + _BETWEEN * (len(heights) - 1)
    svg = Svg(width=_WIDTH, height=height, title="alignments", style=_STYLE)
    top = _MARGIN
    for (words, pieces), size in zip(laid_out, heights, strict=True):
        colours = {word: i % len(_COLOURS) for i, word in enumerate(sorted({piece.word for piece in pieces}))}
        group = svg.group(svg.root, move=(0, top))
        for index, (text, x, line) in enumerate(words):
            _draw_word(svg, group, text, x, line * _WORDS, colours.get(index))
        below = _WORDS * (words[-1][2] + 1)
        for piece in pieces:
            part = svg.group(group, kind=f"c{colours[piece.word]}", move=(0, below + piece.line * _LINE))
            _draw_piece(svg, part, piece, words[piece.word][0])
        top += size + _BETWEEN
    return svg


def _words(abstract: Sequence[str]) -> list[tuple[str, int, int]]:
    """The text of each abstract word, its left edge and its line."""
    found: list[tuple[str, int, int]] = []
    x, line = _MARGIN, 0
    for word in abstract:
        text = _cut(word, _TEXT)
        width = _width(text, _TEXT) + 2 * _INSET
        if x > _MARGIN and x + width > _WIDTH - _MARGIN:
            x, line = _MARGIN, line + 1
        found.append((text, x, line))
        x += width + _SPACE
    return found


def _pieces(item: AlignedPair) -> list[_Piece]:
    """The stretches broken into lines; a piece is at least as wide as the label of its word."""
    pieces: list[_Piece] = []
    line, x = 0, _MARGIN
    for word, start, end in item.stretches:
        label = _width(_cut(item.pair.abstract[word], _TEXT), _LABEL)
        tokens: list[_Token] = []
        first = x
        for token in range(start, end):
            text = _cut(item.pair.concrete[token], _TEXT)
            width = _width(text, _TEXT) + _SPACE
            if x > _MARGIN and max(x + width, first + label) > _WIDTH - _MARGIN:
                if tokens:
                    pieces.append(_Piece(word, line, first, max(x, first + label), tokens))
                line, x, tokens = line + 1, _MARGIN, []
                first = x
            tokens.append(_Token(text, x, width, item.alignment.posterior[token]))
            x += width
        pieces.append(_Piece(word, line, first, max(x, first + label), tokens))
        x = pieces[-1].end + 2 * _SPACE
    return pieces


def _draw_word(svg: Svg, parent: Element, text: str, x: float, top: float, colour: int | None) -> None:
    width = _width(text, _TEXT)
    if colour is None:
        svg.text(parent, [text], x + _INSET + width / 2, top + 3, size=_TEXT, kind="unused")
        return
    group = svg.group(parent, kind=f"word c{colour}")
    svg.rect(group, x, top, width + 2 * _INSET, _TEXT * 1.25 + 6, radius=6)
    svg.text(group, [text], x + _INSET + width / 2, top + 3, size=_TEXT)


def _draw_piece(svg: Svg, group: Element, piece: _Piece, word: str) -> None:
    for token in piece.tokens:
        svg.rect(group, token.x, 0, token.width, 22, opacity=0.05 + 0.25 * token.posterior)
        svg.text(group, [token.text], token.x + token.width / 2, 1, size=_TEXT)
    left, right = piece.start + 1, piece.end - 1
    svg.path(group, [("M", (left, 24)), ("L", (left, 28)), ("L", (right, 28)), ("L", (right, 24))], width=1.5)
    svg.text(group, [word], (left + right) / 2, 31, size=_LABEL, kind="label")


def _cut(text: str, size: float) -> str:
    return wrapped(text, size, _WIDTH - 2 * (_MARGIN + _INSET), 1)[0]


def _width(text: str, size: float) -> int:
    # Whole pixels, so that no seam shows between two shades.
    return ceil(text_width(text, size))
