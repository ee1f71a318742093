"""`kgscripts mcp`: a graph as tools of an assistant."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscripts.commands.options import GraphFolder
from schemas.errors import ConfigurationError
from schemas.terminal import echo


def mcp(
    directory: GraphFolder,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65_535, help="Serve streamable HTTP on this port of this machine.", show_default=False),
    ] = None,
) -> None:
    """Serve a graph to an assistant by the Model Context Protocol: on standard input and output, or over HTTP.

    Its tools are search, script, needs, tools_for, changes, plan, passage and sparql; nothing can be changed.

    Example: kgscripts mcp graph

    Example: kgscripts mcp graph --port 8765
    """
    try:
        from exports.mcp.server import mcp_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "pydantic"):
            raise
        raise ConfigurationError(
            "the SDK of the protocol is not installed", remedy="pip install 'kgscripts[mcp]'"
        ) from None
    server = mcp_server(directory)
    if port is None:
        server.run("stdio")
        return
    from exports.serve.guards import Guards
    from exports.serve.limits import ServerLimits
    from exports.serve.running import listening, run

    limits = ServerLimits()
    listener = listening("127.0.0.1", port)
    echo(f"serving {directory} at http://127.0.0.1:{port}/mcp (Ctrl-C ends it)", err=True)
    run(Guards(server.streamable_http_app(), limits), listener, limits, has_lifespan=True)
