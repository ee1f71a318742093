"""Answers in SPARQL over an Oxigraph store, as text in the format that a client prefers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from attrs import field, frozen

from exports.query.confined import ask_serialised
from exports.query.engine_process import EngineError, Limits
from exports.query.sparql import syntax_error
from exports.query.sparql_guard import judge
from exports.serve.limits import ServerLimits
from exports.serve.negotiation import RESULTS, TRIPLES, preferred
from exports.serve.protocol import ProtocolError, ProtocolRequest
from schemas.errors import QueryError

_judged = lru_cache(maxsize=64)(judge)
"""Programs ask the same queries again."""
_CHANGING = re.compile(r"NOW|RAND|UUID", re.IGNORECASE)
"""Functions that give another value each time; also where the letters are part of something else."""
_BASE = "http://localhost/"
"""To what relative IRIs of a query refer, if the store is of no graph, whose nodes they are else."""


@frozen(kw_only=True)
class Answer:
    """The text of an answer in UTF-8 and its media type."""

    media_type: str
    content: bytes = field(repr=False)


def answer(
    store: Path, request: ProtocolRequest, accept: str | None, prefixes: Mapping[str, str], limits: ServerLimits
) -> Answer:
    """The answer of the store at a path to a request.

    The data set of the request replaces that of the query. Without either, the default graph is the union of all.

    Raises
    ------
    ProtocolError
        If the query does not parse or would write (400), or the client takes none of the formats of its answer (406).
    QueryError
        If it exceeds a limit.
    """
    formats = {"solutions": preferred(accept, RESULTS), "triples": preferred(accept, TRIPLES)}
    if not any(formats.values()):
        raise ProtocolError(406, f"answers are of the types {', '.join((*RESULTS, *TRIPLES))}")
    try:
        judged = _judged(request.query)
    except QueryError as error:
        raise ProtocolError(400, str(error)) from error
    has_dataset = judged.has_dataset or bool(request.default_graphs or request.named_graphs)
    wanted = {
        "text": judged.text,
        "base": prefixes.get("data", _BASE),
        "prefixes": dict(prefixes),
        "union": not has_dataset,
        "formats": formats,
        "default_graphs": request.default_graphs,
        "named_graphs": request.named_graphs,
    }
    try:
        found = ask_serialised(store, wanted, Limits(timeout=limits.query_seconds, max_bytes=limits.result_bytes))
    except EngineError as error:
        if error.is_syntax:
            raise ProtocolError(400, str(syntax_error(judged.text, str(error)))) from error
        raise QueryError(f"the query fails ({error})") from error
    if not found.media_type:
        types = TRIPLES if found.kind == "triples" else RESULTS
        raise ProtocolError(406, f"the answer is of the types {', '.join(types)}")
    return Answer(media_type=found.media_type, content=found.content)


def key(request: ProtocolRequest, accept: str | None) -> str | None:
    """What tells a request from those with other answers; None if its answer differs each time."""
    if _CHANGING.search(request.query):
        return None
    return json.dumps([request.query, request.default_graphs, request.named_graphs, accept])
