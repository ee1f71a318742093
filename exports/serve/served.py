"""The graph that is served: one that was built again is taken up, no answer is made of two builds, and what it lacks is
made beside the server, which answers what it can meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TypeVar
from urllib.parse import quote

from exports.cypher.cypher import run_query as run_cypher
from exports.graph import ScriptGraph
from exports.preparing import STORES
from exports.query.engine_process import Serialised, file_identity
from exports.query.sparql import embedded_store
from exports.rdf.terms import PREFIXES
from exports.serve.kept_graph import KeptGraph
from exports.serve.limits import ServerLimits
from exports.serve.protocol import ProtocolRequest
from exports.serve.sparql import answer
from kgscripts.scripts.reading import list_scenarios
from kgscripts.search.searching import has_vectors, search
from schemas.errors import GraphDirectoryError, KGScriptsError, StoreError, StoreMissingError, explain
from schemas.graph_directory import MEASUREMENTS, NEXT
from schemas.kept_stores import use_store
from schemas.operating_system import lower_priority
from schemas.results import Table
from schemas.terminal import echo, printable

_SECONDS_TO_TRY_AGAIN = 60.0
"""After a failure."""
_MADE = {**STORES, "page": "the page"}


_Work = Callable[[], object]


class Making:
    """Runs `kgscripts prepare` for a graph directory; does `first` meanwhile, and `then` afterwards."""

    def __init__(self, directory: Path, first: Sequence[_Work], then: Sequence[_Work]) -> None:
        self._directory = directory
        self._first, self._then = first, then
        self._lock = Lock()
        self._is_wanted = self._is_running = self._has_ended = False
        self._process: subprocess.Popen[str] | None = None
        self._failure = ""
        self._tries_again_at = 0.0

    def start(self) -> None:
        """Make what is missing in another thread, once more if that runs already."""
        with self._lock:
            self._is_wanted = not self._has_ended
            if self._is_wanted and not self._is_running:
                self._is_running = True
                Thread(target=self._run, daemon=True).start()

    def missing(self, kind: str) -> StoreMissingError:
        """The error for a request that needs what is not there, which is made unless that has just failed."""
        if not self._is_running and time.monotonic() >= self._tries_again_at:
            self.start()
        if self._is_running:
            return StoreMissingError(
                f"this waits for {_MADE[kind]}, which is being made", remedy="ask again in some seconds"
            )
        return StoreMissingError(f"{_MADE[kind]} is missing, and could not be made: {self._failure}")

    def end(self) -> None:
        """End the process. What it has made stays, and the next one goes on."""
        with self._lock:
            self._has_ended, self._is_wanted = True, False
            if self._process is not None:
                self._process.terminate()

    def _run(self) -> None:
        while True:
            with self._lock:
                self._is_running, self._is_wanted = self._is_wanted, False
                if not self._is_running:
                    return
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "kgscripts", "prepare", str(self._directory)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                    # Ctrl-C on the terminal is for the server, which then ends it.
                    start_new_session=True,
                )
            lower_priority(self._process.pid)
            self._do(self._first)
            for line in self._process.stderr or ():
                # A message can take several lines: others belong to the one that began last.
                self._failure = line.strip() if line.startswith(("making", "error")) else self._failure + line.rstrip()
                echo(printable(line.rstrip()), err=True)
            has_failed = self._process.wait() != 0
            if self._has_ended:
                return
            self._tries_again_at = time.monotonic() + _SECONDS_TO_TRY_AGAIN * has_failed
            if not has_failed:
                self._do(self._then)
            said = "not all could be made: some requests get 503" if has_failed else "ready"
            echo(f"{said}: {printable(str(self._directory))}", err=True)

    def _do(self, works: Sequence[_Work]) -> None:
        """Do what spares requests time; they say themselves what is wrong where that fails."""
        for work in works:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the thread goes on
                echo(f"{printable(str(self._directory))}: {printable(explain(error))}", err=True)


T = TypeVar("T")

_EVERY = 1_000_000
"""More than words find, so that meanings are compared."""
_SWAP_SECONDS = 5.0
"""How long a new build may take to move its files into place."""
_FileIdentity = tuple[int, int, int]
_Identity = tuple[_FileIdentity, _FileIdentity | None]


class Served:
    """A graph directory, and what is asked of it.

    Raises GraphDirectoryError if there is no graph, and later if it is gone for more than some seconds.
    """

    def __init__(self, directory: Path, limits: ServerLimits) -> None:
        self.directory = directory
        self.limits = limits
        # Texts, since a path is made of its parts again each time.
        files = (directory / NEXT / "manifest.json", directory / "manifest.json", directory / MEASUREMENTS)
        self._next, self._manifest, self._measurements = map(str, files)
        self._opened: tuple[_Identity, KeptGraph] | None = None
        self._store: tuple[str, Path] | None = None
        self.making = Making(
            directory,
            first=[lambda: self._prepare_page(self.graph())],
            then=[
                lambda: self.sparql(ProtocolRequest(query="ASK {}"), None),
                lambda: self.cypher("RETURN 1", {}),
                self._load_model,
            ],
        )
        self._prepare_page: Callable[[KeptGraph], object] = lambda _: None
        self._has_begun = False
        self.graph()

    def begin(self, prepare_page: Callable[[KeptGraph], object]) -> None:
        """From now on, make what each build lacks before it is asked for; the page by `prepare_page`."""
        self._prepare_page, self._has_begun = prepare_page, True
        graph = self.graph()
        with suppress(KGScriptsError):  # Who asks is told.
            for scenario in list_scenarios(graph)[:1]:
                graph.script(scenario.iri)  # Reads the tables.
        self.making.start()

    def graph(self) -> KeptGraph:
        """The graph as it is now; while a new build is moved into place, it is waited for."""
        end = time.monotonic() + _SWAP_SECONDS
        while True:
            identity, opened = self._identity(), self._opened
            if opened is not None and opened[0] == identity:
                return opened[1]
            try:
                graph = KeptGraph.of(ScriptGraph.open(self.directory), self.limits, self.making.missing)
            except GraphDirectoryError:
                # It may have been opened while a new build was moved into place, file by file.
                is_replaced = file_identity(self._next) is not None or self._identity() != identity
                if not is_replaced or time.monotonic() > end:
                    raise
                time.sleep(0.05)
            else:
                if identity is not None and identity == self._identity():
                    self._opened = identity, graph
                    if self._has_begun:
                        self.making.start()

    def _load_model(self) -> None:
        """Let searches compare meanings, once that takes no long time."""
        graph = self.graph()
        if has_vectors(graph):
            search(graph, "a", limit=_EVERY)
            graph.compares_meanings.set()

    @property
    def latest(self) -> str | None:
        """The version of the graph if it is known without waiting."""
        opened = self._opened
        return opened[1].version if opened is not None and opened[0] == self._identity() else None

    def consistently(self, work: Callable[[KeptGraph], T]) -> T:
        """What `work` gives for the graph; again if the graph was replaced meanwhile."""
        while True:
            graph = self.graph()
            try:
                result = work(graph)
            except Exception:
                # Files of the graph may have been replaced while they were read: then it is no fault of the work.
                if self.graph() is graph:
                    raise
            else:
                if self.graph() is graph:
                    return result

    def sparql(self, request: ProtocolRequest, accept: str | None) -> Serialised:
        """See `exports.serve.sparql.answer`."""
        return self.consistently(lambda graph: self.sparql_of(graph, request, accept))

    def sparql_of(self, graph: KeptGraph, request: ProtocolRequest, accept: str | None) -> Serialised:
        """The answer of the `graph` that `consistently` gives."""
        prefixes = PREFIXES | {"data": graph.manifest.base_iri}

        def answered(path: Path) -> Serialised:
            try:
                return answer(path, request, accept, prefixes, self.limits)
            except (StoreError, OSError):
                self._store = None
                raise

        return use_store(lambda: self._store_of(graph), answered)

    def _store_of(self, graph: KeptGraph) -> Path:
        """The store of a graph, whose files are looked at once, and again after it could not be used."""
        known = self._store
        if known is None or known[0] != graph.version:
            self._store = known = graph.version, embedded_store(graph)
        return known[1]

    def cypher(self, query: str, parameters: Mapping[str, object]) -> Table:
        """The rows of a query in Cypher."""
        seconds, rows = self.limits.query_seconds, self.limits.rows
        return self.consistently(
            lambda graph: run_cypher(graph, query, parameters=parameters, timeout=seconds, max_rows=rows)
        )

    def iri(self, identifier: str) -> str:
        """The IRI of a node by its id, which a client names."""
        return self.graph().iri(quote(identifier, safe="/"))

    def _identity(self) -> _Identity | None:
        """Identifies the manifest and the measurements; None while a new graph is moved into place."""
        if file_identity(self._next) is not None or (manifest := file_identity(self._manifest)) is None:
            return None
        return manifest, file_identity(self._measurements)
