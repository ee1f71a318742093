"""A Doc as displaCy shows spans, with lanes of their own for events, tools, state changes and scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from attrs import frozen
from spacy.displacy.render import SpanRenderer
from spacy.displacy.templates import TPL_SPAN, TPL_SPAN_SLICE, TPL_SPAN_START
from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from kgscripts.component.annotations import EVENTS, SCENARIOS, TOOLS, records_of, span_of
from schemas.arguments import check_type, path_of
from schemas.output_files import new_file
from schemas.records import StateChange

_COLOURS = {"event": "#ffd966", "tool": "#9fc5e8", "change": "#b6d7a8", "scenario": "#d5a6bd"}
_TEMPLATES = {
    "span": TPL_SPAN,
    "slice": TPL_SPAN_SLICE,
    "start": TPL_SPAN_START.replace("font-size: 0.6em;", "font-size: 0.6em; white-space: nowrap;"),
}
_LABEL_WIDTH = 0.65
"""The width of a character of a label, in characters of the text."""
_EMPTY = ""
"""The label of a lane in which a token has nothing."""


def display(doc: Doc, output: str | Path | None = None) -> str | None:
    """Show what the component `kgscripts` has read in a Doc: in a notebook, or as HTML that is returned.

    Parameters
    ----------
    output:
        A file that a whole page is written to instead.

    Raises
    ------
    InputError
        If the component has not read the Doc.
    ConfigurationError
        If an argument is of another type.
    StoreError
        If the file cannot be written.
    """
    check_type("doc", doc, Doc, "give a Doc of a pipeline with the component kgscripts")
    path = None if output is None else path_of("output", output)
    spans = list(_in_lanes(doc))
    colours = {span.label: span.colour for span in spans} | {_EMPTY: "transparent"}
    renderer = _LaneRenderer({"colors": colours, "template": _TEMPLATES})
    parsed = {"tokens": [token.text for token in doc], "spans": [span.as_parsed() for span in spans]}
    html = renderer.render([parsed], page=path is not None).strip()
    if path is not None:
        with new_file(path) as temporary:
            temporary.write_text(html + "\n", encoding="utf-8")
        return None
    if is_in_jupyter():
        from IPython.display import HTML
        from IPython.display import display as show

        show(HTML(f'<span class="tex2jax_ignore">{html}</span>'))  # type: ignore[no-untyped-call]
        return None
    return html


@frozen
class _LaneSpan:
    """A span with its label, as HTML, in a lane from 1."""

    start: int
    end: int
    label: str
    colour: str
    lane: int

    def as_parsed(self) -> dict[str, Any]:
        return {"start_token": self.start, "end_token": self.end, "label": self.label, "lane": self.lane}


def _in_lanes(doc: Doc) -> Iterator[_LaneSpan]:
    """The spans of each kind in as few lanes as they and their labels need, below those of the kinds before."""
    changes = [span_of(doc, item.start, item.end, _in_words(item)) for item in records_of(doc, StateChange)]
    kinds: dict[str, Sequence[Span]] = {
        "event": list(doc.spans.get(EVENTS, ())),
        "tool": list(doc.spans.get(TOOLS, ())),
        "change": changes,
        "scenario": list(doc.spans.get(SCENARIOS, ())),
    }
    above = 0
    for kind, spans in kinds.items():
        ends: list[float] = []
        for span in sorted(spans, key=lambda span: (span.start, -span.end)):
            label = f"{kind}: {span.label_}" if kind in ("tool", "scenario") else span.label_
            free = next((lane for lane, end in enumerate(ends) if end <= span.start_char), len(ends))
            ends[free : free + 1] = [max(span.end_char, span.start_char + _LABEL_WIDTH * len(label) + 1)]
            yield _LaneSpan(span.start, span.end, escape(label), _COLOURS[kind], above + free + 1)
        above += len(ends)


def _in_words(change: StateChange) -> str:
    return " ".join(f"{change.attribute} of {change.entity}: {change.before} → {change.after}".split())


class _LaneRenderer(SpanRenderer):
    """displaCy's renderer of spans, which stacks them by their order, with the lanes that they have instead."""

    @staticmethod
    def _assemble_per_token_info(tokens: list[str], spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The lanes of each token, down to the lowest that it has a span in: displaCy counts them for its height."""
        found: list[dict[int, dict[str, Any]]] = [{} for _ in tokens]
        for span in spans:
            for place in range(span["start_token"], span["end_token"]):
                is_start = place == span["start_token"]
                found[place][span["lane"]] = {"label": span["label"], "is_start": is_start}
        empty = {"label": _EMPTY, "is_start": False}
        return [
            {
                "text": text,
                "entities": [
                    {**lanes.get(lane, empty), "render_slot": lane, "kb_link": ""}
                    for lane in range(1, max(lanes, default=0) + 1)
                ],
            }
            for text, lanes in zip(tokens, found, strict=True)
        ]
