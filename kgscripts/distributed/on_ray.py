"""Reading pieces on Ray: actors on one machine or on a cluster read them into the folder that they share.

Nothing is sent but numbers of pieces. What an actor reads comes back by the folder, so that the memory of the process
that starts them does not grow with the texts.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kgscripts.building.build import Progress
from kgscripts.distributed.ingest import TakenIn, take_in_pieces
from kgscripts.distributed.plan import ReadingPlan, split_reading
from kgscripts.distributed.reading import divide_or_give_up, read_piece
from schemas.arguments import check_number, path_of
from schemas.errors import ConfigurationError, InputError, KGScriptsError

TRIES = 3
"""After so many lost workers a piece is cut in halves, and a piece of one document is given up."""
_PIECES_A_WORKER = 16
"""Several, so that none waits long for the last one."""
_DIED = f"the process that read it died, {TRIES} times: it may need more memory than there is"


class _Reader:
    """What an actor does: it reads pieces, and keeps the models that it has loaded."""

    def read(self, directory: str, number: int) -> tuple[int, int] | str:
        """Read a piece; returns its documents and words, or what is wrong with it or with this machine."""
        try:
            finished = read_piece(directory, number)
        except KGScriptsError as error:
            return str(error)
        return finished.documents, finished.words

    def divide(self, directory: str, number: int, reason: str) -> bool:
        """See `divide_or_give_up`."""
        return divide_or_give_up(directory, number, reason)


def read_on_ray(
    directory: Path,
    *,
    address: str | None = None,
    workers: int,
    progress: Callable[[Progress], None] | None = None,
) -> dict[int, str]:
    """Read all pieces of the plan in a directory that are not finished, with so many actors.

    A piece whose actor is lost is tried again on another one. After three times it is cut in halves, and a document
    that is left alone has failed for all extractors. `address` is that of a cluster; None starts Ray on this machine.

    Returns
    -------
        The pieces that could not be read, with the reason: an input that has changed, another version of an extractor.

    Raises
    ------
    ConfigurationError
        If Ray is not installed, or the cluster cannot be reached.
    """
    with _ray(address, workers) as ray:
        return _Reading(ray, directory, workers, progress).run()


def build_on_ray(
    inputs: Sequence[str | Path],
    directory: str | Path,
    *,
    address: str | None = None,
    workers: int = 1,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> TakenIn:
    """Build or extend a graph, whose inputs actors of Ray read in pieces: the graph that one process makes.

    Raises what `split_reading`, `read_on_ray` and `take_in_pieces` raise.
    """
    check_number("jobs", workers)
    path = path_of("output", directory)
    pieces = workers * _PIECES_A_WORKER
    if split_reading(inputs, path, pieces=pieces, **options).pieces:
        failed = read_on_ray(path, address=address, workers=workers, progress=progress)
        if failed:
            raise InputError(next(iter(failed.values())))
    return take_in_pieces(path, memory=memory, progress=progress)


class _Reading:
    def __init__(self, ray: Any, directory: Path, workers: int, progress: Callable[[Progress], None] | None) -> None:
        self._ray = ray
        self._directory = str(directory.absolute())
        self._progress = progress
        # Inputs are parsed and models loaded there. One thread each: more would compete for the cores.
        self._actor = ray.remote(_Reader).options(
            num_cpus=1, max_restarts=0, runtime_env={"env_vars": {"OMP_NUM_THREADS": "1"}}
        )
        self._idle = [self._actor.remote() for _ in range(workers)]
        self._waiting = deque(range(len(ReadingPlan.read(directory).pieces)))
        self._lost: Counter[int] = Counter()
        self._failed: dict[int, str] = {}
        self._documents = self._words = 0

    def run(self) -> dict[int, str]:
        running: dict[Any, tuple[Any, int]] = {}
        while self._waiting or running:
            while self._waiting and self._idle:
                actor, number = self._idle.pop(), self._waiting.popleft()
                running[actor.read.remote(self._directory, number)] = actor, number
            (done, *_), _ = self._ray.wait(list(running), num_returns=1)
            actor, number = running.pop(done)
            try:
                outcome = self._ray.get(done)
            except self._ray.exceptions.RayActorError:
                self._idle.append(self._actor.remote())
                self._try_again(number)
                continue
            self._idle.append(actor)
            if isinstance(outcome, str):
                self._failed[number] = outcome
            else:
                self._count(*outcome)
        return self._failed

    def _try_again(self, number: int) -> None:
        self._lost[number] += 1
        if self._lost[number] < TRIES:
            self._waiting.append(number)
            return
        pieces = len(ReadingPlan.read(Path(self._directory)).pieces)
        try:
            is_divided = self._ray.get(self._idle[-1].divide.remote(self._directory, number, _DIED))
        except self._ray.exceptions.RayError:
            # Not even its documents can be listed.
            self._idle[-1] = self._actor.remote()
            self._failed[number] = _DIED
            return
        self._waiting.append(number)
        if is_divided:
            # Each half has tries of its own.
            self._lost[number] = 0
            self._waiting.append(pieces)

    def _count(self, documents: int, words: int) -> None:
        self._documents += documents
        self._words += words
        if self._progress is not None:
            self._progress(Progress(self._documents, self._documents, self._words))


@contextmanager
def _ray(address: str | None, workers: int) -> Iterator[Any]:
    """Ray, connected to a cluster or started here, until the block ends; then its actors are ended at once."""
    try:
        import ray
    except ModuleNotFoundError as error:
        # Ray is there, but lacks something itself.
        if error.name != "ray":
            raise
        raise ConfigurationError("Ray is not installed", remedy="pip install 'kgscripts[ray]'") from None
    # Without "local" it would connect to a cluster that was started on this machine for something else.
    here: Mapping[str, Any] = {"address": "local", "num_cpus": workers, "include_dashboard": False}
    options = {"address": address} if address else here
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        said, _, _ = str(error).strip().partition("\n")
        raise ConfigurationError(
            f"the cluster cannot be reached ({said})",
            where=address,
            remedy="give the address of a running one, as `ray start` prints it",
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()
