"""`kgscripts serve`: a graph over HTTP, read only."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.everyday_scripts.graph import as_graph
from schemas.errors import ConfigurationError, InputError
from schemas.input_files import open_input
from schemas.terminal import echo, printable

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LEAST_TOKEN, _MOST_TOKEN = 16, 4_096


def serve(
    directories: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Graph directories, or `everyday`.",
            callback=lambda given: list(map(as_graph, given)),
            show_default=False,
        ),
    ],
    host: Annotated[str, typer.Option(help="The address to listen at; another than this machine needs a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=1, max=65_535, help="The port.")] = 8080,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Each request needs the token in this file.", show_default=False),
    ] = None,
    cors: Annotated[
        str | None,
        typer.Option(metavar="ORIGIN", help="Pages of this origin may send requests; * for all.", show_default=False),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another limit than /limits shows.", show_default=False),
    ] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Who has the token may correct the graphs.")] = False,
) -> None:
    """Serve a graph: the page of `kgscripts explore` at /, a page for queries at /query, SPARQL at /sparql, Cypher at
    /cypher, JSON at /api. Several graphs are at /g/NAME/.

    Without --edit nothing can be changed. Queries run in confined processes, as those of `kgscripts query`; /limits
    shows the limits. A graph that is built again is taken up by itself. What is missing, as `kgscripts prepare` makes
    it, is made meanwhile: requests that need it get 503, and searches compare words only.

    Example: kgscripts serve graph

    Example: kgscripts serve graph recipes --token-file token --edit

    Example: curl "http://127.0.0.1:8080/api/search?question=dry+the+noodles"
    """
    try:
        from exports.serve.app import application
        from exports.serve.limits import limits_of
        from exports.serve.running import listening, run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("uvicorn", "starlette", "anyio"):
            raise
        raise ConfigurationError("the server is not installed", remedy="pip install 'kgscripts[serve]'") from None
    if host not in _LOOPBACK and token_file is None:
        raise ConfigurationError(
            f"{host} can be reached by others", where="--host", remedy="give a token: --token-file FILE"
        )
    limits = limits_of(set_ or ())
    token = None if token_file is None else _token(token_file)
    with listening(host, port) as listener:
        served = application(directories, limits=limits, token=token, origin=cors, edit=edit)
        shown = f"[{host}]" if ":" in host else host
        names = printable(str(directories[0])) if len(directories) == 1 else f"{len(directories)} graphs"
        echo(f"serving {names} at http://{shown}:{port}/ (Ctrl-C ends it)", err=True)
        run(served, listener, limits, served.state.ends)


def _token(file: Path) -> str:
    with open_input(file) as stream:
        token = stream.read(_MOST_TOKEN).decode("utf-8", "replace").strip()
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"this is no token of {_LEAST_TOKEN} or more printable ASCII characters",
            where=str(file),
            remedy="make one: python -c 'import secrets; print(secrets.token_urlsafe())' > FILE",
        )
    return token
