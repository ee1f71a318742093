"""A graph without its stores, served and asked at once: the slowest answer until all is made."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

import httpx
from attrs import frozen

from benchmarks.http_load import Draw
from benchmarks.measure import Row, at_most
from benchmarks.served_requests import Names
from schemas.script_graph import ScriptGraph

_CLIENTS = 4
_PAUSE = 0.2
"""Seconds between the requests of a client."""
_GOAL = 2.0
_OK, _WAITS = 200, 503


@frozen
class _Asked:
    kind: str
    status: int
    seconds: float


def rows(graph: ScriptGraph, serve: Callable[[Path], AbstractContextManager[str]]) -> Iterator[Row]:
    """What clients see from the moment at which the server takes connections until every kind of request has its whole
    answer; requests that are told what they wait for are counted apart."""
    requests = _requests(Names.of(graph))
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name, "graph")
        shutil.copytree(graph.directory, directory, ignore=shutil.ignore_patterns("stores"))
        start = time.perf_counter()
        with serve(directory) as address, ThreadPoolExecutor(_CLIENTS) as clients:
            every = clients.map(lambda seed: list(_client(address, requests, random.Random(seed))), range(_CLIENTS))
            asked = [each for own in every for each in own]
        took = time.perf_counter() - start
    answered, told = ([each for each in asked if each.status == status] for status in (_OK, _WAITS))
    yield Row(f"from cold, {_CLIENTS} clients: all is made", f"{took:,.0f} s")
    slowest = max(answered, key=lambda each: each.seconds)
    yield at_most(f"from cold: slowest of {len(answered):,} answers ({slowest.kind})", slowest.seconds, _GOAL, "s")
    waited = max((each.seconds for each in told), default=0.0)
    yield at_most(f"from cold: slowest of {len(told):,} that say what they wait for", waited, _GOAL, "s")


def _requests(names: Names) -> Mapping[str, Draw]:
    """Requests by what they ask for: one of each kind that a server answers."""
    fixed = {"page": "/", "query page": "/query", "scenarios": "/api/scenarios", "void": "/.well-known/void"}
    drawn = {name: draw for name, draw in names.requests().items() if name != "script, all new"}
    sparql = names.queries()["SPARQL"]
    return {
        **{name: lambda _, path=path: path for name, path in fixed.items()},  # type: ignore[misc]
        **drawn,
        "SPARQL": lambda chance: f"/sparql{sparql(chance)}",
        "needs": lambda chance: f"/api/needs?scenario={quote(chance.choice(names.scenarios))}",
        "tools": lambda chance: f"/api/tools?action={quote(chance.choice(names.steps)[1])}",
        "tool": lambda chance: f"/api/tool?name={quote(chance.choice(names.tools))}",
    }


def _client(address: str, requests: Mapping[str, Draw], chance: random.Random) -> Iterator[_Asked]:
    """Asks for each kind in turn until all of a round have their whole answer."""
    with httpx.Client(base_url=address, timeout=None) as client:
        is_whole = False
        while not is_whole:
            is_whole = True
            for kind, draw in requests.items():
                time.sleep(_PAUSE)
                start = time.perf_counter()
                answer = client.get(draw(chance))
                asked = _Asked(kind, answer.status_code, time.perf_counter() - start)
                if asked.status not in (_OK, _WAITS):
                    raise RuntimeError(f"{kind}: {asked.status}: {answer.text[:300]}")
                by_words = kind == "search" and asked.status == _OK and not _has_ranks_by_meaning(answer)
                is_whole &= asked.status == _OK and not by_words
                yield asked


def _has_ranks_by_meaning(answer: httpx.Response) -> bool:
    return any(each["by_meaning"] is not None for each in answer.json()["found"])
