"""Texts as a page for a browser: one file, without scripts and external content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from kgscripts.commands.segment_view import COLOURS, Legend, paragraphs
from kgscripts.lookup.segmentation import SegmentedText, TextSegment
from schemas.output_files import write_lines
from schemas.scenario_documents import NONE
from schemas.terminal import printable

_LINES = ("solid", "dashed", "double")
"""Of bars, so that a scenario whose colour occurs before has another bar."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --faint: #5f5f5f; --paper: #ffffff; --tint: 14%; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --faint: #a8a8a8; --paper: #161616; --tint: 20%; } }
body { margin: 0 auto; padding: 1.5rem 1.25rem 3rem; max-width: 44rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 Georgia, "Times New Roman", serif; overflow-wrap: anywhere; }
article { display: flex; flex-direction: column; margin-bottom: 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; order: -2; }
h2, .legend { font: 0.8125rem/1.5 system-ui, sans-serif; }
h2 { margin: 0; font-weight: 600; }
h2 .score, .legend .score, .legend .size { font-weight: normal;
  color: var(--faint); font-variant-numeric: tabular-nums; }
.legend { order: -1; border-collapse: collapse; margin: 0 0 1.5rem; align-self: flex-start; }
.legend th { text-align: left; font-weight: 600; }
.legend th, .legend td { padding: 0.1rem 1rem 0.1rem 0; vertical-align: baseline; }
.legend .score, .legend .size { text-align: right; }
.legend a { color: inherit; text-decoration: none; padding-left: 0.5rem; }
.legend a:hover { text-decoration: underline; }
section { margin: 0 0 0.75rem; padding: 0.35rem 0.75rem 0.5rem; }
section p { margin: 0.5rem 0 0; }
section p.joined, section h2 + p { margin: 0; }
section.none { border-left: 6px solid transparent; color: var(--faint); }
.bar { border-left: 6px solid var(--bar); }
section.bar { background: color-mix(in srgb, var(--bar) var(--tint), var(--paper)); }
section.both { border-right: 6px solid var(--second); }
@media print { :root { --ink: #000; --faint: #444; --paper: #fff; } section { break-inside: avoid; }
  body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
""".strip()


def write_page(texts: Iterable[SegmentedText], file: Path) -> None:
    """Write the texts to an HTML file, which is replaced when all is written.

    A passage has its scenarios with their scores as a heading, and the five most probable ones where the mouse rests on
    it. Colours repeat after seven scenarios of a text, with another kind of bar.

    Raises StoreError if the file cannot be written.
    """
    write_lines(file, _page(texts))


def _page(texts: Iterable[SegmentedText]) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>Scenarios</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<style>\n{_STYLE}\n</style></head><body>"
    for number, text in enumerate(texts, 1):
        legend = Legend()
        yield f"<article>\n<h1>{_text(text.title or text.name)}</h1>"
        for segment in text.segments:
            yield _section(segment, legend, number)
        yield from _legend(legend, number)
        yield "</article>"
    yield "</body></html>"


def _section(segment: TextSegment, legend: Legend, text: int) -> str:
    known = set(legend.scenarios)
    legend.add(segment)
    places = [legend.place(scenario) for scenario, _ in segment.scenarios]
    anchors = "".join(
        f'<a id="text{text}-scenario{place}"></a>'
        for (scenario, _), place in zip(segment.scenarios, places, strict=True)
        if scenario not in known
    )
    heading = ", ".join(
        f'{_text(scenario)} <span class="score">{score:.2f}</span>' for scenario, score in segment.scenarios
    )
    ranking = "\n".join(
        f"{score:.2f} {'no scenario' if scenario == NONE else scenario}" for scenario, score in segment.ranking
    )
    attributes = 'class="none"' if not places else f'class="bar" style="{_bar(places[0])}"'
    if len(places) > 1:
        attributes = f'class="bar both" style="{_bar(places[0])};--second:{COLOURS[places[1] % len(COLOURS)]}"'
    body = "".join(f"<p{'' if blank else ' class=joined'}>{_text(line)}</p>" for blank, line in paragraphs(segment))
    return (
        f'<section {attributes} title="{_text(ranking, lines=True)}">{anchors}'
        f"<h2>{heading or '<span class=score>no scenario</span>'}</h2>{body}</section>"
    )


def _legend(legend: Legend, text: int) -> Iterator[str]:
    yield '<table class="legend">'
    for place, (scenario, score, sentences) in enumerate(legend.rows()):
        yield (
            f'<tr><th scope="row"><a class="bar" style="{_bar(place)}" href="#text{text}-scenario{place}">'
            f'{escape(scenario)}</a></th><td class="score">{score}</td><td class="size">{sentences}</td></tr>'
        )
    yield "</table>"


def _bar(place: int) -> str:
    line = _LINES[place // len(COLOURS) % len(_LINES)]
    return f"--bar:{COLOURS[place % len(COLOURS)]};border-left-style:{line}"


def _text(text: str, *, lines: bool = False) -> str:
    return "&#10;".join(escape(printable(line)) for line in (text.split("\n") if lines else [text]))
