"""Pictures of scenarios: what they show, that nothing in them overlaps, and that a browser agrees."""

from __future__ import annotations

import html
import json
import os
import random
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from exports.views.layered_layout import Extent, lay_out
from exports.views.picture import MOST_STEPS
from exports.views.picture import picture as draw
from kgscripts import ScriptGraph
from kgscripts.scripts.reading import least_order, list_scenarios, read_script
from kgscripts.scripts.types import LeftOut, Precedence, Reason, Script, Step, Tool
from schemas.drawing.svg import legible, save_picture, text_width, wrapped
from schemas.errors import ConfigurationError, StoreError
from tests.exports.kitchen import kitchen_graph
from tests.graphs import ODD_TEXTS, generated_graph, odd_graph

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pasta(tmp_path_factory: pytest.TempPathFactory) -> Script:
    return read_script(kitchen_graph(tmp_path_factory.mktemp("kitchen")), "cooking pasta")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("odd"))


def drawn_tool(label: str, probability: float = 1.0) -> Tool:
    return Tool(
        iri="", label=label, support=1, probability=probability, role="instrument", predicted=False, inferred=False
    )


def left_out(number: int) -> list[LeftOut]:
    return [LeftOut(iri="", label="", support=1, typicality=None, reason=Reason.LIMIT)] * number


def tangled_script(steps: int, seed: int) -> Script:
    """A script of `steps` steps with many arrows, long names and up to seven tools a step."""
    chance = random.Random(seed)
    words = ["pour", "water", "strainer", "Mixing Bowl", "W" * 30, "a", "the other side of the street", *ODD_TEXTS]
    names = [f"{i:02d} {' '.join(chance.choices(words, k=chance.randint(1, 4)))}" for i in range(steps)]
    made = [
        Step(
            iri=name,
            label=name,
            support=(support := chance.randint(1, 9)),
            probability=support / 9,
            rank=i + 1,
            mean_position=i / steps,
            optional=support < 5,
            essential=support > 8,
            usual=True,
            tools=[drawn_tool(chance.choice(words)) for _ in range(chance.randint(0, 7))],
        )
        for i, name in enumerate(names)
    ]
    pairs = [pair for pair in combinations(names, 2) if chance.random() < 3 / steps]
    return Script(
        iri="",
        label=chance.choice(words),
        alternative_labels=(),
        support=9,
        steps=tuple(made),
        precedes=tuple(
            Precedence(before=a, after=b, support=chance.randint(1, 9), probability=1.0, lower=0.5, required=False)
            for a, b in pairs
        ),
        order=tuple(least_order(names, pairs, set(names))),
        left_out=left_out(2),
    )


def picture(script: Script) -> str:
    return draw(script).document()


def group_with(svg: ElementTree.Element, label: str) -> ElementTree.Element:
    """The group whose text is `label`."""
    groups = [g for g in svg.iter(f"{_SVG}g") if "".join(t.text or "" for t in g.findall(f"{_SVG}text")) == label]
    assert groups, label
    return groups[0]


def test_it_shows_steps_tools_arrows_and_a_legend(pasta: Script) -> None:
    svg = ElementTree.fromstring(picture(pasta))
    classes = [group.get("class") for group in svg.iter(f"{_SVG}g")]
    assert classes.count("step essential") == 1 + sum(step.essential for step in pasta.steps)
    assert classes.count("step") == 1 + sum(not step.optional and not step.essential for step in pasta.steps)
    assert classes.count("step optional") == 1 + sum(step.optional for step in pasta.steps)
    assert classes.count("tool") == 1 + sum(len(step.tools) for step in pasta.steps)
    assert len(svg.findall(f".//{_SVG}polygon")) == 2 + len(pasta.order)
    texts = [text.text or "" for text in svg.iter(f"{_SVG}text")]
    assert {"cooking pasta", "12 steps read in 3 texts", "colander", "drain pasta"} <= set(texts)
    assert any("optional" in text for text in texts)
    assert svg.findtext(f"{_SVG}title") == "cooking pasta"
    assert (group_with(svg, "drain pasta").findtext(f"{_SVG}title") or "").split("; ") == [
        "drain pasta: 3 sources, 100%",
        "cleanness of sink: dirty -> clean: 3 sources, 100%",
        "location of pasta: in the pot -> in colander: 3 sources, 100%",
        "moisture of pasta: wet -> dry: 3 sources, 100%",
    ]


def test_what_more_sources_tell_is_larger(pasta: Script) -> None:
    svg = ElementTree.fromstring(picture(pasta))
    sizes = []
    for label in ("add salt", "fill pot with water", "boil water"):
        group = group_with(svg, label)
        text, rect = group.find(f"{_SVG}text"), group.find(f"{_SVG}rect")
        assert text is not None
        assert rect is not None
        sizes.append((float(text.get("font-size", 0)), float(rect.get("height", 0))))
    assert sizes == sorted(set(sizes)), "told by one, two and three sources"


def test_the_same_script_gives_the_same_picture(pasta: Script) -> None:
    assert picture(pasta) == picture(evolve(pasta, precedes=pasta.precedes[::-1]))
    assert picture(tangled_script(30, seed=1)) == picture(tangled_script(30, seed=1))


def test_what_is_left_out_is_said(pasta: Script) -> None:
    assert "12 steps read in 3 texts; 5 more are not shown" in picture(evolve(pasta, left_out=left_out(5)))


def test_odd_characters_are_escaped(odd: ScriptGraph) -> None:
    for scenario in list_scenarios(odd):
        content = picture(read_script(odd, scenario.iri))
        svg = ElementTree.fromstring(content)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffe\uffff]", content)
        assert len(content) < 60_000, "no label of 10,000 characters"
        title = svg.findtext(f"{_SVG}title")
        assert title is not None
        if "nul" in scenario.label:
            assert title == r"nul \x00 and bell \x07"
        if "<b>" in scenario.label:
            assert title == scenario.label


@given(st.text(max_size=80), st.text(max_size=30))
def test_any_text_gives_well_formed_xml(label: str, tool: str) -> None:
    script = tangled_script(1, seed=0)
    tools = [drawn_tool(tool, 0.5)]
    step = evolve(script.steps[0], label=label, tools=tools)
    svg = ElementTree.fromstring(picture(evolve(script, steps=(step,), order=(), precedes=())).encode())
    assert len(svg.findall(f".//{_SVG}g[@class='tool']")) == 2


def test_a_script_without_steps_is_a_picture_too(pasta: Script) -> None:
    content = picture(evolve(pasta, steps=(), precedes=(), order=(), left_out=left_out(12)))
    assert "0 steps read in 3 texts; 12 more are not shown" in content


def test_more_than_anybody_can_read_is_refused() -> None:
    script = tangled_script(MOST_STEPS + 1, seed=0)
    with pytest.raises(ConfigurationError, match="a picture of 151 steps is not readable") as error:
        draw(script)
    assert "--limit" in str(error.value.remedy)


def test_it_takes_the_place_of_an_older_picture(pasta: Script, tmp_path: Path) -> None:
    path = tmp_path / "new" / "pasta.SVG"
    save_picture(draw(tangled_script(5, seed=0)), path)
    save_picture(draw(pasta), path)
    assert path.read_text(encoding="utf-8") == picture(pasta)
    assert [each.name for each in path.parent.iterdir()] == ["pasta.SVG"]


def test_a_place_that_cannot_be_written_is_a_clear_error(pasta: Script, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        save_picture(draw(pasta), tmp_path / "file" / "pasta.svg")


_SIZES = st.floats(10, 200)
_EXTENTS = st.lists(st.builds(Extent, left=_SIZES, right=_SIZES, height=_SIZES), max_size=12)


@given(
    _EXTENTS,
    st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25),
    st.integers(1, 4),
    st.sampled_from([float("inf"), 500.0, 10.0]),
)
def test_nothing_overlaps_and_every_edge_points_down(
    extents: list[Extent], edges: set[tuple[int, int]], across: int, tall: float
) -> None:
    nodes = {f"node {i:02d}": extent for i, extent in enumerate(extents)}
    pairs = [(f"node {a:02d}", f"node {b:02d}") for a, b in sorted(edges) if a < b < len(extents)]
    layout = lay_out(nodes, pairs, across=across, gap_x=20, gap_y=30, tall=tall)
    boxes = {
        name: (x - nodes[name].left, y, x + nodes[name].right, y + nodes[name].height)
        for name, (x, y) in layout.nodes.items()
    }
    assert list(boxes) == list(nodes)
    for (ax, ay, bx, by), (cx, cy, dx, dy) in combinations(boxes.values(), 2):
        assert bx <= cx + 0.01 or dx <= ax + 0.01 or by <= cy or dy <= ay
    for left, top, right, bottom in boxes.values():
        assert left >= -0.01
        assert right <= layout.width + 0.01
        assert not any(left - 10 < alley < right + 10 for alley in layout.alleys)
        assert 0 <= top <= bottom <= layout.height + 0.01
    folded: set[float] = set()
    for (start, end), way in layout.ways.items():
        assert boxes[start][3] <= way[0][1] + 0.01
        assert way[-1][1] <= boxes[end][1] + 0.01
        for upper, lower in zip(way[::2], way[1::2], strict=True):
            if upper[1] >= lower[1]:
                alley = max(alley for alley in layout.alleys if alley < lower[0])
                assert upper[0] < alley
                assert alley not in folded, "two edges in one alley"
                folded.add(alley)
        for (x, top), (_, bottom) in zip(way[1:-1:2], way[2:-1:2], strict=True):
            for left, above, right, below in boxes.values():
                assert not (left < x < right and above < bottom and top < below), "an edge behind a node"
    assert not layout.alleys or tall < float("inf")


def test_what_is_tall_is_folded_where_one_edge_leads_on() -> None:
    extents = {f"{i}": Extent(left=20, right=20, height=30) for i in range(12)}
    chain = [(f"{i}", f"{i + 1}") for i in range(11)]
    layout = lay_out(extents, chain, across=4, gap_x=20, gap_y=20, tall=300)
    assert len(layout.alleys) == 1
    assert (layout.width, layout.height) == (120, 6 * 30 + 5 * 20 + 20)
    assert {x for x, _ in layout.nodes.values()} == {20, 100}
    beside = [*chain, *((f"{i}", f"{i + 2}") for i in range(10))]
    assert not lay_out(extents, beside, across=4, gap_x=20, gap_y=20, tall=300).alleys


@given(st.text(max_size=200), st.floats(8, 30), st.floats(60, 300), st.integers(1, 4))
def test_wrapped_text_fits(text: str, size: float, width: float, lines: int) -> None:
    found = wrapped(text, size, width, lines)
    assert 1 <= len(found) <= lines
    assert all(text_width(line, size) <= width for line in found)
    whole = "".join(legible(text).split())
    shown = "".join("".join(found).split())
    assert shown == whole or (found[-1].endswith("…") and whole.startswith(shown[:-1]))


def test_wrapping_keeps_words() -> None:
    assert wrapped("put the pasta back in the pot", 10, 90, 3) == ["put the pasta", "back in the pot"]
    assert wrapped("put the pasta back in the pot", 10, 60, 1) == ["put the…"]
    assert wrapped("", 10, 100, 3) == [""]


_MEASURE = """
const inside = ([left, top, right, bottom], x, y) => left + 2 < x && x < right - 2 && top + 2 < y && y < bottom - 2;
const corners = (element) => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
const result = [...document.querySelectorAll("svg")].map((svg) => {
  const shapes = [...svg.querySelectorAll(".step, .tool")];
  const rects = shapes.map((group) => corners(group.querySelector("rect")));
  let behind = 0;
  for (const path of svg.querySelectorAll(".before path")) {
    const length = path.getTotalLength(), matrix = path.getScreenCTM();
    for (let at = 0; at < length; at += 8) {
      const point = path.getPointAtLength(at).matrixTransform(matrix);
      behind += rects.filter((rect) => inside(rect, point.x, point.y)).length;
    }
  }
  return {
    picture: corners(svg), behind: behind,
    fill: getComputedStyle(svg.querySelector(".step rect") ?? svg).fill,
    shapes: shapes.map((group) => ({ rects: [...group.querySelectorAll("rect")].map(corners),
                                     texts: [...group.querySelectorAll("text")].map(corners) })),
    texts: [...svg.querySelectorAll("text")].map(corners),
  };
});
document.getElementById("result").textContent = JSON.stringify(result);
"""


def in_browser(pictures: list[str], folder: Path) -> list[Any]:
    """What Chromium measures of each picture; the test is skipped where there is none."""
    chromium = os.environ.get("CHROME_BIN") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium: set CHROME_BIN or install Debian's package chromium")
    page = folder / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{''.join(pictures)}<pre id=result></pre><script>{_MEASURE}</script>",
        encoding="utf-8",
    )
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"]
    dumped = subprocess.run(
        [chromium, *flags, f"--user-data-dir={folder / 'profile'}", page.as_uri()],
        capture_output=True,
        check=True,
        timeout=240,
    ).stdout.decode()
    result = re.search(r'<pre id="result">(.*?)</pre>', dumped, re.DOTALL)
    assert result is not None
    measured: list[Any] = json.loads(html.unescape(result[1]))
    assert len(measured) == len(pictures)
    return measured


def overlap(a: list[float], b: list[float], by: float = 0.5) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > by and min(a[3], b[3]) - max(a[1], b[1]) > by


def within(inner: list[float], outer: list[float]) -> bool:
    return (
        outer[0] - 0.5 <= inner[0]
        and outer[1] - 0.5 <= inner[1]
        and inner[2] <= outer[2] + 0.5
        and inner[3] <= outer[3] + 0.5
    )


def test_in_a_browser_no_text_overlaps_and_all_fits(pasta: Script, odd: ScriptGraph, tmp_path: Path) -> None:
    generated = generated_graph(tmp_path / "generated", 5_000)
    scripts = [pasta, evolve(pasta, steps=pasta.steps[:1], order=()), read_script(generated, "scenario 3")]
    scripts += [read_script(odd, scenario.iri) for scenario in list_scenarios(odd)]
    scripts += [tangled_script(steps, seed=steps) for steps in (3, 12, 40)]
    for script, measured in zip(scripts, in_browser(list(map(picture, scripts)), tmp_path), strict=True):
        label = script.label[:40]
        assert measured["fill"] in ("rgb(224, 231, 255)", "rgb(255, 255, 255)")
        assert measured["behind"] == 0, f"{label}: an arrow runs through a box"
        for text in measured["texts"]:
            assert within(text, measured["picture"]), f"{label}: text outside the picture"
        assert not [pair for pair in combinations(measured["texts"], 2) if overlap(*pair)], label
        rects = [shape["rects"][0] for shape in measured["shapes"]]
        assert not [pair for pair in combinations(rects, 2) if overlap(*pair)], label
        for shape in measured["shapes"]:
            for text in shape["texts"]:
                assert within(text, shape["rects"][0]), f"{label}: text outside its box"


def test_tangles_are_in_order() -> None:
    """The scripts that these tests draw are what `read_script` gives: steps in an order that no arrow contradicts."""
    script = tangled_script(40, seed=40)
    names = [step.iri for step in script.steps]
    pairs = [(pair.before, pair.after) for pair in script.precedes]
    assert len(script.order) > 30
    assert all(names.index(start) < names.index(end) for start, end in (*pairs, *script.order))
