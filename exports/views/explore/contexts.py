"""The text around the passages of scripts, as the page has it: pieces of documents that passages share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from kgscripts.analysis.contexts import Context, Place, read_contexts
from schemas.script_graph import StoredGraph

Places: TypeAlias = Sequence[Place]
"""Passages of a script in their order: the name of the source, the first character, and the text."""


def places_of(script: Mapping[str, Any]) -> Places:
    """The passages of the data of a script (`exports.views.explore.scripts.script_data`)."""
    return [(script["sources"][source], start, text) for text, source, start, _ in script["passages"]]


def contexts_data(graph: StoredGraph, scripts: Iterable[Places]) -> list[dict[str, Any] | None]:
    """The contexts of the passages of each script; None for a script for whose passages there are none.

    `texts` are pieces of documents with their first characters. `passages` has for each passage the number of the
    piece, and the span of the passage with its context in the document; None for one without context.
    """
    each = list(scripts)
    found = read_contexts(graph, {place for places in each for place in places})
    return [_shared(places, found) for places in each]


def _shared(places: Places, found: Mapping[Place, Context]) -> dict[str, Any] | None:
    spans: list[tuple[str, int, int, str, int]] = []
    for number, place in enumerate(places):
        if context := found.get(place):
            source, start, text = place
            before, after = context.before, context.after
            first, whole = start - len(before), f"{before}{text}{after}"
            spans.append((source, first, first + len(whole), whole, number))
    if not spans:
        return None
    texts: list[list[Any]] = []
    passages: list[list[int] | None] = [None] * len(places)
    last = ""
    for source, first, end, whole, number in sorted(spans, key=itemgetter(0, 1, 2)):
        if source != last or not _extend(texts[-1], first, whole):
            texts.append([first, whole])
        last = source
        passages[number] = [len(texts) - 1, first, end]
    return {"texts": texts, "passages": passages}


def _extend(piece: list[Any], first: int, text: str) -> bool:
    """Add to a piece of a document a text that begins in it or right behind it; false if they do not fit.

    Several documents may have one name.
    """
    known = piece[1][first - piece[0] :]
    if first > piece[0] + len(piece[1]) or not (text.startswith(known) or known.startswith(text)):
        return False
    piece[1] += text[len(known) :]
    return True
