"""Pictures of alignments and of state tables: nothing overlaps, nothing is cut off, and PNG needs no fonts."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
import resvg_py

from kgscripts.commands.aligned_pair import AlignedPair
from kgscripts.commands.alignment_picture import draw_alignments
from kgscripts.commands.table_picture import draw_table
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.corpora.procedures import Procedure
from kgscripts.lookup.tracking import ReadStep, StateTable
from kgscripts.models.alignment.aligner import Alignment
from schemas.changes import Change, Level, RatedChange
from schemas.drawing.files import save_picture
from schemas.drawing.svg import Svg
from tests.exports.test_picture import in_browser, overlap, within

LONG = "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
HARD = ("fill", "{}#+=~^", LONG, LONG * 3, "WWW@@@", "把水烧开", "🙂", "Кипятить", "\x1b[31m", "a", ".", "<b>tea</b>")


def aligned(abstract: int, concrete: int) -> AlignedPair:
    """A pair of hard words of which each stretch has three."""
    words = [HARD[place % len(HARD)] for place in range(max(abstract, concrete))]
    path = tuple(min(place // 3, abstract - 1) for place in range(concrete))
    posterior = tuple((place % 11) / 10 for place in range(concrete))
    return AlignedPair(
        Pair(abstract=words[:abstract], concrete=words[:concrete]),
        Alignment(path=path, log_probability=-1.0, posterior=posterior),
    )


def table(steps: int) -> StateTable:
    """A table of hard words in which each second step brings about two changes."""
    texts = tuple(f"{HARD[place % len(HARD)]} and {HARD[place % 5]} " * 4 for place in range(steps))
    read = [
        [
            RatedChange(
                change=Change(entity=entity, attribute=LONG, before=LONG, after=text), probability=0.75, level=level
            )
            for entity, level in (("pot", Level.CERTAIN), (LONG, Level.LIKELY))
        ]
        if place % 2
        else []
        for place, text in enumerate(texts)
    ]
    return StateTable(Procedure(id="hard", title=LONG * 2, steps=texts), [ReadStep(own, ("pot",)) for own in read])


@pytest.fixture(scope="module")
def pictures() -> list[Svg]:
    pairs = [aligned(2, 5), aligned(30, 90)]
    return [draw_alignments(pairs[:1]), draw_alignments(pairs), draw_table(table(1)), draw_table(table(12))]


def test_in_a_browser_no_text_overlaps_and_all_fits(pictures: list[Svg], tmp_path: Path) -> None:
    for measured in in_browser([svg.document() for svg in pictures], tmp_path):
        assert measured["texts"]
        assert all(within(text, measured["picture"]) for text in measured["texts"])
        assert not [pair for pair in combinations(measured["texts"], 2) if overlap(*pair)]


def test_text_needs_no_font_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    svg = draw_alignments([AlignedPair(Pair(abstract=["boil"], concrete=["heat"]), Alignment((0,), 0.0, (1.0,)))])
    save_picture(svg, tmp_path / "with.png")
    monkeypatch.setattr(resvg_py, "svg_to_bytes", partial(resvg_py.svg_to_bytes, skip_system_fonts=True))
    save_picture(svg, tmp_path / "without.png")
    empty = resvg_py.svg_to_bytes(svg_string=svg.document(), zoom=2.0)
    assert (tmp_path / "with.png").read_bytes() == (tmp_path / "without.png").read_bytes() != empty


def test_the_longest_side_of_a_png_is_limited(tmp_path: Path) -> None:
    save_picture(Svg(width=20, height=400_000, title="", style=""), tmp_path / "tall.png")
    header = (tmp_path / "tall.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (2, 32_000)
