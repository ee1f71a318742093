"""`kgscripts serve`: a graph over HTTP, read only."""

from __future__ import annotations

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


def serve(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.", show_default=False)],
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
) -> None:
    """Serve a graph: the page of `kgscripts explore` at /, SPARQL at /sparql, Cypher at /cypher, JSON at /api.

    Nothing can be changed. Queries run in confined processes, as those of `kgscripts query`; /limits shows the limits.
    A graph that is built again is taken up by itself.

    Example: kgscripts serve graph

    Example: curl "http://127.0.0.1:8080/api/search?question=dry+the+noodles"
    """
    try:
        import uvicorn

        from exports.serve.app import application
        from exports.serve.limits import ServerLimits
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("uvicorn", "starlette", "anyio"):
            raise
        raise ConfigurationError("the server is not installed", remedy="pip install 'kgscripts[serve]'") from None
    if host not in _LOOPBACK and token_file is None:
        raise ConfigurationError(
            f"{host} can be reached by others", where="--host", remedy="give a token: --token-file FILE"
        )
    limits = ServerLimits()
    token = None if token_file is None else _token(token_file)
    config = uvicorn.Config(
        application(directory, limits=limits, token=token, origin=cors),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_graceful_shutdown=_SECONDS_TO_END,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        http="h11",
        ws="none",
        lifespan="off",
    )
    shown = f"[{host}]" if ":" in host else host
    echo(f"serving {printable(str(directory))} at http://{shown}:{port}/ (Ctrl-C ends it)", err=True)
    uvicorn.Server(config).run()


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
