"""`kgscripts serve`: a graph over HTTP, read only."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from schemas.errors import ConfigurationError, InputError
from schemas.input_files import open_input
from schemas.terminal import echo, printable

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LEAST_TOKEN, _MOST_TOKEN = 16, 4_096
_HEADER_BYTES = 32 << 10
_SECONDS_TO_END = 10
_SWITCH_SECONDS = 0.0005
"""How long a thread that has an answer waits for one that computes; Python's own 5 ms are longer than most answers
take."""


def serve(
    directories: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Graph directories.", show_default=False)],
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
    shows the limits. A graph that is built again is taken up by itself.

    Example: kgscripts serve graph

    Example: kgscripts serve graph recipes --token-file token --edit

    Example: curl "http://127.0.0.1:8080/api/search?question=dry+the+noodles"
    """
    try:
        import uvicorn

        from exports.serve.app import application
        from exports.serve.connections import connections
        from exports.serve.limits import limits_of
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
    config = uvicorn.Config(
        application(directories, limits=limits, token=token, origin=cors, edit=edit),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_graceful_shutdown=_SECONDS_TO_END,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        http=connections(limits),
        ws="none",
        lifespan="off",
    )
    shown = f"[{host}]" if ":" in host else host
    echo(f"serving {_names(directories)} at http://{shown}:{port}/ (Ctrl-C ends it)", err=True)
    # The server ends by itself on a signal and then raises it again, for the handler that was there before.
    signal.signal(signal.SIGTERM, lambda *_: None)
    sys.setswitchinterval(_SWITCH_SECONDS)
    uvicorn.Server(config).run()


def _names(directories: Sequence[Path]) -> str:
    return printable(str(directories[0])) if len(directories) == 1 else f"{len(directories)} graphs"


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
