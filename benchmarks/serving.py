"""A served graph under the load of many clients, and Apache Jena Fuseki with the same data and queries beside it.

``python -m benchmarks serving [DIR] [--clients N] [--seconds N]``: the graph is `build/example-graph` unless another is
named. There are two loads. "busy": each client asks again at once, or after the seconds of Retry-After if the server is
busy. "paced": each client asks once a second, as people and assistants do. The client runs on the same machine. Both
servers run all the time and have each load in turns, so that other work on the machine slows both.

Scenarios, tools and steps are drawn at random, so that the same query comes again, as it does in use, and the server
may have kept its answer. Queries that are "all new" also have a limit drawn at random, one of a million, so that it
rarely has.
"""

from __future__ import annotations

import argparse
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pyoxigraph
from attrs import field, frozen

from benchmarks.http_load import Draw, Load, LoadPlan, Names, load
from benchmarks.measure import Row, measure, ratio
from benchmarks.servers import USERS, started
from exports.preparing import make_stores
from exports.targets import export
from kgscripts import ScriptGraph

_GRAPH = Path("build/example-graph")
_WARM_UP = 10.0
"""Seconds of the same load before the measurement; at most as long as that."""
_TURNS = 4
"""Into so many turns the seconds of a load are divided, between which another server has its turn."""
_START_SECONDS = 60.0
_JSON = {"Accept": "application/sparql-results+json"}
_COMPARED = 50
"""Queries whose answers are compared before the load."""


@frozen
class Endpoint:
    """An address of a server, and the headers of requests."""

    address: str
    headers: Mapping[str, str] = field(repr=False)

    def counts(self, draw: Draw) -> list[int]:
        """The numbers of rows that answer some queries, always the same ones."""
        chance, found = random.Random(0), []
        for _ in range(_COMPARED):
            answer = httpx.get(self.address + draw(chance), headers=self.headers, timeout=None).raise_for_status()
            found.append(len(answer.json()["results"]["bindings"]))
        return found


def rows(arguments: Sequence[str] = ()) -> Iterator[Row]:
    """A row for each kind of query and each load: answers a second of busy clients, and the latency of paced ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks serving")
    parser.add_argument("directory", type=Path, nargs="?", default=_GRAPH, metavar="DIR")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args(arguments)
    if not (given.directory / "manifest.json").exists():
        yield Row("serving", f"no graph in {given.directory}: make graph")
        return
    graph = ScriptGraph.open(given.directory)
    make_stores(graph, lambda *_: None)
    with _fuseki(graph) as fuseki, serving(given.directory) as address:
        if fuseki is None:
            yield Row("serving", "no Fuseki or no Java at hand")
            return
        own, queries = Endpoint(f"{address}/sparql", _JSON), Names.of(graph).queries()
        if fuseki.counts(queries["SPARQL"]) != own.counts(queries["SPARQL"]):
            raise RuntimeError("Fuseki's answers have other numbers of rows")
        for kind, draw in queries.items():
            busy, other = _alternately([own, fuseki], draw, None, given.clients, given.seconds)
            yield ratio(f"{kind}, busy, against Fuseki", busy.rate, other.rate, "answers/s", least=1)
            paced, other = _alternately([own, fuseki], draw, 1.0, given.clients, given.seconds)
            late, others = (found.percentile(99) * 1000 for found in (paced, other))
            yield ratio(f"{kind}, paced, against Fuseki: p99", late, others, "ms", most=1)


def _alternately(
    servers: Sequence[Endpoint], draw: Draw, period: float | None, clients: int, seconds: float
) -> list[Load]:
    """What the clients of each server saw, which have the load in turns: whatever else runs slows all of them."""
    seen: list[list[Load]] = [[] for _ in servers]
    for turn in range(_TURNS):
        for found, server in zip(seen, servers, strict=True):
            plan = LoadPlan(
                address=server.address,
                headers=server.headers,
                draw=draw,
                clients=clients,
                seconds=seconds / _TURNS,
                warm_up=0.0 if turn else min(_WARM_UP, seconds),
                period=period,
                seed=turn,
            )
            found.append(measure(load, plan).value)
    return [Load.of_turns(each) for each in seen]


@contextmanager
def _fuseki(graph: ScriptGraph) -> Iterator[Endpoint | None]:
    """Fuseki with the triples of the graph in its default graph, from which it answers; None if there is none."""
    with started("fuseki") as server, tempfile.TemporaryDirectory() as folder:
        if server is None:
            yield None
            return
        quads, triples = Path(folder, "graph.nq"), Path(folder, "graph.nt")
        export(graph, str(quads))
        parsed = pyoxigraph.parse(path=quads, format=pyoxigraph.RdfFormat.N_QUADS)
        pyoxigraph.serialize((quad.triple for quad in parsed), triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
        user = f"{USERS['fuseki']}:{server.password}"
        headers = {"Authorization": f"Basic {b64encode(user.encode()).decode()}"}
        kind = {"Content-Type": "application/n-triples"}
        with triples.open("rb") as stream:
            sent = httpx.post(f"{server.address}/data?default", content=stream, headers=headers | kind, timeout=None)
        sent.raise_for_status()
        yield Endpoint(f"{server.address}/query", _JSON | headers)


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """Serve a graph that has its stores in a process of its own; its address, once it takes connections."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "kgscripts", "serve", str(directory), "--port", str(port)])
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(lambda: httpx.get(f"{address}/limits"), process)
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


def _wait(answer: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            answer()
        except httpx.TransportError:
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return
