"""Draws the plan of assembly: `python -m kgscripts.assembly.drawing docs/pictures/assembly.svg`.

Each row is a step, in the order in which the steps run: what it makes, from what, and the key by which it can be split.
Arcs lead from a step to the steps that use its tables.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from typing import cast

from kgscripts.assembly.assemble import Assembly
from kgscripts.assembly.step import Plan, Step
from kgscripts.assembly.writing.discards import DiscardLog
from kgscripts.assembly.writing.evidence import Readers
from kgscripts.enrichers.protocol import ENRICHERS
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction, CorrectionKind
from schemas.drawing.svg import Svg, check_picture, save_picture, wrapped
from schemas.graph_writer import ScriptGraphWriter

_ROW, _TEXT = 17, 12
_MOST_LINES = 20
_LEFT, _MADE, _KEY, _READ, _WIDTH = 150, 160, 440, 530, 1240
_STYLE = """
text { fill: #222222 }
.head { font-weight: bold }
.key, .read { fill: #6b7280 }
path { fill: none; stroke: #4a78b0; stroke-opacity: .35 }
"""


def whole_assembly(
    store: RecordStore | None = None, writer: ScriptGraphWriter | None = None, log: DiscardLog | None = None
) -> Assembly:
    """The assembly of a graph with all enrichers of kgscripts and all kinds of corrections. To be drawn, it needs
    nothing; run, it has no records."""
    step = partial(Correction, author="a", time="2026-01-01", scenario="s", step="t")
    corrections = [
        step(kind=CorrectionKind.REJECT, relation="USES", other="o"),
        step(kind=CorrectionKind.TOOL_ROLE, thing="t", role="container"),
        step(kind=CorrectionKind.ADD),
        Correction(kind=CorrectionKind.ABOUT, thing="t", scenario="s", author="a", time="2026-01-01"),
    ]
    own = (name for name, entry in ENRICHERS.entries().items() if entry.value.startswith("kgscripts."))
    enrichers = [ENRICHERS.open(name) for name in sorted(own)]
    return Assembly(
        cast(RecordStore, store),
        cast(ScriptGraphWriter, writer),
        log or DiscardLog(lambda _: None),
        Readers(["version"], [()] * (1 + len(enrichers)), [0]),
        corrections,
        enrichers,
    )


def draw(plan: Plan, sections: Mapping[str, Sequence[Step]]) -> Svg:
    """The plan as a picture."""
    section_of = {step.name: name for name, steps in sections.items() for step in steps}
    heights: dict[str, int] = {}
    texts: list[tuple[int, int, str, str]] = [(_MADE, 0, "A step makes", "head"), (_READ, 0, "of", "head")]
    arcs: list[tuple[int, int]] = []
    y, current = 0, ""
    for step in plan.steps:
        if section_of[step.name] != current:
            current = section_of[step.name]
            y += 2 * _ROW
            texts.append((_MADE, y, current, "head"))
        y += _ROW
        heights |= dict.fromkeys(step.makes, y)
        made = wrapped(", ".join(step.makes or [step.name]), _TEXT, _KEY - _MADE - 10, _MOST_LINES)
        read = wrapped(", ".join(sorted(step.reads)), _TEXT, _WIDTH - _READ - _ROW, _MOST_LINES)
        for x, lines, kind in ((_MADE, made, ""), (_READ, read, "read")):
            texts += ((x, y + place * _ROW, line, kind) for place, line in enumerate(lines))
        if step.partition_by:
            texts.append((_KEY, y, f"by {step.partition_by}", "key"))
        arcs += ((heights[name], y) for name in sorted(step.reads) if name in heights)
        y += (max(len(made), len(read)) - 1) * _ROW
    svg = Svg(width=_WIDTH, height=y + 3 * _ROW, title="The plan of assembly", style=_STYLE)
    drawing = svg.group(svg.root, move=(0, _ROW))
    for x, top, line, kind in texts:
        svg.text(drawing, [line], x, top, size=_TEXT, kind=kind, anchor="start")
    for start, end in arcs:
        bend = _LEFT - min(_LEFT - 6, 4 + 3 * sqrt(end - start))
        ends = ((_LEFT, start + _ROW / 2), (bend, start + _ROW / 2), (bend, end + _ROW / 2), (_LEFT, end + _ROW / 2))
        svg.path(drawing, [("M", ends[0]), ("C", *ends[1:])], width=1)
    return svg


def main(path: str) -> None:
    """Write the picture."""
    check_picture(Path(path), inputs=[])
    assembly = whole_assembly()
    save_picture(draw(assembly.plan(), assembly.sections()), Path(path))


if __name__ == "__main__":
    main(*sys.argv[1:])
