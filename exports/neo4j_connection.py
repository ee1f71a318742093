"""Connecting to Neo4j: user, address, and errors with remedies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import neo4j
from neo4j.exceptions import (
    AuthError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)
from neo4j.exceptions import (
    ConfigurationError as DriverConfigurationError,
)

from schemas.errors import ConfigurationError, StoreError

RETRY_SECONDS = 30.0
"""Seconds for which a transaction is retried when the server asks for it or is unreachable."""
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


@contextmanager
def connected(uri: str, ask: Callable[[str], str] | None = None) -> Iterator[neo4j.Driver]:
    """A driver for the server at `uri`, with the user of the environment; errors of the server become `StoreError`s.

    The user is `NEO4J_USERNAME` (default neo4j), the password `NEO4J_PASSWORD` or what `ask` returns for a
    prompt. `NEO4J_AUTH=none` is for servers without authentication.

    Raises
    ------
    ConfigurationError
        If there is no password, or the address holds one: every user of the machine can read a command's arguments.
    StoreError
        If the server cannot be reached, refuses the user, has no such database, or fails.
    """
    if "@" in urlsplit(uri).netloc:
        raise ConfigurationError(
            "the address holds a user name",
            where=uri.rpartition("@")[2],
            remedy="set NEO4J_USERNAME and NEO4J_PASSWORD instead: others can read the arguments of a command",
        )
    auth = _credentials(uri, ask)
    options: dict[str, Any] = {"notifications_min_severity": "OFF", "max_transaction_retry_time": RETRY_SECONDS}
    with _explained(uri), _driver(uri, auth, options) as driver:
        driver.verify_connectivity()
        yield driver


def _driver(uri: str, auth: tuple[str, str] | None, options: dict[str, Any]) -> neo4j.Driver:
    try:
        # The driver checks the port only when it connects.
        _ = urlsplit(uri).port
        return neo4j.GraphDatabase.driver(uri, auth=auth, **options)
    except (DriverConfigurationError, ValueError) as error:
        raise ConfigurationError(f"not the address of a Neo4j server ({_first_line(error)})", where=uri) from error


def _credentials(uri: str, ask: Callable[[str], str] | None) -> tuple[str, str] | None:
    if os.environ.get("NEO4J_AUTH") == "none":
        return None
    user = os.environ.get("NEO4J_USERNAME", "neo4j")
    password = os.environ.get("NEO4J_PASSWORD")
    if password is None and ask is not None:
        password = ask(f"Password of {user} at {uri}: ")
    if password is None:
        raise ConfigurationError(
            "there is no password for the server", where=uri, remedy="set NEO4J_USERNAME and NEO4J_PASSWORD"
        )
    return user, password


@contextmanager
def _explained(uri: str) -> Iterator[None]:
    try:
        yield
    except AuthError as error:
        raise StoreError(
            "the server refuses the user name or password",
            where=uri,
            remedy="check NEO4J_USERNAME and NEO4J_PASSWORD; after several wrong ones the server waits a few seconds",
        ) from error
    except (ServiceUnavailable, SessionExpired) as error:
        raise StoreError(
            f"the server cannot be reached or went away ({_first_line(error)})",
            where=uri,
            remedy="check the address, start the server and run this again: nothing that was written is duplicated",
        ) from error
    except (Neo4jError, DriverError) as error:
        code = error.code if isinstance(error, Neo4jError) else None
        raise StoreError(_first_line(error), where=uri, remedy=_REMEDIES.get(code or "", _OTHERWISE)) from error


_OTHERWISE = "see the server's log, then run this again"
_REMEDIES = {
    "Neo.ClientError.Database.DatabaseNotFound": "name one that the server has with --database",
    "Neo.ClientError.Security.Forbidden": "ask for a user who may write to this database",
    "Neo.ClientError.Schema.ConstraintValidationFailed": "the database holds other nodes with the same label and iri: "
    "remove them or export to another database",
    "Neo.DatabaseError.Schema.ConstraintCreationFailed": "the database holds other nodes with the same label and iri: "
    "remove them or export to another database",
}


def _first_line(error: Exception) -> str:
    text = getattr(error, "message", None) or str(error)
    return str(text).strip().partition("\n")[0].rstrip(":")
