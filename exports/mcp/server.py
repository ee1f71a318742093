"""The server of an assistant's tools over one graph: the Model Context Protocol, by its official SDK. On standard input
and output each call that cannot be read is answered too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, ParamSpec

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import Field, ValidationError

from exports import answers
from exports.answers import short_changes, short_found, short_needs, short_passages, short_script, short_tools
from exports.graph import ScriptGraph
from exports.query.sparql import run_query
from exports.rdf.ontology import ontology_text
from kgscripts.search.entries import Kind
from schemas.errors import KGScriptsError
from schemas.terminal import finite, json_text

_ID = re.compile(r'"id"\s*:\s*(-?\d{1,15}\b|"[^"\\]{0,200}")(?!\.)')


class StandardServer(MCPServer[Any]):
    """The SDK's server, which would log what it cannot read and let the assistant wait."""

    async def run_stdio_async(self) -> None:
        """Serve until standard input ends."""
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)

            async def pass_on() -> None:
                async with send:
                    async for item in read:
                        if isinstance(item, Exception):
                            await write.send(SessionMessage(_refusal(item)))
                        else:
                            await send.send(item)

            tasks.start_soon(pass_on)
            server = self._lowlevel_server
            await server.run(receive, write, server.create_initialization_options())


def _refusal(error: Exception) -> JSONRPCError:
    inputs = [item["input"] for item in error.errors()] if isinstance(error, ValidationError) else []
    message = next((item for item in inputs if isinstance(item, dict)), inputs[0] if inputs else None)
    said = "the message is no request: it must be JSON-RPC 2.0 in valid Unicode, with an id that is text or a number"
    return JSONRPCError(jsonrpc="2.0", id=_id_of(message), error=ErrorData(code=PARSE_ERROR, message=said))


def _id_of(message: object) -> int | str | None:
    """The id of a message that cannot be read, as far as it can be told."""
    content: Any = message
    if isinstance(message, str):
        try:
            content = json.loads(message)
        except (ValueError, RecursionError):
            # The assistant knows an answer by its id, which can be told in broken JSON, too.
            match = _ID.search(message)
            content = {"id": json.loads(match[1])} if match else None
    number = content.get("id") if isinstance(content, dict) else None
    if isinstance(number, str):
        return number.encode("utf-8", "replace").decode()
    # The type itself, since True is an int, too.
    return number if type(number) is int else None


_INSTRUCTIONS = (
    "A graph of script knowledge: how everyday things are done, step by step, read in texts. Begin with `search`, then "
    "name scenarios and steps as it gives them. Everything is what texts tell: `sources` is the number of texts, and "
    "`passage` quotes them."
)

Values = dict[str, Any]

_MOST_FOUND, _MOST_STEPS, _MOST_PASSAGES, _MOST_ROWS = 50, 100, 10, 1_000
"""The largest numbers that a call may ask for."""
_QUERY_SECONDS = 20.0
"""The time limit of a query."""
_P = ParamSpec("_P")
Scenario = Annotated[str, Field(description="The name of a scenario, as `search` gives it, or another name of it.")]
Step = Annotated[str, Field(description="The name of one of its steps, as `script` or `search` gives it.")]


def mcp_server(directory: Path) -> MCPServer[Any]:
    """A server over the graph in a directory. A graph that is built again there is used from the next call on.

    Raises
    ------
    GraphDirectoryError
        If there is no graph.
    """
    ScriptGraph.open(directory)
    server = StandardServer("kgscripts", instructions=_INSTRUCTIONS, version=metadata.version("kgscripts"))
    for tool in _tools(directory):
        server.tool()(_explaining(tool))

    @server.resource("kgscripts://statistics", mime_type="application/json")
    def statistics() -> str:
        """The numbers of nodes and relations."""
        manifest = ScriptGraph.open(directory).manifest
        rows = {name: manifest.rows(name) for name in sorted(manifest.tables)}
        return json_text({"build": manifest.build_id, "base_iri": manifest.base_iri, "rows": rows})

    @server.resource("kgscripts://schema", mime_type="text/turtle")
    def schema() -> str:
        """The ontology, for `sparql`."""
        return ontology_text()

    return server


def _tools(directory: Path) -> list[Callable[..., Values]]:
    """The tools. Their docstrings are what an assistant reads."""

    def search(
        question: Annotated[str, Field(description="What is looked for, in any words.")],
        kind: Annotated[Kind | None, Field(description="Find only these.")] = None,
        limit: Annotated[int, Field(ge=1, le=_MOST_FOUND, description="At most this number of each kind.")] = 5,
    ) -> Values:
        """Find steps, tools and scenarios by words and meaning, the best of each kind first."""
        return short_found(answers.search(ScriptGraph.open(directory), question, kind or "", limit))

    def script(
        scenario: Scenario,
        limit: Annotated[int, Field(ge=1, le=_MOST_STEPS, description="At most this number, the most usual.")] = 30,
    ) -> Values:
        """How a scenario is done: its usual steps in reading order, with tools, participants and changes.

        `order` has the pairs of numbers of steps of which the first must come before the second; others are free.
        """
        return short_script(answers.script(ScriptGraph.open(directory), scenario, limit, 0))

    def needs(scenario: Scenario) -> Values:
        """The tools and supplies that one needs for a scenario, each with a passage."""
        return short_needs(answers.needs(ScriptGraph.open(directory), scenario, 1))

    def tools_for(
        action: Annotated[str, Field(description="An action in words: 'open a tin'.")],
        limit: Annotated[int, Field(ge=1, le=20, description="At most this number of steps.")] = 3,
    ) -> Values:
        """The tools that texts use for an action: those of the steps that are nearest to it."""
        return short_tools(answers.tools(ScriptGraph.open(directory), action, limit))

    def changes(scenario: Scenario, step: Step) -> Values:
        """What a step changes: attribute of entity, before and after; *certain* or *likely*."""
        return short_changes(answers.step(ScriptGraph.open(directory), scenario, step, 0, causes=False))

    def plan(
        scenario: Scenario,
        likely: Annotated[bool, Field(description="Plan with likely changes too, not only with certain ones.")] = False,
    ) -> Values:
        """A scenario as a plan: what each step requires, which earlier step brings that about, and its effects."""
        return answers.plan(ScriptGraph.open(directory), scenario, likely).to_dict()

    def passage(
        scenario: Scenario,
        step: Step,
        limit: Annotated[int, Field(ge=1, le=_MOST_PASSAGES, description="At most this number.")] = 3,
    ) -> Values:
        """The sentences of texts in which a step was read, with their source and position."""
        return short_passages(answers.step(ScriptGraph.open(directory), scenario, step, limit, causes=False))

    def sparql(
        query: Annotated[str, Field(description="A query that only reads; kgs:, skos: and others are known.")],
    ) -> Values:
        """Ask the graph in SPARQL 1.1. The resource `kgscripts://schema` has its classes and properties."""
        graph = ScriptGraph.open(directory)
        table = run_query(graph, query, timeout=_QUERY_SECONDS, max_rows=_MOST_ROWS)
        return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}

    return [search, script, needs, tools_for, changes, plan, passage, sparql]


def _explaining(tool: Callable[_P, Values]) -> Callable[_P, Values]:
    """The tool, whose errors are answers that say what to do."""

    @wraps(tool)
    def call(*arguments: _P.args, **named: _P.kwargs) -> Values:
        try:
            values: Values = finite(tool(*arguments, **named))
            return values
        except KGScriptsError as error:
            raise ToolError(str(error).encode("utf-8", "replace").decode()) from error

    return call
