"""The page: its data, its scripts and its styles in one file, which loads nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from attrs import frozen

from exports.explore.assets import policy, scripts, style
from exports.explore.index import Index, read_index
from exports.explore.scenario_map import read_map
from exports.explore.scripts import read_models, script_data
from exports.rows import find_scenario
from schemas.drawing.text_layout import legible
from schemas.errors import ConfigurationError
from schemas.script_graph import ScriptGraph

MOST_BYTES = 20_000_000
"""The largest size of a page if nothing else is asked for."""


@frozen(kw_only=True)
class Page:
    """A page (`html`) that has the scripts of `scripts` scenarios of the graph, which has `scenarios`."""

    html: str
    scripts: int
    scenarios: int


def explore_page(graph: ScriptGraph, scenarios: Sequence[str] = (), max_bytes: int = MOST_BYTES) -> str:
    """Return the page for a browser in which one looks through a graph, at most `max_bytes` of UTF-8.

    It has the index of the whole graph, and the scripts of `scenarios` (their names), by default of the best supported
    ones that fit.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have one of the names.
    ConfigurationError
        If what is asked for does not fit.
    """
    return make_page(graph, scenarios, max_bytes).html


def make_page(graph: ScriptGraph, scenarios: Sequence[str] = (), max_bytes: int = MOST_BYTES) -> Page:
    """As `explore_page`, with what the page has."""
    asked = list(dict.fromkeys(find_scenario(graph, name)["id"] for name in scenarios))
    index, blocks = _fitting_index(graph, read_models(graph), max_bytes)
    size = _size(_document(graph, blocks))
    written = 0
    for number, content in _scripts(graph, index, asked):
        block = _block(f"script-{number}", content)
        size += _size(block) + len("\n")
        if size > max_bytes:
            if asked:
                raise ConfigurationError(
                    f"{len(asked):,} scenarios do not fit on a page of {max_bytes / 1e6:,.1f} MB",
                    where="--max-size",
                    remedy="name fewer scenarios, or allow a larger page",
                )
            break
        blocks.append(block)
        written += 1
    return Page(html=_document(graph, blocks), scripts=written, scenarios=len(index.scenarios))


def _fitting_index(graph: ScriptGraph, models: list[dict[str, Any]], max_bytes: int) -> tuple[Index, list[str]]:
    """The index of what enough sources have, so that it takes at most half of the room for data, and its blocks."""
    room = max_bytes - _size(_document(graph, []))
    least = 0
    while True:
        index = read_index(graph, least)
        about = {
            "name": graph.directory.resolve().name,
            "base_iri": graph.manifest.base_iri,
            "least": least,
            "models": models,
        }
        blocks = [_block("graph", about), _block("index", index.data), _block("map", read_map(graph, index))]
        size = sum(_size(block) + len("\n") for block in blocks)
        if size <= room / 2 or (not index.steps and size <= room):
            return index, blocks
        if not index.steps:
            raise ConfigurationError(
                f"an index of {len(index.scenarios):,} scenarios does not fit on a page of {max_bytes / 1e6:,.1f} MB",
                where="--max-size",
                remedy=f"allow {(max_bytes - room + size) / 1e6 + 0.1:,.1f} MB or more",
            )
        least = least * 2 or 2


def _scripts(graph: ScriptGraph, index: Index, asked: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for scenario in asked or index.scenarios:
        yield index.scenarios[scenario], script_data(graph, index, scenario)


def _document(graph: ScriptGraph, blocks: Sequence[str]) -> str:
    title = escape(legible(graph.directory.resolve().name))
    inline = scripts()
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(inline, style())}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{title}</title><style>{style()}</style></head><body>",
            '<noscript><p class="notice">This page needs JavaScript. It loads nothing from the network.</p></noscript>',
            *blocks,
            *(f"<script>{text}</script>" for text in inline),
            "</body></html>\n",
        )
    )


def _block(name: str, content: object) -> str:
    """Data that a browser does not run. Without "<" nothing in it can end the block or begin a comment."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _size(text: str) -> int:
    return len(text.encode())
