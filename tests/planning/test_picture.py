"""Pictures of plans: nothing overlaps, nothing is cut off, and PNG needs no fonts."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
import resvg_py

from kgscripts.planning.making import SourceChange, SourceStep
from kgscripts.planning.picture import draw_plan
from schemas.drawing.svg import Svg, save_picture
from tests.exports.test_picture import in_browser, overlap, within
from tests.graphs import ODD_TEXTS
from tests.planning.hand_made import HAND_MADE, plan_of


def test_in_a_browser_no_text_overlaps_and_all_fits(tmp_path: Path) -> None:
    odd = [
        SourceStep(
            id=text, label=text, tools=ODD_TEXTS, changes=[SourceChange(entity=text, attribute=text, after=text)]
        )
        for text in ODD_TEXTS
    ]
    pictures = [draw_plan(plan) for plan in (*(each.plan() for each in HAND_MADE), plan_of(*odd), plan_of())]
    for measured in in_browser([svg.document() for svg in pictures], tmp_path):
        assert measured["texts"]
        assert all(within(text, measured["picture"]) for text in measured["texts"])
        assert not [pair for pair in combinations(measured["texts"], 2) if overlap(*pair)]


def test_a_picture_has_what_the_text_has() -> None:
    root = ElementTree.fromstring(draw_plan(HAND_MADE[0].plan()).document())
    texts = " ".join(text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "making tea" in texts
    assert "location of water: in kettle (by 1)" in texts
    assert "uses up water" in texts


def test_text_needs_no_font_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    svg = draw_plan(HAND_MADE[0].plan())
    save_picture(svg, tmp_path / "with.png")
    monkeypatch.setattr(resvg_py, "svg_to_bytes", partial(resvg_py.svg_to_bytes, skip_system_fonts=True))
    save_picture(svg, tmp_path / "without.png")
    empty = resvg_py.svg_to_bytes(svg_string=svg.document(), zoom=2.0)
    assert (tmp_path / "with.png").read_bytes() == (tmp_path / "without.png").read_bytes() != empty


def test_the_longest_side_of_a_png_is_limited(tmp_path: Path) -> None:
    save_picture(Svg(width=20, height=400_000, title="", style=""), tmp_path / "tall.png")
    header = (tmp_path / "tall.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (2, 32_000)
