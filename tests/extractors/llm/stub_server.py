"""A server on a real socket that answers as it is told: completions, and every fault that a server can have."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from attrs import define, field, frozen

_EXAMPLE_ENDS = 3
"""The place of the message with the text, behind the instructions and an example."""
KEY = "sk-Xq7verySecretKey"


@frozen
class Request:
    """What was asked: the headers in lower case, and the content."""

    path: str
    headers: Mapping[str, str]
    content: dict[str, Any]

    @property
    def text(self) -> str:
        """The text that it is about."""
        return str(self.content["messages"][_EXAMPLE_ENDS]["content"])


@frozen
class Reply:
    """A response. A silent server sends nothing until its end; a broken one ends the connection in the middle."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    is_silent: bool = False
    is_broken: bool = False


Answering: TypeAlias = Callable[[Request], Reply]


@define
class Stub:
    """A running server: its address, and what it was asked."""

    address: str
    answering: Answering
    requests: list[Request] = field(factory=list)
    ended: threading.Event = field(factory=threading.Event)


def completion(answer: object, *, finish: str = "stop", usage: bool = True, text: str | None = None) -> Reply:
    """A completion whose text is an answer as JSON."""
    said = json.dumps(answer) if text is None else text
    content: dict[str, Any] = {"choices": [{"finish_reason": finish, "message": {"content": said}}]}
    if usage:
        content["usage"] = {"prompt_tokens": 100, "completion_tokens": 20}
    return Reply(json.dumps(content).encode())


def drained(request: Request) -> Reply:
    """A right answer about "drain the pasta", and an empty one about other texts."""
    line = next((line for line in request.text.splitlines() if "rain the pasta" in line), "")
    quote = line[line.lower().index("drain") :].rstrip(".") if line else ""
    return completion(for_request(answer_about(quote) if quote else EMPTY, request))


def for_request(answer: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The answer, with scenarios if the request asks for them."""
    return {**answer, "scenarios": []} if asks_for_scenarios(request) else answer


def asks_for_scenarios(request: Request) -> bool:
    """Whether the schema of the answer has scenarios."""
    content = request.content
    if "tools" in content:
        return "scenarios" in content["tools"][0]["function"]["parameters"]["properties"]
    return "scenarios" in content["response_format"]["json_schema"]["schema"]["properties"]


EMPTY: Mapping[str, Any] = {"events": [], "changes": [], "needs": []}


def answer_about(quote: str, **action: str) -> dict[str, Any]:
    """An answer with one event, whose object is the pasta and whose tool is the strainer."""
    words = {"predicate": "Drain", "particle": "", "object": "pasta", "preposition": "", "prepositional_object": ""}
    event = {
        "quote": quote,
        "action": words | action,
        "participants": [{"quote": "pasta", "role": "patient"}],
        "tools": [{"quote": "strainer", "role": "instrument"}],
    }
    change = {"quote": quote, "entity": "pasta", "attribute": "wetness", "before": "wet", "after": "dry"}
    return {"events": [event], "changes": [change], "needs": []}


@contextmanager
def serving(answering: Answering) -> Iterator[Stub]:
    """A server that answers so, until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    stub = Stub(f"http://127.0.0.1:{server.server_address[1]}/v1", answering)
    server.stub = stub  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, content)
        stub.requests.append(request)
        reply = stub.answering(request)
        if reply.is_silent:
            stub.ended.wait()
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.is_broken else reply.body)
        if reply.is_broken:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""
