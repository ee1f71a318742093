"""Layered drawing of an ordered acyclic graph, top down (Sugiyama, Tagawa, Toda 1981).

Nodes come in an order that respects all edges. Layers are filled in that order, nodes within a layer are ordered by
the barycentres of their neighbours, and each node is then put as near to its neighbours as the space allows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from typing import TypeAlias

from attrs import frozen

Edge: TypeAlias = tuple[str, str]
Point: TypeAlias = tuple[float, float]

_SWEEPS = 12
_NARROW = 6.0
"""Half of the width, in pixels, of an edge that passes through a layer."""


@frozen(kw_only=True)
class Extent:
    """The extent of a node around its anchor, in pixels: to the left, to the right, and its height."""

    left: float
    right: float
    height: float


@frozen(kw_only=True)
class Layout:
    """The anchor of each node (the middle of its top), the paths of the edges, and the total size, in pixels.

    A path begins below the layer of the edge's start and ends above that of its end. From its first point to its
    second it crosses the gap between two layers, from its second to its third it goes straight down past a layer,
    and so on.
    """

    nodes: Mapping[str, Point]
    ways: Mapping[Edge, Sequence[Point]]
    width: float
    height: float


def lay_out(
    extents: Mapping[str, Extent],
    edges: Iterable[Edge],
    *,
    across: int,
    gap_x: float,
    gap_y: float,
) -> Layout:
    """Lay out nodes of these `extents` so that `edges` point downwards, at most `across` nodes beside each other."""
    edges = list(edges)
    layer_of = _layers(list(extents), edges, across)
    chains = {edge: _chain(edge, layer_of) for edge in edges}
    layers: list[list[str]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for node in extents:
        layers[layer_of[node]].append(node)
    for (start, _), chain in chains.items():
        for depth, node in enumerate(chain[1:-1], start=layer_of[start] + 1):
            layers[depth].append(node)
    near: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for chain in chains.values():
        for upper, lower in pairwise(chain):
            near[lower][0].append(upper)
            near[upper][1].append(lower)
    passing = Extent(left=_NARROW, right=_NARROW, height=0)
    rooms = {node: extents.get(node, passing) for layer in layers for node in layer}
    layers = _ordered(layers, near)
    x = _across(layers, near, rooms, gap_x)
    heights = [max(rooms[node].height for node in layer) for layer in layers]
    tops = list(accumulate((height + gap_y for height in heights[:-1]), initial=0.0))
    left = min((x[node] - rooms[node].left for node in x), default=0.0)
    x = {node: at - left for node, at in x.items()}
    nodes = {
        node: (x[node], tops[layer_of[node]] + (heights[layer_of[node]] - extents[node].height) / 2) for node in extents
    }
    ways: dict[Edge, list[Point]] = {}
    for (start, end), chain in chains.items():
        depths = range(layer_of[start], layer_of[end] + 1)
        through = [(x[n], y) for n, i in zip(chain, depths, strict=True) for y in (tops[i], tops[i] + heights[i])]
        ways[start, end] = through[1:-1]
    return Layout(
        nodes=nodes,
        ways=ways,
        width=max((x[node] + rooms[node].right for node in x), default=0.0),
        height=tops[-1] + heights[-1] if heights else 0.0,
    )


def ports(layout: Layout, width: Callable[[str], float], apart: float) -> dict[Edge, tuple[float, float]]:
    """The x at which each edge leaves its first node and arrives at its second: side by side on four fifths of the
    `width` of the node, at most `apart` pixels from each other, ordered by the other ends."""
    x: list[dict[Edge, float]] = [{}, {}]
    for side, towards in enumerate((1, -2)):
        ends: dict[str, list[tuple[float, Edge]]] = defaultdict(list)
        for edge, way in layout.ways.items():
            ends[edge[side]].append((way[towards][0], edge))
        for node, others in ends.items():
            step = min(apart, 0.8 * width(node) / len(others))
            for number, (_, edge) in enumerate(sorted(others)):
                x[side][edge] = layout.nodes[node][0] + (number - (len(others) - 1) / 2) * step
    return {edge: (x[0][edge], x[1][edge]) for edge in layout.ways}


def _layers(nodes: list[str], edges: list[Edge], across: int) -> dict[str, int]:
    """Put each node below its predecessors; a node without predecessors is put beside the previous node."""
    before: dict[str, list[str]] = defaultdict(list)
    for start, end in edges:
        before[end].append(start)
    layer_of: dict[str, int] = {}
    room: dict[int, int] = defaultdict(lambda: across)
    last = 0
    for node in nodes:
        layer = max(layer_of[each] + 1 for each in before[node]) if before[node] else last
        while not room[layer]:
            layer += 1
        room[layer] -= 1
        layer_of[node] = last = layer
    used = {layer: i for i, layer in enumerate(sorted(set(layer_of.values())))}
    return {node: used[layer] for node, layer in layer_of.items()}


def _chain(edge: Edge, layer_of: Mapping[str, int]) -> list[str]:
    start, end = edge
    return [start, *(f"{start} {end} {layer}" for layer in range(layer_of[start] + 1, layer_of[end])), end]


def _ordered(layers: list[list[str]], near: Mapping[str, tuple[list[str], list[str]]]) -> list[list[str]]:
    """Order the nodes within the layers: of the orders that barycentres give, the one with the fewest crossings."""
    best, fewest = layers, _crossings(layers, near)
    for sweep in range(_SWEEPS):
        upwards = sweep % 2
        layers = [list(layer) for layer in layers]
        for fixed, moved in pairwise(layers[::-1] if upwards else layers):
            position = {node: i for i, node in enumerate(fixed)}
            centre: dict[str, float] = {}
            for i, node in enumerate(moved):
                towards = near[node][upwards]
                stays = i * len(fixed) / len(moved)
                centre[node] = sum(position[n] for n in towards) / len(towards) if towards else stays
            moved.sort(key=centre.__getitem__)
        crossings = _crossings(layers, near)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _crossings(layers: list[list[str]], near: Mapping[str, tuple[list[str], list[str]]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        position = {node: i for i, node in enumerate(lower)}
        ends = [(i, position[n]) for i, node in enumerate(upper) for n in near[node][1]]
        count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(ends, 2))
    return count


def _across(
    layers: list[list[str]],
    near: Mapping[str, tuple[list[str], list[str]]],
    rooms: Mapping[str, Extent],
    gap: float,
) -> dict[str, float]:
    """The x of every node: near the mean of its neighbours, never nearer to its left one than `gap`."""
    x: dict[str, float] = {}
    for layer in layers:
        x.update(_spread(layer, dict.fromkeys(layer, 0.0), rooms, gap))
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wanted = {}
            for node in layer:
                neighbours = near[node][sweep % 2] or [n for side in near[node] for n in side]
                wanted[node] = sum(x[n] for n in neighbours) / len(neighbours) if neighbours else x[node]
            x.update(_spread(layer, wanted, rooms, gap))
    return x


def _spread(layer: list[str], wanted: Mapping[str, float], rooms: Mapping[str, Extent], gap: float) -> dict[str, float]:
    """The positions nearest to `wanted` (least squares) that keep order and gaps: pool adjacent violators."""
    offsets = [0.0]
    for left, right in pairwise(layer):
        offsets.append(offsets[-1] + rooms[left].right + gap + rooms[right].left)
    blocks: list[tuple[float, int]] = []
    for node, offset in zip(layer, offsets, strict=True):
        total, size = wanted[node] - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            more, count = blocks.pop()
            total, size = total + more, size + count
        blocks.append((total, size))
    starts = [total / size for total, size in blocks for _ in range(size)]
    return {node: start + offset for node, start, offset in zip(layer, starts, offsets, strict=True)}
