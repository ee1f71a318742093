"""The places of the steps of a script on the page: nothing overlaps, arrows point down, and texts fit."""

from __future__ import annotations

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from exports.views.layered_layout import Extent, lay_out
from exports.views.text_size import legible, text_width, wrapped
from kgscripts.scripts.reading import least_order
from kgscripts.scripts.types import LeftOut, Precedence, Reason, Script, Step, Tool
from tests.graphs import ODD_TEXTS


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


_SIZES = st.floats(10, 200)
_EXTENTS = st.lists(st.builds(Extent, left=_SIZES, right=_SIZES, height=_SIZES), max_size=12)


@given(
    _EXTENTS,
    st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25),
    st.integers(1, 4),
)
def test_nothing_overlaps_and_every_edge_points_down(
    extents: list[Extent], edges: set[tuple[int, int]], across: int
) -> None:
    nodes = {f"node {i:02d}": extent for i, extent in enumerate(extents)}
    pairs = [(f"node {a:02d}", f"node {b:02d}") for a, b in sorted(edges) if a < b < len(extents)]
    layout = lay_out(nodes, pairs, across=across, gap_x=20, gap_y=30)
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
        assert 0 <= top <= bottom <= layout.height + 0.01
    for (start, end), way in layout.ways.items():
        assert boxes[start][3] <= way[0][1] + 0.01
        assert way[-1][1] <= boxes[end][1] + 0.01
        for upper, lower in zip(way[::2], way[1::2], strict=True):
            assert upper[1] <= lower[1]
        for (x, top), (_, bottom) in zip(way[1:-1:2], way[2:-1:2], strict=True):
            for left, above, right, below in boxes.values():
                assert not (left < x < right and above < bottom and top < below), "an edge behind a node"


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


def test_tangles_are_in_order() -> None:
    """The scripts that these tests draw are what `read_script` gives: steps in an order that no arrow contradicts."""
    script = tangled_script(40, seed=40)
    names = [step.iri for step in script.steps]
    pairs = [(pair.before, pair.after) for pair in script.precedes]
    assert len(script.order) > 30
    assert all(names.index(start) < names.index(end) for start, end in (*pairs, *script.order))
