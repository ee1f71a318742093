"""The addresses of one graph, and the functions that answer them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from importlib import metadata

import attrs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from exports.rdf.dataset import DATASET
from exports.serve.api import ADDRESSES, SCENARIO, Address, description
from exports.serve.editing import Editing
from exports.serve.kept_graph import KeptGraph
from exports.serve.limits import Turns
from exports.serve.pages import ExploredGraph, Page, node_page, query_page
from exports.serve.protocol import ProtocolError, ProtocolRequest
from exports.serve.responses import KeptAnswer, KeptAnswers, as_json, explained, read_object, takes_gzip
from exports.serve.served import Served
from exports.serve.sparql import SPARQL_METHODS, VARY, sparql_endpoint
from exports.serve.sparql import key as sparql_key
from schemas.terminal import json_text

Endpoint = Callable[[Request], Awaitable[Response]]

_CYPHER = "an object with query, a text, and parameters, an object"
_EXPLORED = Address(answer=ExploredGraph.script, parameters=(SCENARIO,))


class GraphService:
    """Answers requests about one graph, whose addresses begin with `at` ("" or "/g/NAME").

    Queries, which may take long, have turns of their own.
    """

    def __init__(self, served: Served, turns: Turns, queries: Turns, at: str = "", *, edit: bool = False) -> None:
        self._served = served
        self._turns = turns
        self._queries = queries
        self._at = at
        self._edit = edit
        self._explored = ExploredGraph({"at": at, "edit": edit})
        self._kept = KeptAnswers(served.limits.kept_bytes)
        served.begin(self._explored.make)

    def routes(self) -> list[Route]:
        """The routes, without `at`."""
        editing = Editing(self._served, self._turns).routes() if self._edit else []
        return [
            *editing,
            Route("/", self._page(self._explored.page), methods=["GET"]),
            Route("/query", self._page(lambda graph: query_page(graph, self._at)), methods=["GET"]),
            Route("/sparql", sparql_endpoint(self.sparql, self._served.limits), methods=[*SPARQL_METHODS]),
            Route("/cypher", self.cypher, methods=["POST"]),
            Route("/.well-known/void", self.node, methods=["GET"]),
            Route("/data/{identifier:path}", self.node, methods=["GET"]),
            Route("/api/explore/script", self.explored, methods=["GET"]),
            Route("/api", self.to_description, methods=["GET"]),
            Route("/api/openapi.json", self.openapi, methods=["GET"]),
            *(Route(f"/api/{item.name}", self._answering(item), methods=["GET"]) for item in ADDRESSES),
        ]

    def _page(self, make: Callable[[KeptGraph], Page]) -> Endpoint:
        def answer(graph: KeptGraph) -> KeptAnswer:
            page = make(graph)
            return KeptAnswer(page.html.encode(), "text/html", {"Content-Security-Policy": page.policy})

        return explained(lambda request: self._kept_or(request, request.url.path, answer))

    def _answering(self, address: Address) -> Endpoint:
        @explained
        async def endpoint(request: Request) -> Response:
            values = address.values(_given(request))
            return await self._kept_or(
                request,
                f"{address.name} {json.dumps(values)}",
                lambda graph: _as_kept(attrs.asdict(address.answer(graph, **values))),
            )

        return endpoint

    @explained
    async def explored(self, request: Request) -> Response:
        """A script that the page lacks, as the page has others."""
        scenario = _EXPLORED.values(_given(request))["scenario"]
        return await self._kept_or(
            request,
            f"explored {scenario}",
            lambda graph: _as_kept(self._explored.script(graph, str(scenario))),
        )

    async def sparql(self, query: ProtocolRequest, request: Request) -> Response:
        """The answer to a query in SPARQL."""
        accept = request.headers.get("accept")
        is_packed = takes_gzip(request.headers.get("accept-encoding", ""))

        def answer(graph: KeptGraph) -> KeptAnswer:
            serialised = self._served.sparql_of(graph, query, accept)
            return KeptAnswer(serialised.content, serialised.media_type, VARY, is_packed)

        key = sparql_key(query, accept)
        return await self._kept_or(request, key and f"sparql {is_packed:d} {key}", answer, self._queries)

    async def _kept_or(
        self,
        request: Request,
        key: str | None,
        make: Callable[[KeptGraph], KeptAnswer],
        turns: Turns | None = None,
    ) -> Response:
        """The answer of this version for a key: a kept one, or the one that `make` gives, which is kept if it has a
        key."""
        headers = request.headers
        had = headers.get("if-none-match", "") if request.method in ("GET", "HEAD") else ""
        taken = headers.get("accept-encoding", ""), had
        if key is not None and (kept := self._kept.get(self._served.latest, key)):
            return kept.response(*taken)
        return (await (turns or self._turns).run(lambda: self._made(key, make), request.receive)).response(*taken)

    def _made(self, key: str | None, make: Callable[[KeptGraph], KeptAnswer]) -> KeptAnswer:
        # Others may have asked for the same while this waited for its turn.
        if key is not None and (kept := self._kept.get(self._served.latest, key)):
            return kept
        version, answer = self._served.consistently(lambda graph: (graph.version, make(graph)))
        if key is not None:
            self._kept.add(version, key, answer)
        return answer

    @explained
    async def cypher(self, request: Request) -> Response:
        """A query as JSON: ``{"query": ..., "parameters": {...}}``."""
        content = await read_object(request, self._served.limits, _CYPHER)
        query, parameters = content.get("query"), content.get("parameters", {})
        if not isinstance(query, str) or not isinstance(parameters, dict) or content.keys() - {"query", "parameters"}:
            raise ProtocolError(400, f"send {_CYPHER}")
        table = await self._queries.run(lambda: self._served.cypher(query, parameters), request.receive)
        return as_json(table.as_json())

    @explained
    async def node(self, request: Request) -> Response:
        """What the graph says of a node; without an id in the address, of the graph as a data set."""
        identifier = request.path_params.get("identifier", DATASET)
        accept = request.headers.get("accept")
        return await self._turns.run(lambda: node_page(self._served, identifier, accept, self._at), request.receive)

    async def openapi(self, _: Request) -> Response:
        """The description of the API."""
        return as_json(description(metadata.version("kgscripts"), self._at))

    async def to_description(self, _: Request) -> Response:
        """``/api`` alone."""
        return RedirectResponse(f"{self._at}/api/openapi.json")


def _given(request: Request) -> dict[str, list[str]]:
    """The parameters of a request, by their names."""
    given: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        given.setdefault(name, []).append(value)
    return given


def _as_kept(values: object) -> KeptAnswer:
    return KeptAnswer(json_text(values, indent=None).encode())
