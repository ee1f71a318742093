"""Pictures of plans: nothing overlaps, nothing is cut off."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

from kgscripts.planning.picture import draw_plan
from kgscripts.planning.source import SourceChange, SourceStep
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
