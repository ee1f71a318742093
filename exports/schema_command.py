"""`kgscripts schema`: the schema of the graph, and of scripts as JSON, as files."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from exports.neo4j.property_graph import constraints_text
from exports.rdf.context import context_text
from exports.rdf.ontology import ontology_text
from exports.rdf.shapes import shapes_text
from kgscripts.scripts.types import script_schema
from schemas.errors import ConfigurationError
from schemas.output_files import write_lines
from schemas.terminal import echo, json_text


class SchemaFile(StrEnum):
    """The parts of the schema."""

    ONTOLOGY = "ontology"
    SHAPES = "shapes"
    CONTEXT = "context"
    CONSTRAINTS = "constraints"
    SCRIPT = "script"


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
    graphs, or the JSON Schema of a script, as `kgscripts show --json` prints it.

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
    }
    text = texts[file]()
    if output is None:
        echo(text.rstrip("\n"))
        return
    write_lines(output, text.splitlines())
