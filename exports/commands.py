"""`kgscripts export`, `kgscripts query`, `kgscripts validate` and `kgscripts schema`."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import attrs
import typer

from exports.neo4j.property_graph import constraints_text
from exports.query.engine_process import MAX_ROWS
from exports.query.parameters import (
    check_cypher_names,
    cypher_with,
    finds_nothing,
    given_parameters,
    hint_of,
    language_of,
    sparql_with,
)
from exports.query.text import query_text
from exports.rdf.context import context_text
from exports.rdf.ontology import ontology_text
from exports.rdf.shapes import shapes_text
from exports.targets import ExportOptions, resolve
from exports.targets import export as write
from kgscripts.commands.options import GRAPH_FOLDER, GraphFolder
from kgscripts.scripts.types import script_schema
from schemas.addresses import without_user
from schemas.errors import ConfigurationError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.interrupts import QUERY_SECONDS
from schemas.output_files import write_lines
from schemas.results import ResultFormat, Table
from schemas.script_graph import StoredGraph
from schemas.terminal import ask_secretly, echo, echo_json, json_text, printable, progress_bar, write_data


class SchemaFile(StrEnum):
    """The parts of the schema."""

    ONTOLOGY = "ontology"
    SHAPES = "shapes"
    CONTEXT = "context"
    CONSTRAINTS = "constraints"
    SCRIPT = "script"
    WRITTEN_SCRIPT = "written-script"
    CONFORMANCE = "conformance"


def schema(
    file: Annotated[SchemaFile, typer.Argument(help="Which file of the schema.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it to a file.", show_default=False)
    ] = None,
    closed: Annotated[
        bool, typer.Option("--closed", help="Shapes that allow no property which they do not name.")
    ] = False,
) -> None:
    """Print the ontology (OWL, Turtle), the SHACL shapes (Turtle), the JSON-LD context or the Neo4j constraints of
    graphs, or the JSON Schema of a script, as `kgscripts show --json` prints it or as a person writes one, and of what
    `kgscripts compare --json` prints.

    Example: kgscripts schema ontology -o script.ttl

    Example: kgscripts schema shapes --closed
    """
    if closed and file is not SchemaFile.SHAPES:
        raise ConfigurationError(f"--closed with {file}", remedy="only shapes can be closed")
    texts: dict[SchemaFile, Callable[[], str]] = {
        SchemaFile.ONTOLOGY: ontology_text,
        SchemaFile.SHAPES: partial(shapes_text, closed=closed),
        SchemaFile.CONTEXT: context_text,
        SchemaFile.CONSTRAINTS: constraints_text,
        SchemaFile.SCRIPT: lambda: json_text(script_schema()) + "\n",
        SchemaFile.WRITTEN_SCRIPT: _form_of_scripts,
        SchemaFile.CONFORMANCE: _form_of_comparisons,
    }
    text = texts[file]()
    if output is None:
        echo(text.rstrip("\n"))
        return
    write_lines(output, text.splitlines())


def _form_of_scripts() -> str:
    # Here, since it imports the readers of YAML, which no other command of this file needs.
    from kgscripts.corpora.scripts.format import written_script_schema

    return json_text(written_script_schema()) + "\n"


def _form_of_comparisons() -> str:
    from kgscripts.analysis.conformance import conformance_schema  # here for the same reason

    return json_text(conformance_schema()) + "\n"


_SHOWN_VIOLATIONS = 20
_AS_JSON = typer.Option("--json", help="Print JSON.")


def export(
    directory: GraphFolder,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Where to: see below.", show_default=False)],
    database: Annotated[str | None, typer.Option(help="A database of the Neo4j server.", show_default=False)] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Neo4j: remove what an earlier build of this graph left there.")
    ] = False,
    replace_graph: Annotated[
        bool,
        typer.Option("--replace-graph", help="Servers: remove another graph that has the same base IRI, and --prune."),
    ] = False,
    indexes: Annotated[
        bool, typer.Option("--indexes", help="Neo4j: also write vectors, and indexes of names and of vectors.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; report what would be done.")] = False,
    as_json: Annotated[bool, _AS_JSON] = False,
) -> None:
    """Write a graph to TARGET, identified by its suffix or scheme; an earlier export there is replaced.

    A server holds several graphs if each was built with a --base-iri of its own. One that holds another graph under the
    same base IRI refuses the export; --replace-graph removes that graph.

    Files: .ttl .trig .nq .jsonld .graphml (each also .gz, .zst), .lbug. Directories: .oxigraph,
    neo4j-csv:DIR, parquet:DIR, howto:DIR (each scenario as a HowTo of schema.org). Servers:
    sparql+http(s)://HOST/DATASET, neo4j(+s)://HOST, bolt(+s)://HOST, with the user of KGSCRIPTS_SPARQL_USER and
    KGSCRIPTS_SPARQL_PASSWORD, or NEO4J_USERNAME and NEO4J_PASSWORD.

    Example: kgscripts export graph graph.ttl.gz

    Example: kgscripts export graph neo4j://localhost --prune
    """
    graph = StoredGraph.open(directory)
    exporter = resolve(target)
    with _bar(exporter.name, graph) as (progress, phase):
        options = ExportOptions(
            database=database,
            prune=prune,
            replace_graph=replace_graph,
            indexes=indexes,
            dry_run=dry_run,
            ask=_asker(),
            progress=progress,
            phase=phase,
        )
        report = write(graph, target, options)
    if as_json:
        echo_json(attrs.asdict(report))
        return
    done = "would write" if dry_run else "wrote"
    shown = {
        name: printable(value) if isinstance(value, str) else f"{value:,}" for name, value in report.details.items()
    }
    details = "".join(f"\n  {printable(name)}: {value}" for name, value in shown.items())
    echo(f"{done} {report.nodes:,} nodes and {report.relations:,} relations to {printable(report.target)}{details}")


def query(
    directory: Annotated[Path | None, GRAPH_FOLDER] = None,
    sparql: Annotated[
        str | None, typer.Option(help="A SPARQL query, a file with one, or - for standard input.", show_default=False)
    ] = None,
    cypher: Annotated[
        str | None, typer.Option(help="A Cypher query, a file with one, or - for standard input.", show_default=False)
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Query this SPARQL service.", show_default=False)
    ] = None,
    uri: Annotated[
        str | None, typer.Option(metavar="URI", help="Query this Neo4j server (neo4j://, bolt://).", show_default=False)
    ] = None,
    database: Annotated[str | None, typer.Option(help="A database of the Neo4j server.", show_default=False)] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A value for a parameter of the query.", show_default=False),
    ] = None,
    timeout: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="SECONDS", help="The time limit of the query.")
    ] = int(QUERY_SECONDS),
    max_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="The largest number of rows of a result.")
    ] = MAX_ROWS,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Query DIR without confinement, on platforms that lack it: see below.")
    ] = False,
    form: Annotated[ResultFormat, typer.Option("--format", "-f", help="How to print.")] = ResultFormat.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Query a graph, or a server, in SPARQL or Cypher. The first query builds a store in DIR, later ones use it.

    In SPARQL the prefixes kgs:, skos:, rdfs:, prov:, oa:, schema: and others need no declaration.

    A query of DIR runs in a process that may make no connections, write no files and use 2 GiB of memory. Where the
    platform has no such limits, --unconfined runs it without them: do this only with queries that you trust.

    Example: kgscripts query graph --sparql "SELECT DISTINCT ?tool { ?step kgs:uses/rdfs:label ?tool }"

    Example: kgscripts query graph --sparql needs-of-a-scenario.rq --param scenario="planting a tree"

    Example: kgscripts query --uri neo4j://localhost --cypher question.cypher --format csv
    """
    if (sparql is None) == (cypher is None):
        raise ConfigurationError("a query is either --sparql or --cypher", remedy="name one of them")
    server, other = (endpoint, uri) if sparql is not None else (uri, endpoint)
    if other is not None or (server is None) == (directory is None):
        raise ConfigurationError(
            "a query needs a graph directory or one server",
            remedy="name DIR, or --endpoint for --sparql, or --uri for --cypher",
        )
    if server is not None and "://" not in server:
        raise ConfigurationError(
            "not the address of a server",
            where=without_user(server),
            remedy="it has the form http://HOST/PATH or bolt://HOST",
        )
    parameters = given_parameters(param or ())
    source = StoredGraph.open(directory) if directory is not None else str(server)
    hint = ""
    with _ended_at_once() if directory is not None else nullcontext():
        # Importing the stores of the other language would take time.
        if sparql is not None:
            from exports.query.sparql import run_query as run_sparql
            from exports.query.sparql_guard import scan_sparql

            text = sparql_with(query_text(sparql), parameters, language_of(source))
            table = run_sparql(source, text, ask=_asker(), timeout=timeout, max_rows=max_rows, confined=not unconfined)
            if finds_nothing(table) and isinstance(source, StoredGraph):
                hint = hint_of(source, scan_sparql(text), parameters, language_of(source))
        else:
            from exports.cypher.cypher import run_query as run_cypher
            from exports.query.cypher_guard import scan_cypher

            text = query_text(str(cypher))
            check_cypher_names(text, parameters)
            table = run_cypher(
                source,
                text,
                parameters=parameters,
                database=database,
                ask=_asker(),
                timeout=timeout,
                max_rows=max_rows,
                confined=not unconfined,
            )
            if finds_nothing(table) and isinstance(source, StoredGraph):
                hint = hint_of(source, scan_cypher(text), cypher_with(text, parameters))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if as_json or form is ResultFormat.JSON:
        echo_json(table.as_json())
    else:
        write_data(table.render(form, width))
    if hint:
        echo(hint, err=True)


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process by the signal: an engine that builds a store does not return to Python for long."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def validate(
    directory: GraphFolder,
    sample: Annotated[
        int, typer.Option(min=1, help="Check this number of nodes of each type against the shapes.")
    ] = 1000,
    everything: Annotated[bool, typer.Option("--all", help="Check every node (some 500 a second).")] = False,
    closed: Annotated[
        bool, typer.Option("--closed", help="Allow no property that the shape of its node does not name.")
    ] = False,
    as_json: Annotated[bool, _AS_JSON] = False,
) -> None:
    """Check the files of a graph and of its records, its references and, with SHACL, its RDF. Exits with 2 if
    something is wrong, or if pyshacl is not installed: then everything else is checked.

    Example: kgscripts validate graph --all
    """
    from exports.rdf.shapes import Violation
    from exports.validation import validate as check
    from kgscripts.records.store import RecordStore

    graph = StoredGraph.open(directory)
    with progress_bar() as progress:
        task = progress.add_task("checking", total=None)
        report = check(
            graph,
            None if everything else sample,
            lambda what: progress.update(task, description=f"checking {what}"),
            closed=closed,
        )
        if (directory / "records").is_dir():
            progress.update(task, description="checking records")
            with RecordStore(directory / "records") as store:
                problems = [problem.rpartition(": ") for problem in store.validate()]
            damaged = [Violation(node=file, path=None, message=message) for file, _, message in problems]
            report = attrs.evolve(report, violations=(*damaged, *report.violations))
    if as_json:
        echo_json({"conforms": report.conforms, **attrs.asdict(report)})
    else:
        if report.shapes is not None:
            rows = [(item.type, item.checked, item.rows) for item in report.shapes]
            echo(Table(columns=("type", "checked", "of"), rows=rows).render(ResultFormat.TABLE))
        echo(f"{report.references:,} references followed")
        for violation in report.violations[:_SHOWN_VIOLATIONS]:
            path = f" {violation.path}" if violation.path else ""
            echo(printable(f"{violation.node}{path}: {violation.message}"))
        if len(report.violations) > _SHOWN_VIOLATIONS:
            echo(f"{len(report.violations) - _SHOWN_VIOLATIONS:,} more (--json shows all)")
        if report.violations:
            number = len(report.violations)
            echo(f"does not conform: {number:,} {'violation' if number == 1 else 'violations'}")
        elif report.conforms:
            echo("conforms")
    if report.shapes is None:
        raise ConfigurationError(
            "the shapes were not checked: pyshacl is not installed", remedy="pip install 'kgscripts[shacl]'"
        )
    if report.violations:
        raise typer.Exit(2)


def _asker() -> Callable[[str], str] | None:
    """A prompt for passwords, if standard input is a terminal."""
    return ask_secretly if sys.stdin.isatty() else None


@contextmanager
def _bar(name: str, graph: StoredGraph) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """What advances a progress bar and names its phase: elsewhere than on a terminal, a phase is a line."""
    with progress_bar() as bar:
        rows = sum(map(graph.manifest.rows, (*NODE_TYPES, *RELATION_TYPES)))
        task = bar.add_task(name, total=rows)

        def begin(phase: str) -> None:
            bar.update(task, description=f"{name}: {phase}")
            if bar.disable:
                echo(f"{name}: {phase}", err=True)

        yield lambda done: bar.advance(task, done), begin
