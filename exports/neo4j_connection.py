"""Connecting to Neo4j: user, address, time limits, and errors with remedies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import neo4j
from neo4j.exceptions import (
    AuthError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from exports.time_limit import within
from schemas.addresses import check_address, without_user
from schemas.errors import ConfigurationError, KGScriptsError, StoreError

T = TypeVar("T")

RETRY_SECONDS = 30.0
"""Seconds for which a transaction is retried when the server asks for it or is unreachable."""
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
USER = "NEO4J_USERNAME"
PASSWORD = "NEO4J_PASSWORD"
_CONNECT_SECONDS = 30.0
"""The time limit of the first exchange with a server, several attempts and name resolution included."""


@contextmanager
def connected(uri: str, ask: Callable[[str], str] | None = None) -> Iterator[neo4j.Driver]:
    """A driver for the server at `uri`, with the user of the environment; errors of the server become `StoreError`s.

    The user is `NEO4J_USERNAME` (default neo4j), the password `NEO4J_PASSWORD` or what `ask` returns for a
    prompt. `NEO4J_AUTH=none` is for servers without authentication.

    Raises
    ------
    ConfigurationError
        If there is no password, or the address is not valid or contains a user name.
    StoreError
        If the server cannot be reached, refuses the user, has no such database, or fails.
    """
    auth = _credentials(uri, ask)
    with _explained(uri), _driver(uri, auth, _CONNECT_SECONDS) as driver:
        within(_CONNECT_SECONDS, driver.verify_connectivity)
        yield driver


def call_within(
    seconds: float, uri: str, work: Callable[[neo4j.Driver], T], ask: Callable[[str], str] | None = None
) -> T:
    """Return the result of `work`, called with a driver for the server at `uri`, if it takes at most `seconds`.

    Raises
    ------
    ConfigurationError
        As `connected`.
    StoreError
        As `connected`, and after the time limit.
    """
    auth = _credentials(uri, ask)

    def call() -> T:
        with _driver(uri, auth, seconds) as driver:
            return work(driver)

    with _explained(uri):
        try:
            return within(seconds, call)
        except TimeoutError:
            raise StoreError(
                f"the server did not respond within {seconds:g} seconds",
                where=without_user(uri),
                remedy="ask for less, allow more time, or see the server's log",
            ) from None
        except (KGScriptsError, Neo4jError, DriverError):
            raise
        except Exception as error:  # the driver does not check the structure of what it reads
            raise StoreError(
                f"the response cannot be read ({type(error).__name__})",
                where=without_user(uri),
                remedy="check that this is a Neo4j server, and see its log",
            ) from error


def _driver(uri: str, auth: tuple[str, str] | None, seconds: float) -> neo4j.Driver:
    limit = min(seconds, _CONNECT_SECONDS)
    options: dict[str, Any] = {
        "notifications_min_severity": "OFF",
        "max_transaction_retry_time": RETRY_SECONDS,
        "connection_timeout": limit,
        "connection_acquisition_timeout": limit,
    }
    return neo4j.GraphDatabase.driver(uri, auth=auth, **options)


def _credentials(uri: str, ask: Callable[[str], str] | None) -> tuple[str, str] | None:
    check_address(uri, SCHEMES, "Neo4j server", f"set {USER} and {PASSWORD} instead")
    if os.environ.get("NEO4J_AUTH") == "none":
        return None
    user = os.environ.get(USER, "neo4j")
    password = os.environ.get(PASSWORD)
    if password is None and ask is not None:
        password = ask(f"Password of {user} at {without_user(uri)}: ")
    if password is None:
        raise ConfigurationError(
            "there is no password for the server", where=without_user(uri), remedy=f"set {USER} and {PASSWORD}"
        )
    try:
        (user + password).encode()
    except UnicodeError:
        raise ConfigurationError(
            "the user name or password is not valid text", remedy=f"set {USER} and {PASSWORD} in UTF-8"
        ) from None
    return user, password


@contextmanager
def _explained(uri: str) -> Iterator[None]:
    where = without_user(uri)
    try:
        yield
    except AuthError as error:
        raise StoreError(
            "the server refuses the user name or password",
            where=where,
            remedy=f"check {USER} and {PASSWORD}; after several wrong ones the server waits a few seconds",
        ) from error
    except (ServiceUnavailable, SessionExpired, TimeoutError) as error:
        raise StoreError(
            f"the server cannot be reached or went away ({_first_line(error)})",
            where=where,
            remedy="check the address, start the server and run this again: nothing that was written is duplicated",
        ) from error
    except (Neo4jError, DriverError) as error:
        code = error.code if isinstance(error, Neo4jError) else None
        raise StoreError(_first_line(error), where=where, remedy=_REMEDIES.get(code or "", _OTHERWISE)) from error


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
    return str(text).strip().partition("\n")[0].rstrip(":")[:300] or type(error).__name__
