"""The child process of `exports.query.confined`: opens one store, gives up its rights, and answers queries.

It is run as a script, with the paths of modules, the store and the limits as JSON in its argument. Requests arrive on
standard input and answers leave on standard output, as JSON with its length before it:

- ``{"ready": true}`` once the store is open, or ``{"error": KIND, "message": ...}``;
- for each request ``{"columns": [...]}``, lists of rows, and ``{"end": true}``; or, if it names formats,
  ``{"kind": ..., "media_type": ...}`` and the text as it is, with its length; or an error instead of any of them.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

LENGTH = struct.Struct(">Q")
_BATCH_ROWS = 256
_NESTING = 500
_BUFFER_POOL = 1 << 30
"""Bytes of memory that a query may use for the pages of a Ladybug store and for its result."""
_OUT_OF_MEMORY = ("bad_alloc", "bad allocation", "buffer pool is full", "cannot allocate")

_SYSTEM_CALLS = {
    # The number of the architecture; socket, execve, execveat.
    "x86_64": (0xC000003E, (41, 59, 322)),
    "aarch64": (0xC00000B7, (198, 221, 281)),
}
_IO_URING_SETUP = 425
_X32 = 0x40000000
"""Numbers of system calls from here on are those of another interface of the same kernel."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2

_EVERY_TYPE = """RETURN 1, 1.5, 'a', true, NULL, [1], {a: 1}, map(['a'], [1]), date('2020-01-01'),
timestamp('2020-01-01 00:00:00'), CAST('2020-01-01 00:00:00+00:00' AS TIMESTAMP_TZ), interval('1 day'),
CAST(1.25 AS DECIMAL(5, 2)), CAST('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AS UUID), blob('a'), CAST(1 AS INT128),
$text, $list, $map"""
"""A value of every type: the modules that a value needs are imported when the first one is read."""


class _Oxigraph:
    """An engine: `answer` gives the messages of an answer, of which bytes are sent as they are."""

    may_open_files = True
    """RocksDB opens the files of a large store when a query first needs them."""

    def __init__(self, path: str) -> None:
        import pyoxigraph

        from exports.query.values import term_value

        self._boolean, self._triples = pyoxigraph.QueryBoolean, pyoxigraph.QueryTriples
        self._node = pyoxigraph.NamedNode
        self._results, self._rdf = pyoxigraph.QueryResultsFormat, pyoxigraph.RdfFormat
        self._value = term_value
        self._store = pyoxigraph.Store.read_only(path)
        # What an answer needs is imported now, before the resources of this process are limited.
        for text in ("ASK { ?s ?p ?o }", "SELECT ?s ('a' AS ?text) (1.5 AS ?number) { ?s ?p ?o } LIMIT 1"):
            list(self.answer({"text": text, "prefixes": {}, "union": True}))

    def answer(self, request: dict[str, Any]) -> Iterator[Any]:
        graphs: dict[str, Any] = {
            option: [self._node(iri) for iri in request[name]]
            for option, name in (("default_graph", "default_graphs"), ("named_graphs", "named_graphs"))
            if request.get("default_graphs") or request.get("named_graphs")
        }
        result: Any = self._store.query(
            request["text"],
            base_iri=request.get("base"),
            prefixes=request["prefixes"],
            use_default_graph_as_union=request["union"],
            **graphs,
        )
        if "formats" in request:
            return self._serialised(result, request["formats"])
        value = self._value
        if isinstance(result, self._boolean):
            return _table(["answer"], [[bool(result)]])
        if isinstance(result, self._triples):
            rows = ([value(triple.subject), value(triple.predicate), value(triple.object)] for triple in result)
            return _table(["subject", "predicate", "object"], rows)
        variables = [variable.value for variable in result.variables]
        return _table(variables, ([*map(value, solution)] for solution in result))

    def _serialised(self, result: Any, formats: dict[str, str | None]) -> Iterator[Any]:
        """The kind of a result and the media type that it is wanted in, then its text; "" and no text for no type."""
        kind = "triples" if isinstance(result, self._triples) else "solutions"
        media_type, text = formats[kind], b""
        if media_type is not None:
            form = (self._rdf if kind == "triples" else self._results).from_media_type(media_type)
            text = result.serialize(format=form)
        yield {"kind": kind, "media_type": media_type or ""}
        yield text


class _Ladybug:
    may_open_files = False

    def __init__(self, path: str) -> None:
        import ladybug

        from exports.query.values import cypher_value

        self._value = cypher_value
        self._database = ladybug.Database(path, read_only=True, buffer_pool_size=_BUFFER_POOL)
        self._connection = ladybug.Connection(self._database)
        list(self.answer({"text": _EVERY_TYPE, "parameters": {"text": "a", "list": ["a"], "map": {"a": 1.5}}}))

    def answer(self, request: dict[str, Any]) -> Iterator[Any]:
        result = self._connection.execute(request["text"], request["parameters"])
        if isinstance(result, list):
            raise RuntimeError("there is more than one statement")  # noqa: TRY004
        return _table(result.get_column_names(), self._rows(result))

    def _rows(self, result: Any) -> Iterator[Sequence[Any]]:
        with result:
            while result.has_next():
                yield [*map(self._value, result.get_next())]


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
    yield {"columns": columns}
    left = iter(rows)
    while batch := list(islice(left, _BATCH_ROWS)):
        yield batch
    yield {"end": True}


_ENGINES: dict[str, type[_Oxigraph] | type[_Ladybug]] = {"oxigraph": _Oxigraph, "ladybug": _Ladybug}


def main() -> None:
    """Open the store of the settings and answer requests until standard input ends."""
    settings = json.loads(sys.argv[1])
    sys.setrecursionlimit(_NESTING)  # Lower than that of the parent, which reads the values.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Output of the engine must not be taken for an answer.
    try:
        end_with_parent(settings["parent"])
        if settings["memory"] is not None:
            refuse_system_calls()
        sys.path[:] = settings["path"]
        engine = _ENGINES[settings["engine"]](settings["store"])
    except NotImplementedError as error:
        _send(answers, {"error": "confinement", "message": str(error)})
        return
    except BaseException as error:  # noqa: BLE001 - panics of pyoxigraph are no `Exception`s
        _send(answers, {"error": "store", "message": str(error)})
        return
    if settings["memory"] is not None:
        try:
            limit_resources(settings["memory"], engine.may_open_files)
        except (OSError, ValueError, ImportError) as error:
            _send(answers, {"error": "confinement", "message": str(error)})
            return
    _send(answers, {"ready": True})
    while head := sys.stdin.buffer.read(LENGTH.size):
        _respond(engine, json.loads(sys.stdin.buffer.read(LENGTH.unpack(head)[0])), answers)


def end_with_parent(parent: int | None) -> None:
    """Let the kernel end this process when the other end of the pipe `parent` is closed, even in a query."""
    if parent is None:
        return
    import fcntl

    fcntl.fcntl(parent, fcntl.F_SETOWN, os.getpid())
    # SIGIO, whose default action is to end the process.
    fcntl.fcntl(parent, fcntl.F_SETFL, fcntl.fcntl(parent, fcntl.F_GETFL) | os.O_ASYNC)
    if os.get_blocking(parent):
        os.set_blocking(parent, False)
    try:
        os.read(parent, 1)
    except BlockingIOError:
        return
    os._exit(0)  # It was closed before the kernel was asked.


def refuse_system_calls() -> None:
    """Refuse to make sockets and to start programs, in this process for good.

    Raises
    ------
    NotImplementedError
        Where that is not possible.
    """
    if sys.platform != "linux" or platform.machine() not in _SYSTEM_CALLS:
        raise NotImplementedError(f"{sys.platform} on {platform.machine()} cannot refuse connections and programs")
    architecture, numbers = _SYSTEM_CALLS[platform.machine()]
    refused = (*numbers, _IO_URING_SETUP)
    # A program of the kernel's packet filter: code, jumps if true and if false, operand.
    # Of another architecture or interface every call is refused, since its numbers mean other calls.
    steps = [(0x20, 0, 0, 4), (0x15, 0, len(refused) + 3, architecture), (0x20, 0, 0, 0)]
    steps += [(0x35, len(refused) + 1, 0, _X32)]
    steps += [(0x15, len(refused) - i, 0, number) for i, number in enumerate(refused)]
    steps += [(0x06, 0, 0, _ALLOW), (0x06, 0, 0, _REFUSE)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    header = struct.pack("@HP", len(steps), ctypes.addressof(program))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    arguments = [ctypes.c_ulong(0)] * 2
    if prctl(_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), ctypes.c_ulong(0), *arguments) or prctl(
        _SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.c_char_p(header), *arguments
    ):
        raise NotImplementedError(os.strerror(ctypes.get_errno()))


def limit_resources(memory: int, may_open_files: bool) -> None:
    """Refuse to write files, to open any unless `may_open_files`, and to use `memory` bytes more, for good.

    Raises
    ------
    OSError, ValueError, ImportError
        Where that is not possible.
    """
    import resource

    with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123 - without the import of pathlib
        # Not an absolute limit: Ladybug reserves terabytes of addresses when it opens a store.
        addresses = int(stream.read().split()[0]) * resource.getpagesize() + memory
    limits = {resource.RLIMIT_AS: addresses, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if not may_open_files:
        limits[resource.RLIMIT_NOFILE] = 0
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))


def _respond(engine: _Oxigraph | _Ladybug, request: dict[str, Any], answers: BinaryIO) -> None:
    try:
        for message in engine.answer(request):
            _write(answers, message)
        answers.flush()
    except BrokenPipeError:
        sys.exit()
    except MemoryError:
        _send(answers, {"error": "memory", "message": ""})
    except SyntaxError as error:
        _send(answers, {"error": "syntax", "message": str(error)})
    except BaseException as error:  # noqa: BLE001 - panics of pyoxigraph are no `Exception`s
        kind = "memory" if any(words in str(error) for words in _OUT_OF_MEMORY) else "failed"
        _send(answers, {"error": kind, "message": str(error)})


def _send(answers: BinaryIO, message: object) -> None:
    _write(answers, message)
    answers.flush()


def _write(answers: BinaryIO, message: object) -> None:
    content = message if isinstance(message, bytes) else json.dumps(message).encode()
    answers.write(LENGTH.pack(len(content)))
    answers.write(content)


if __name__ == "__main__":
    main()
