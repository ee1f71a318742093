"""Pictures of alignments like Figure 2 of the KidsCook paper: the concrete text below the abstract words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, field, frozen
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch, Rectangle

from kgscripts.commands.aligned_pair import AlignedPair
from kgscripts.commands.picture import save_picture, text_width
from kgscripts.corpora.pairs.pair import Pair
from schemas.terminal import printable

# All lengths are in inches, from the upper left corner.
_WIDTH = 10.0
_MARGIN = 0.35
_LINE = 0.62
"""Line height of the concrete text, including the bracket with the abstract word below it."""
_BOXES = 0.52
"""Height of the abstract words and the space below them."""
_BETWEEN = 0.3
_SPACE = 0.07
_INSET = 0.09
_TEXT, _LABEL = FontProperties(family="DejaVu Sans", size=11), FontProperties(family="DejaVu Sans", size=8)
_COLOURS = colormaps["tab10"].colors  # type: ignore[attr-defined]
_UNUSED = (0.62, 0.62, 0.62)

_Colour = tuple[float, float, float]


@frozen
class _Piece:
    """The part of a stretch on one line: its tokens with their x coordinates, and the abstract word."""

    word: int
    line: int
    start: float
    end: float
    tokens: list[tuple[int, float]] = field(factory=list)


def draw_alignments(aligned: Sequence[AlignedPair], file: Path) -> None:
    """Draw pairs one below the other to `file` (.svg or .png); equal pairs give equal bytes.

    The abstract words are on top, each in its own colour. Below is the concrete text, each stretch with a bracket in
    the colour of the word that it is aligned to. A token with a higher posterior has a deeper shade.

    Raises
    ------
    StoreError
        If the file cannot be written.
    """
    shown = [evolve(item, pair=_printable(item.pair)) for item in aligned]
    laid_out = [(item, _pieces(item)) for item in shown]
    heights = [_BOXES + _LINE * (pieces[-1].line + 1) + _BETWEEN for _, pieces in laid_out]
    height = 2 * _MARGIN + sum(heights) - _BETWEEN
    figure = Figure(figsize=(_WIDTH, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    top = _MARGIN
    for (item, pieces), size in zip(laid_out, heights, strict=True):
        colours = _colours(pieces)
        _draw_abstract(axes, item.pair.abstract, colours, top)
        for piece in pieces:
            _draw_piece(axes, item, piece, colours[piece.word], top + _BOXES + piece.line * _LINE)
        top += size
    save_picture(figure, file)


def _printable(pair: Pair) -> Pair:
    """The pair without characters that XML does not allow."""
    return evolve(pair, abstract=[*map(printable, pair.abstract)], concrete=[*map(printable, pair.concrete)])


def _pieces(item: AlignedPair) -> list[_Piece]:
    """The stretches broken into lines; a piece is at least as wide as the label of its word."""
    pieces: list[_Piece] = []
    line, x = 0, _MARGIN
    for word, start, end in item.stretches:
        label = text_width(item.pair.abstract[word], _LABEL)
        tokens: list[tuple[int, float]] = []
        first = x
        for token in range(start, end):
            width = text_width(item.pair.concrete[token], _TEXT)
            if x > _MARGIN and max(x + width, first + label) > _WIDTH - _MARGIN:
                if tokens:
                    pieces.append(_Piece(word, line, first, x - _SPACE, tokens))
                line, x, tokens = line + 1, _MARGIN, []
                first = x
            tokens.append((token, x))
            x += width + _SPACE
        x = max(x - _SPACE, first + label)
        pieces.append(_Piece(word, line, first, x, tokens))
        x += 2.2 * _SPACE
    return pieces


def _colours(pieces: Sequence[_Piece]) -> dict[int, _Colour]:
    """A colour for each abstract word that any token is aligned to."""
    words = sorted({piece.word for piece in pieces})
    return {word: _COLOURS[index % len(_COLOURS)] for index, word in enumerate(words)}


def _draw_abstract(axes: Axes, words: Sequence[str], colours: dict[int, _Colour], top: float) -> None:
    x = _MARGIN + _INSET
    for index, word in enumerate(words):
        width = text_width(word, _TEXT)
        colour = colours.get(index)
        if colour is not None:
            style = "round,pad=0.07,rounding_size=0.06"
            axes.add_patch(FancyBboxPatch((x, top), width, 0.16, boxstyle=style, facecolor=colour, linewidth=0))
        ink = "white" if colour is not None else _UNUSED
        axes.text(x, top + 0.14, word, fontproperties=_TEXT, color=ink, parse_math=False)
        x += width + 2 * _INSET + _SPACE


def _draw_piece(axes: Axes, item: AlignedPair, piece: _Piece, colour: _Colour, top: float) -> None:
    for token, x in piece.tokens:
        text = item.pair.concrete[token]
        shade = 0.05 + 0.3 * item.alignment.posterior[token]
        box = (x - _SPACE / 2, top - 0.02)
        axes.add_patch(
            Rectangle(box, text_width(text, _TEXT) + _SPACE, 0.22, facecolor=colour, alpha=shade, linewidth=0)
        )
        axes.text(x, top + 0.14, text, fontproperties=_TEXT, color="black", parse_math=False)
    left, right, low = piece.start - _SPACE / 3, piece.end + _SPACE / 3, top + 0.27
    axes.plot([left, left, right, right], [low - 0.04, low, low, low - 0.04], color=colour, linewidth=1.3)
    axes.text(
        (left + right) / 2,
        low + 0.13,
        item.pair.abstract[piece.word],
        fontproperties=_LABEL,
        color=colour,
        horizontalalignment="center",
        parse_math=False,
    )
