"""Corrections over HTTP: people add to a list of pending ones and take them back, and one assembly applies all."""

from __future__ import annotations

from enum import StrEnum
from threading import Lock
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from exports.serve.kept_graph import KeptGraph
from exports.serve.limits import Turns
from exports.serve.protocol import ProtocolError
from exports.serve.responses import as_json, explained, read_body, read_object
from exports.serve.served import Served
from kgscripts.editing.pending import PendingCorrections
from schemas.errors import KGScriptsError


class State(StrEnum):
    """What a server does with the pending corrections of a graph."""

    IDLE = "idle"
    APPLYING = "applying"
    FAILED = "failed"


class Editing:
    """Takes corrections of one graph. While they are applied, the graph answers as before and further ones can come."""

    def __init__(self, served: Served, turns: Turns) -> None:
        self._served = served
        self._turns = turns
        self._corrections = PendingCorrections(served.directory)
        self._state = State.IDLE
        self._message = ""
        self._changing = Lock()

    def routes(self) -> list[Route]:
        """The routes, without what all addresses of the graph begin with."""
        return [
            Route("/api/corrections", self.listed, methods=["GET"]),
            Route("/api/corrections", self.added, methods=["POST"]),
            Route("/api/corrections/apply", self.applied, methods=["POST"]),
            Route("/api/corrections/{identifier}", self.removed, methods=["DELETE"]),
        ]

    @explained
    async def listed(self, request: Request) -> Response:
        """The pending and the applied ones, and what the server does with them."""

        def read(graph: KeptGraph) -> dict[str, Any]:
            return {
                "build": graph.build_id,
                "state": self._state,
                "message": self._message,
                "pending": self._corrections.waiting(),
                "applied": self._corrections.applied(graph),
            }

        return as_json(await self._turns.run(lambda: self._served.consistently(read), request.receive))

    @explained
    async def added(self, request: Request) -> Response:
        """Let one wait, which the body has as a line of a file of corrections."""
        record = await read_object(request, self._served.limits, "a correction as a line of a file of corrections")

        def add() -> dict[str, Any]:
            correction = self._served.consistently(lambda graph: self._corrections.in_words(graph, record))
            added: dict[str, Any] = self._corrections.add(correction)
            return added

        return as_json(await self._turns.run(add, request.receive), 201)

    @explained
    async def removed(self, request: Request) -> Response:
        """Take a pending one back."""
        identifier = request.path_params["identifier"]
        if not await self._turns.run(lambda: self._corrections.remove(identifier), request.receive):
            raise ProtocolError(404, "this correction does not wait: it was applied or taken back")
        return Response(status_code=204)

    @explained
    async def applied(self, request: Request) -> Response:
        """Apply all that wait. The answer comes at once; `listed` says when it is done, or what failed."""
        await read_body(request, self._served.limits)
        with self._changing:
            if self._state is State.APPLYING:
                return as_json({"state": self._state}, 202)
            self._state, self._message = State.APPLYING, ""
        # Not in a turn: an assembly takes long, and requests are answered meanwhile.
        response = as_json({"state": self._state}, 202)
        response.background = BackgroundTask(self._apply)
        return response

    def _apply(self) -> None:
        state, message = State.FAILED, "the server failed: its log says where"
        try:
            self._corrections.apply()
            state, message = State.IDLE, ""
        except KGScriptsError as error:
            message = str(error)
        finally:
            with self._changing:
                self._state, self._message = state, message
