"""The SPARQL 1.1 Protocol over HTTP and any Oxigraph store: answers as text in the format that a client prefers, and
the service description (W3C, 21 March 2013)."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from pathlib import Path

import pyoxigraph
from starlette.requests import Request
from starlette.responses import Response

from exports.query.confined import ask_serialised
from exports.query.engine_process import EngineError, Limits, Serialised
from exports.query.sparql import syntax_error
from exports.query.sparql_guard import judge
from exports.serve.limits import ServerLimits
from exports.serve.protocol import RESULTS, TRIPLES, ProtocolError, ProtocolRequest, preferred, read_request
from exports.serve.responses import explained, read_body
from schemas.errors import QueryError

_judged = lru_cache(maxsize=64)(judge)
"""Programs ask the same queries again."""
_CHANGING = re.compile(r"NOW|RAND|UUID", re.IGNORECASE)
"""Functions that give another value each time; also where the letters are part of something else."""
_BASE = "http://localhost/"
"""To what relative IRIs of a query refer, if the store is of no graph, whose nodes they are else."""


def answer(
    store: Path, request: ProtocolRequest, accept: str | None, prefixes: Mapping[str, str], limits: ServerLimits
) -> Serialised:
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
        serialised = ask_serialised(store, wanted, Limits(timeout=limits.query_seconds, max_bytes=limits.result_bytes))
    except EngineError as error:
        if error.is_syntax:
            raise ProtocolError(400, str(syntax_error(judged.text, str(error)))) from error
        raise QueryError(f"the query fails ({error})") from error
    if not serialised.media_type:
        types = TRIPLES if serialised.kind == "triples" else RESULTS
        raise ProtocolError(406, f"the answer is of the types {', '.join(types)}")
    return serialised


def key(request: ProtocolRequest, accept: str | None) -> str | None:
    """What tells a request from those with other answers; None if its answer differs each time."""
    if _CHANGING.search(request.query):
        return None
    return json.dumps([request.query, request.default_graphs, request.named_graphs, accept])


_SERVICE = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_RESULTS = ("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV")
_TRIPLES = ("Turtle", "N-Triples", "RDF_XML", "JSON-LD")


def service_description(endpoint: str, accept: str | None) -> tuple[str, str]:
    """The description of the service at an address, with its media type.

    Raises ProtocolError with the status 406 if the client takes no RDF.
    """
    media_type = preferred(accept, TRIPLES)
    if media_type is None:
        raise ProtocolError(406, f"the service description is of the types {', '.join(TRIPLES)}")
    service = pyoxigraph.BlankNode("service")
    type_of = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    triples = [
        pyoxigraph.Triple(service, type_of, _term("Service")),
        pyoxigraph.Triple(service, _term("endpoint"), pyoxigraph.NamedNode(endpoint)),
        pyoxigraph.Triple(service, _term("supportedLanguage"), _term("SPARQL11Query")),
        pyoxigraph.Triple(service, _term("feature"), _term("UnionDefaultGraph")),
        *(
            pyoxigraph.Triple(service, _term("resultFormat"), pyoxigraph.NamedNode(_FORMATS + name))
            for name in (*_RESULTS, *_TRIPLES)
        ),
    ]
    form = pyoxigraph.RdfFormat.from_media_type(media_type)
    content = pyoxigraph.serialize(triples, format=form)
    return media_type, (content or b"").decode()


def _term(name: str) -> pyoxigraph.NamedNode:
    return pyoxigraph.NamedNode(_SERVICE + name)


_ALLOWED = ("HEAD", "GET", "POST", "OPTIONS")
SPARQL_METHODS = (*_ALLOWED, "PUT", "PATCH", "DELETE")
"""The methods that a route gives to the endpoint, which refuses some itself."""
VARY = {"Vary": "Accept"}


def sparql_endpoint(
    answer: Callable[[ProtocolRequest, Request], Awaitable[Response]], limits: ServerLimits
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose queries `answer` answers, each with the request that has its headers."""

    @explained
    async def endpoint(request: Request) -> Response:
        if request.method not in _ALLOWED[:3]:
            status = 204 if request.method == "OPTIONS" else 405
            return Response(status_code=status, headers={"Allow": ", ".join(_ALLOWED)})
        body = await read_body(request, limits)
        wanted = read_request(request.method, request.url.query, request.headers.get("content-type"), body)
        if wanted is None:
            media_type, text = service_description(str(request.url.replace(query="")), request.headers.get("accept"))
            return Response(text, media_type=media_type, headers=VARY)
        return await answer(wanted, request)

    return endpoint
