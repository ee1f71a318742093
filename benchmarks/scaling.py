"""Reading that is shared out: two readers against one, and Ray against processes.

``python -m benchmarks scaling [--how-tos N] [--without NAME …]``: how-tos are generated. They are read by all
extractors but those left out, each time anew: by one reader of pieces and by two, with one thread each; by a build with
two processes, and by a build with two actors of Ray. The time of the readers begins when their models are loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from time import perf_counter

from benchmarks.measure import Row, measure, ratio
from kgscripts import ScriptGraph
from kgscripts.distributed.plan import split_reading
from kgscripts.distributed.reading import read_piece

HOW_TOS = 200
_FILES = _PIECES = 32
_READERS = 2
_READERS_GOAL, _RAY_GOAL = 1.8, 1.1

_STEPS = (
    "Fill the {0} with {1}.",
    "Put the {0} on the {2} and wait for ten minutes.",
    "Cut the {1} into small pieces with a {3}.",
    "Clean the {0} with a wet cloth until the dirt is gone.",
    "Add the {1} to the {0} and stir it with a {3}.",
    "Take the {0} off the {2} and let it cool.",
    "If the {1} is dry, pour some water over it.",
    "Store the {1} in a clean {0} for later.",
)
_THINGS = (
    ("pot", "bowl", "bucket", "pan", "jar", "tray", "basket", "mug"),
    ("soup", "rice", "sand", "paint", "dough", "wood", "wool", "soap"),
    ("stove", "shelf", "table", "bench", "rack"),
    ("knife", "spoon", "brush", "fork", "shovel"),
)
_LONGEST = 10


def write_how_tos(folder: Path, count: int) -> Path:
    """Write how-tos of five to eleven steps, all different, as JSON lines in files of equal size."""
    folder.mkdir(parents=True)
    size = -(-count // _FILES)
    for start in range(0, count, size):
        lines = (json.dumps(_how_to(number)) for number in range(start, min(count, start + size)))
        (folder / f"how-tos-{start}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _how_to(number: int) -> dict[str, object]:
    chance = random.Random(number)
    things = [chance.choice(names) for names in _THINGS]
    steps = [chance.choice(_STEPS).format(*map(chance.choice, _THINGS)) for _ in range(chance.randint(4, _LONGEST))]
    return {
        "id": str(number),
        "title": f"How to Prepare {things[1].title()} in a {things[0].title()}",
        "steps": [*steps, f"Write the number {number} on the {things[0]}."],
    }


_ready: Barrier


def _start(ready: Barrier, few: Path, output: Path, without: Sequence[str]) -> None:
    """Load the models in a reader: it reads another plan with the same extractors."""
    global _ready
    _ready = ready
    warm = output / f"warm-{os.getpid()}"
    split_reading([few], warm, pieces=1, without=without)
    read_piece(warm, 0)


def _wait_for_others(_: int) -> None:
    _ready.wait()


def _read(directory: Path, number: int) -> int:
    return read_piece(directory, number).words


def reading(how_tos: Path, few: Path, output: Path, readers: int, without: Sequence[str]) -> Callable[[], float]:
    """Read how-tos in pieces by so many processes; gives the seconds without the loading of models."""

    def call() -> float:
        pieces = len(split_reading([how_tos], output / "graph", pieces=_PIECES, without=without).pieces)
        context = get_context("spawn")
        ready = context.Barrier(readers)
        with ProcessPoolExecutor(readers, context, initializer=_start, initargs=(ready, few, output, without)) as pool:
            list(pool.map(_wait_for_others, range(readers)))
            began = perf_counter()
            words = sum(pool.map(_read, [output / "graph"] * pieces, range(pieces)))
            seconds = perf_counter() - began
        if not words:
            raise RuntimeError("nothing was read")
        return seconds

    return call


def build(how_tos: Path, output: Path, without: Sequence[str], engine: str) -> Callable[[], str]:
    """A build with ``--jobs 2`` by processes, or by actors of Ray."""
    from kgscripts.distributed.on_ray import build_on_ray
    from kgscripts.pipeline import build_graph

    def call() -> str:
        if engine == "ray":
            build_on_ray([how_tos], output, workers=_READERS, without=without)
        else:
            build_graph([how_tos], output, jobs=_READERS, without=without)
        return ScriptGraph.open(output).build_id

    return call


def rows(arguments: Sequence[str] = ()) -> Iterator[Row]:
    """Measure readers and builds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scaling")
    parser.add_argument("--how-tos", type=int, default=HOW_TOS, metavar="N", help="how many")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="an extractor to leave out")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        how_tos = write_how_tos(folder / "how-tos", given.how_tos)
        few = write_how_tos(folder / "few", 1)
        yield _readers(how_tos, few, folder, given.without)
        yield _engines(how_tos, folder, given.without)


def _readers(how_tos: Path, few: Path, folder: Path, without: Sequence[str]) -> Row:
    with _one_thread():
        one, two = (
            float(measure(reading, how_tos, few, folder / f"{readers}-readers", readers, without).value)
            for readers in (1, _READERS)
        )
    return ratio("one reader against two", one, two, least=_READERS_GOAL)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that are started meanwhile have one thread for their networks each, as an actor of Ray has."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before


def _engines(how_tos: Path, folder: Path, without: Sequence[str]) -> Row:
    processes = measure(build, how_tos, folder / "processes", without, "processes")
    actors = measure(build, how_tos, folder / "actors", without, "ray")
    if processes.value != actors.value:
        raise RuntimeError("processes and actors built different graphs")
    what = "build with two actors of Ray, against --jobs 2"
    return ratio(what, actors.seconds, processes.seconds, most=_RAY_GOAL)
