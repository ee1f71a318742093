"""Export targets, identified by suffix (``graph.ttl.gz``) or scheme (``neo4j://host``, ``oxigraph:DIR``), and files
that are compressed if the end of their name says so.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, TypeAlias, cast

import pyarrow as pa
from attrs import frozen

from schemas.addresses import holds_user, without_user
from schemas.arguments import check_type, path_of
from schemas.errors import ConfigurationError, StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.logs import phase
from schemas.plugins import entry_points_of, loaded
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph, check_graph

COMPRESSIONS = (".gz", ".zst")
_GZIP_LEVEL = 4
"""Twice as fast as the default level with a tenth more bytes, measured on N-Quads."""


def compression_of(path: Path) -> str:
    """The last suffix of a path if it is one of `COMPRESSIONS`, else ""."""
    suffix = path.suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


@contextmanager
def opened(path: Path, compression: str) -> Iterator[IO[bytes]]:
    """A new file to write to, with one of `COMPRESSIONS` or none (""). The same content gives the same bytes."""
    with path.open("wb") as file:
        if compression == ".gz":
            # No name and no time in the header.
            with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as stream:
                yield cast(IO[bytes], stream)
        elif compression == ".zst":
            with pa.CompressedOutputStream(file, "zstd") as stream:
                yield stream
        else:
            yield file


_LOG = logging.getLogger(__name__)


@frozen(kw_only=True)
class ExportOptions:
    """Options of an export; an exporter ignores those that do not apply to it.

    `database` is a database of a server. `prune` removes what an earlier build of this graph wrote to a server and this
    one lacks. `replace_graph` removes another graph that a server has under this graph's base IRI; without it, such an
    export is refused. `indexes` gives nodes of Neo4j vectors, and the database indexes for
    searches. `dry_run` changes nothing and reports what would be done. `ask` shows a prompt and returns hidden input of
    the user; it is None if there is no terminal. `progress` is called with the number of rows done since its last
    call, `phase` with what begins, if an export has several parts that take long.
    """

    database: str | None = None
    prune: bool = False
    replace_graph: bool = False
    indexes: bool = False
    dry_run: bool = False
    ask: Callable[[str], str] | None = None
    progress: Callable[[int], None] | None = None
    phase: Callable[[str], None] | None = None

    def begin(self, phase: str) -> None:
        """Report to `phase` what begins."""
        if self.phase is not None:
            self.phase(phase)

    def advance(self, rows: int) -> None:
        """Report to `progress` that `rows` more rows are done."""
        if self.progress is not None:
            self.progress(rows)


def report(graph: StoredGraph, target: str, **details: str | int | float) -> ExportReport:
    """The report of an export of all of `graph`."""
    return ExportReport(
        nodes=sum(map(graph.manifest.rows, NODE_TYPES)),
        relations=sum(map(graph.manifest.rows, RELATION_TYPES)),
        target=target,
        details=details,
    )


def another_graph(graph: StoredGraph, where: str, what: str) -> StoreError:
    """The error for a server that holds `what` of another graph with the base IRI of `graph`."""
    return StoreError(
        f"the server holds {what} of another graph under {graph.manifest.base_iri}",
        where=where,
        remedy="give this graph a base IRI of its own: run its last `kgscripts build-graph` again with --base-iri IRI, "
        "which reads nothing again. Or remove the other graph from the server: export with --replace-graph",
    )


Export: TypeAlias = Callable[[StoredGraph, str, ExportOptions], ExportReport]
"""Writes a graph to a target, atomically if the target allows it; repeating an export changes nothing."""


@frozen(kw_only=True)
class Exporter:
    """A kind of target: how it is identified, and the function that writes it.

    After one of the `suffixes` a target may end in one of `compressions` as well. A target with one of the `schemes` is
    passed on unchanged.
    """

    name: str
    module: str
    function: str = "export"
    suffixes: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    compressions: tuple[str, ...] = ()

    def load(self) -> Export:
        """The function; its module is imported only now."""
        return cast(Export, getattr(import_module(self.module), self.function))

    def suffix_of(self, target: str) -> str:
        """The suffix of a path of this kind, with that of a compression; "" if `target` is none."""
        path = target.lower().rstrip("/")
        suffixes = (suffix + end for suffix in self.suffixes for end in ("", *self.compressions))
        return next((suffix for suffix in suffixes if path.endswith(suffix)), "")


# The entry point `kgscripts` of the group `kgscripts.exporters`.
EXPORTERS: tuple[Exporter, ...] = (
    Exporter(name="Turtle", module="exports.rdf.files", suffixes=(".ttl",), compressions=COMPRESSIONS),
    Exporter(name="TriG", module="exports.rdf.files", suffixes=(".trig",), compressions=COMPRESSIONS),
    Exporter(name="N-Quads", module="exports.rdf.files", suffixes=(".nq",), compressions=COMPRESSIONS),
    Exporter(name="JSON-LD", module="exports.rdf.files", suffixes=(".jsonld",), compressions=COMPRESSIONS),
    Exporter(
        name="Oxigraph store", module="exports.rdf.oxigraph_store", suffixes=(".oxigraph",), schemes=("oxigraph",)
    ),
    Exporter(name="SPARQL server", module="exports.rdf.graph_store", schemes=("sparql+http", "sparql+https")),
    Exporter(
        name="Ladybug store",
        module="exports.cypher.ladybug_store",
        suffixes=(".ladybug", ".lbug"),
        schemes=("ladybug",),
    ),
    Exporter(
        name="Neo4j server",
        module="exports.neo4j.store",
        schemes=("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"),
    ),
    Exporter(
        name="CSV for neo4j-admin database import",
        module="exports.neo4j.csv_files",
        suffixes=(".neo4j-csv",),
        schemes=("neo4j-csv",),
    ),
    Exporter(name="GraphML", module="exports.files.graphml", suffixes=(".graphml",), compressions=COMPRESSIONS),
    Exporter(name="Parquet", module="exports.files.parquet", schemes=("parquet",)),
    Exporter(name="HowTo of schema.org", module="exports.files.howto", schemes=("howto",)),
    Exporter(name="Written scripts", module="exports.files.scripts", schemes=("scripts",)),
)


def exporters() -> Iterator[Exporter]:
    """The exporters of all installed packages: ours, then those of others, which are imported when it is their turn."""
    entries = entry_points_of("kgscripts.exporters").values()
    for entry in sorted(entries, key=lambda entry: entry.module != __name__):
        yield from loaded(entry, "exporters")


def scheme_of(target: str) -> str:
    """The scheme at the beginning of `target`, in lower case; "" if there is none (one letter is a drive)."""
    scheme, colon, _ = target.partition(":")
    return scheme.lower() if colon and len(scheme) > 1 and "/" not in scheme and "\\" not in scheme else ""


def resolve(target: str) -> Exporter:
    """Return the exporter of `target`.

    Raises
    ------
    ConfigurationError
        If there is none, or the target is only its suffix or scheme.
    """
    scheme = scheme_of(target)
    is_address = "://" in target or (scheme != "" and holds_user(target))
    for exporter in exporters():
        if scheme in exporter.schemes:
            if not target[len(scheme) + 1 :]:
                raise ConfigurationError("the target has no name", where=target, remedy="write it after the colon")
            return exporter
        if suffix := "" if is_address else exporter.suffix_of(target):
            name = target.rstrip("/")[: -len(suffix)].rpartition("/")[2]
            if not name.strip("."):
                raise ConfigurationError("the target has no name", where=target, remedy=f"for example graph{suffix}")
            return exporter
    suffixes = ", ".join(suffix for exporter in exporters() for suffix in exporter.suffixes)
    schemes = ", ".join(f"{scheme}:" for exporter in exporters() for scheme in exporter.schemes)
    raise ConfigurationError(
        "the target has no known suffix or scheme",
        where=without_user(target) if is_address or holds_user(target) else target,
        remedy=f"end it in {suffixes} (some with {' or '.join(COMPRESSIONS)}), or begin it with {schemes}",
    )


def export(graph: StoredGraph, target: str | Path, options: ExportOptions | None = None) -> ExportReport:
    """Write `graph` to the `target`, identified by its suffix or scheme.

    Raises
    ------
    ConfigurationError
        If no exporter fits the target, or an argument is of another type.
    StoreError
        If the target cannot be written or the server refuses.
    """
    check_graph(graph)
    path_of("target", target)
    options = ExportOptions() if options is None else options
    check_type("options", options, ExportOptions, "give an instance of ExportOptions")
    exporter = resolve(str(target))
    with phase(_LOG, f"exporting {graph.directory} to {without_user(str(target))}"):
        return exporter.load()(graph, str(target), options)
