"""Draws the plan of assembly: `python -m kgscripts.assembly.drawing docs/pictures/assembly.svg`.

Each row is a step, in the order in which steps run: what it makes, of what, and by which key it can be split. Arcs lead
from a step to those that read what it makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from typing import cast
from xml.sax.saxutils import escape

from kgscripts.assembly.assemble import Assembly
from kgscripts.assembly.plan import Plan
from kgscripts.assembly.step import Step
from kgscripts.assembly.writing.discards import DiscardLog
from kgscripts.assembly.writing.models import Readers
from kgscripts.enrichers.registry import ENRICHERS
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction, CorrectionKind
from schemas.graph_writer import ScriptGraphWriter
from schemas.output_files import check_outputs, new_file

_ROW, _LEFT, _MADE, _READ, _WIDTH = 17, 150, 160, 480, 1240
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.h{font-weight:bold;font-size:14px}.k,.r{fill:#777}.k{font-size:10px}"
    "path{fill:none;stroke:#4a78b0;stroke-opacity:.35}"
)


def whole_assembly() -> Assembly:
    """The assembly of a graph with every enricher of ours and corrections of every kind; it is only looked at."""
    step = partial(Correction, author="a", time="2026-01-01", scenario="s", step="t")
    corrections = [
        step(kind=CorrectionKind.REJECT, relation="USES", other="o"),
        step(kind=CorrectionKind.TOOL_ROLE, thing="t", role="container"),
    ]
    own = (name for name, entry in ENRICHERS.entries().items() if entry.value.startswith("kgscripts."))
    enrichers = [ENRICHERS.open(name) for name in sorted(own)]
    return Assembly(
        cast(RecordStore, None),
        cast(ScriptGraphWriter, None),
        DiscardLog(lambda _: None),
        Readers(["version"], [], [0]),
        corrections,
        enrichers,
    )


def draw(plan: Plan, sections: Mapping[str, Sequence[Step]]) -> str:
    """The plan as SVG."""
    section_of = {step.name: name for name, steps in sections.items() for step in steps}
    heights: dict[str, int] = {}
    rows: list[str] = []
    y, current = 8, ""
    for step in plan.steps:
        if section_of[step.name] != current:
            current = section_of[step.name]
            y += 2 * _ROW
            rows.append(f'<text class="h" x="{_MADE}" y="{y}">{escape(current)}</text>')
        y += _ROW
        heights |= dict.fromkeys(step.makes, y)
        made = list(_wrapped([*step.makes] or [step.name], _READ - _MADE))
        read = list(_wrapped(sorted(step.reads), _WIDTH - _READ))
        for place in range(max(len(made), len(read))):
            for x, lines, style in ((_MADE, made, "m"), (_READ, read, "r")):
                if place < len(lines):
                    rows.append(f'<text class="{style}" x="{x}" y="{y + place * _ROW}">{escape(lines[place])}</text>')
        if step.partition_by:
            rows.append(f'<text class="k" x="{_READ - 70}" y="{y}">by {escape(step.partition_by)}</text>')
        rows += (f'<path d="{_arc(heights[name], y)}"/>' for name in sorted(step.reads) if name in heights)
        y += (max(len(made), len(read)) - 1) * _ROW
    content = "\n".join(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + _ROW}" width="{_WIDTH}">\n'
        f'<style>{_STYLE}</style>\n<rect width="100%" height="100%" fill="#fff"/>\n'
        f'<text class="h" x="{_MADE}" y="{_ROW}">A step makes</text><text class="h" x="{_READ}" y="{_ROW}">of</text>\n'
        f"{content}\n</svg>\n"
    )


def _arc(start: int, end: int) -> str:
    bend = _LEFT - min(_LEFT - 6, 4 + 3 * sqrt(end - start))
    return f"M{_LEFT} {start - 4}C{bend:.0f} {start - 4} {bend:.0f} {end - 4} {_LEFT} {end - 4}"


def _wrapped(names: Sequence[str], width: int) -> Iterator[str]:
    """Names in lines that fit `width` pixels, at 6.6 a letter."""
    line = ""
    for name in names:
        if line and len(line) + len(name) + 2 > width / 6.6 - 12:
            yield line + ","
            line = ""
        line += f", {name}" if line else name
    if line:
        yield line


def main(path: str) -> None:
    """Write the picture."""
    check_outputs(Path(path), inputs=[])
    assembly = whole_assembly()
    with new_file(Path(path)) as file:
        file.write_text(draw(assembly.plan(), assembly.sections()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
