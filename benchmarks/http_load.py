"""A load on a server: clients that ask for SPARQL, with names that are drawn from a graph."""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from attrs import define, field, frozen

from kgscripts import ScriptGraph

Draw = Callable[[random.Random], str]
"""Draws what a client asks for next: a path with its query string."""
_OK, _BUSY = 200, 503


@frozen(kw_only=True)
class LoadPlan:
    """A load: `clients` ask the server at `address` for what `draw` gives; a warm-up before `seconds` is not counted.

    Without `period` a client asks again at once. With it, a client asks once in so many seconds, each at a moment of
    its own; while it still waits for an answer, it leaves out its turn.
    """

    address: str
    draw: Draw
    clients: int
    seconds: float
    warm_up: float
    period: float | None = None
    seed: int = 0
    """Another one draws other requests."""
    headers: Mapping[str, str] = field(factory=dict, repr=False)


@frozen(kw_only=True)
class Load:
    """What clients saw: the `latencies` of answers in seconds, answers per second, and requests that were refused."""

    latencies: Sequence[float]
    rate: float
    refused: int

    @classmethod
    def of_turns(cls, turns: Sequence[Load]) -> Load:
        """What clients saw in turns of the same length."""
        return cls(
            latencies=sorted(latency for turn in turns for latency in turn.latencies),
            rate=statistics.fmean(turn.rate for turn in turns),
            refused=sum(turn.refused for turn in turns),
        )

    def percentile(self, number: int) -> float:
        """The latency in seconds below which so many percent of the answers are; infinite without answers."""
        if len(self.latencies) < 2:
            return self.latencies[0] if self.latencies else float("inf")
        return statistics.quantiles(self.latencies, n=100, method="inclusive")[number - 1]


def load(plan: LoadPlan) -> Callable[[], Load]:
    """The call that puts the load on the server, for `benchmarks.measure.measure`.

    It raises RuntimeError for an answer that is neither 200 nor 503: the requests, or the server, are wrong.
    """
    return lambda: asyncio.run(_all_clients(plan))


@define
class _Seen:
    latencies: list[float]
    statuses: Counter[int]
    in_time: int = 0


async def _all_clients(plan: LoadPlan) -> Load:
    start = time.perf_counter()
    seen = _Seen([], Counter())
    async with asyncio.TaskGroup() as group:
        for number in range(plan.clients):
            group.create_task(_client(plan, random.Random(plan.seed * plan.clients + number), start, seen))
    return Load(latencies=sorted(seen.latencies), rate=seen.in_time / plan.seconds, refused=seen.statuses[_BUSY])


async def _client(plan: LoadPlan, chance: random.Random, start: float, seen: _Seen) -> None:
    counted, end = start + plan.warm_up, start + plan.warm_up + plan.seconds
    connection = _Connection(plan)
    offset = chance.random() * (plan.period or 0.0)
    asked = await _turn(plan.period, start + offset)
    while asked < end:
        status, retry_after = await connection.ask(plan.draw(chance))
        now = time.perf_counter()
        if asked >= counted:
            seen.statuses[status] += 1
            if status == _OK:
                seen.latencies.append(now - asked)
                seen.in_time += now <= end
        if status == _BUSY and plan.period is None:
            connection.close()  # As the server does with one that nobody uses for so long.
            await asyncio.sleep(retry_after)
        asked = await _turn(plan.period, start + offset)
    connection.close()


async def _turn(period: float | None, first: float) -> float:
    """Wait for the next moment to ask, and return it: a late start counts as a part of the latency."""
    now = time.perf_counter()
    if period is None:
        return now
    at = first if now < first else first + period * ((now - first) // period + 1)
    await asyncio.sleep(at - now)
    return at


class _Connection:
    """A connection, opened when it is first needed and again after the server has closed it."""

    def __init__(self, plan: LoadPlan) -> None:
        parts = urlsplit(plan.address)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        self._head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": parts.netloc, **plan.headers}.items())
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, target: str) -> tuple[int, float]:
        """The status of the answer, and after how many seconds to ask again if the server is busy."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(f"GET {self._path}{target} HTTP/1.1\r\n{self._head}\r\n".encode())
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await _body(reader, headers)
        if headers.get("connection", "").lower() == "close":
            self.close()
        status = int(first.split(" ", 2)[1])
        if status not in (_OK, _BUSY):
            raise RuntimeError(f"{self._path}{target}: {first}: {body[:300]!r}")
        return status, float(headers.get("retry-after", "1"))

    def close(self) -> None:
        """Close it."""
        if self._streams is not None:
            with suppress(OSError):
                self._streams[1].close()
            self._streams = None


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "chunked" not in headers.get("transfer-encoding", ""):
        return await reader.readexactly(int(headers.get("content-length", "0")))
    pieces = []
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        pieces.append((await reader.readexactly(size + 2))[:-2])
    await reader.readuntil(b"\r\n")
    return b"".join(pieces)


_QUERIES = Path(__file__).resolve().parents[1] / "docs" / "queries"
_QUERY_NAMES = ("usual-script", "tools-of-a-scenario", "needs-of-a-scenario", "what-comes-before", "what-a-tool-is-for")
_MOST_ROWS = 1_000


@frozen(kw_only=True)
class Names:
    """The names in a graph that requests are about."""

    steps: Sequence[tuple[str, str]]
    """The label of each step's scenario, and its own."""
    tools: Sequence[str]

    @classmethod
    def of(cls, graph: ScriptGraph) -> Names:
        """Those of a graph, in an order that is always the same."""
        scenarios, steps = graph.labels("Scenario"), graph.labels("SubEvent")
        parts = graph.rows("HAS_SUB_EVENT", ("from_id", "to_id"))
        return cls(
            steps=sorted({(scenarios[row["from_id"]], steps[row["to_id"]]) for row in parts}),
            tools=sorted(set(graph.labels("Tool").values())),
        )

    def queries(self) -> dict[str, Draw]:
        """Queries of `docs/queries` about scenarios, steps and tools of the graph, below an address for SPARQL."""
        texts = [(_QUERIES / f"{name}.rq").read_text(encoding="utf-8") for name in _QUERY_NAMES]
        return {"SPARQL": partial(_query, self, texts, False), "SPARQL, all new": partial(_query, self, texts, True)}


def _query(names: Names, texts: Sequence[str], new: bool, chance: random.Random) -> str:
    text, (scenario, step), tool = chance.choice(texts), chance.choice(names.steps), chance.choice(names.tools)
    for example, name in (("cooking pasta", scenario), ("drain pasta", step), ("knife", tool)):
        text = text.replace(f'"{example}"', json.dumps(name, ensure_ascii=False))
    most = _MOST_ROWS + chance.randrange(1_000_000) if new else _MOST_ROWS
    return "?" + urlencode({"query": f"{text}\nLIMIT {most}\n"})
