"""Connections to Neo4j: user, address, time limits, and errors with remedies."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, TypeVar

import neo4j
from attrs import frozen
from neo4j.exceptions import (
    AuthError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from schemas.addresses import check_address, without_user
from schemas.errors import ConfigurationError, KGScriptsError, StoreError
from schemas.interrupts import EXPORT_SECONDS, within
from schemas.secrets import hidden, keep_secret

T = TypeVar("T")

RETRY_SECONDS = 30.0
"""Seconds for which a transaction is retried when the server asks for it or is unreachable."""
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
USER = "NEO4J_USERNAME"
PASSWORD = "NEO4J_PASSWORD"
_CONNECT_SECONDS = 30.0
"""The time limit of the first exchange with a server, several attempts and name resolution included."""
_CLOSE_SECONDS = 1.0

# Without a handler, Python would print the driver's warnings, which quote servers, to standard error.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


@frozen
class Database:
    """A database of a server, for exports.

    Each transaction has the time limit `EXPORT_SECONDS`. All methods raise `StoreError` if the server fails, does not
    respond in time, or responds with something else than was asked for; after that, the database cannot be used.
    """

    _uri: str
    _driver: neo4j.Driver
    _session: neo4j.Session
    _name: str | None

    def run(self, query: str) -> None:
        """Run a query that cannot be part of a transaction."""
        self._call(lambda: self._session.run(query).consume())

    def read(self, query: str, parameters: dict[str, object]) -> int:
        """Return the number that a query returns; transient errors are retried for `RETRY_SECONDS`."""
        return self._call(lambda: self._session.execute_read(self._number, query, parameters))

    def write(self, query: str, parameters: dict[str, object]) -> int:
        """As `read`, for a query that writes and may be repeated."""
        return self._call(lambda: self._session.execute_write(self._number, query, parameters))

    def pages(self, query: str, parameters: dict[str, object], size: int) -> Iterator[list[object]]:
        """Iterate over the values of the only column of a result, `size` at a time.

        They are read in a session of their own, so that `write` can be called in between.
        """
        session = self._driver.session(database=self._name)
        result = self._call(lambda: session.run(query, parameters))
        while page := self._call(lambda: [record[0] for record in islice(result, size)]):
            yield page
        self._call(session.close)

    def _call(self, work: Callable[[], T]) -> T:
        return _call(self._uri, EXPORT_SECONDS, work)

    def _number(self, transaction: neo4j.ManagedTransaction, query: str, parameters: dict[str, object]) -> int:
        try:
            number = transaction.run(query, parameters).single(strict=True)[0]
            if type(number) is not int or number < 0:
                raise ValueError("a count is a number")
        except (Neo4jError, DriverError):
            raise
        except Exception:
            # The driver would roll back, and wait without end for the rest of a response that it could not read.
            self._driver.close()
            raise
        return number


@contextmanager
def connected(uri: str, database: str | None, ask: Callable[[str], str] | None = None) -> Iterator[Database]:
    """A database of the server at `uri`, with the user of the environment.

    The user is `NEO4J_USERNAME` (default neo4j), the password `NEO4J_PASSWORD` or what `ask` returns for a
    prompt. `NEO4J_AUTH=none` is for servers without authentication.

    Raises
    ------
    ConfigurationError
        If there is no password, or the address is not valid or contains a user name.
    StoreError
        If the server cannot be reached or refuses the user.
    """
    with _driver(uri, ask, _CONNECT_SECONDS) as driver:
        _call(uri, _CONNECT_SECONDS, driver.verify_connectivity)
        session = driver.session(database=database)
        yield Database(uri, driver, session, database)
        session.close()  # after an error it would wait for the server


def call_within(
    seconds: float, uri: str, work: Callable[[neo4j.Driver], T], ask: Callable[[str], str] | None = None
) -> T:
    """Return the result of `work`, called with a driver for the server at `uri`, if it takes at most `seconds`.

    Raises
    ------
    ConfigurationError
        As `connected`.
    StoreError
        As `connected`, if the server has no such database or fails, and after the time limit.
    """
    with _driver(uri, ask, seconds) as driver:
        return _call(uri, seconds, lambda: work(driver))


@contextmanager
def _driver(uri: str, ask: Callable[[str], str] | None, seconds: float) -> Iterator[neo4j.Driver]:
    """A driver that is closed without waiting for the server. This also ends the threads that `within` abandoned."""
    auth = _credentials(uri, ask)
    limit = min(seconds, _CONNECT_SECONDS)
    options: dict[str, Any] = {
        "notifications_min_severity": "OFF",
        "max_transaction_retry_time": RETRY_SECONDS,
        "connection_timeout": limit,
        "connection_acquisition_timeout": limit,
    }
    driver = _call(uri, seconds, lambda: neo4j.GraphDatabase.driver(uri, auth=auth, **options))
    try:
        yield driver
    finally:
        with suppress(Exception):
            within(_CLOSE_SECONDS, driver.close)


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
    keep_secret(password)
    try:
        (user + password).encode()
    except UnicodeError:
        raise ConfigurationError(
            "the user name or password is not valid text", remedy=f"set {USER} and {PASSWORD} in UTF-8"
        ) from None
    return user, password


def _call(uri: str, seconds: float, work: Callable[[], T]) -> T:
    """Return the result of `work` if it takes at most `seconds`; whatever the driver raises becomes a `StoreError`."""
    where = without_user(uri)
    try:
        return within(seconds, work)
    except KGScriptsError:
        raise
    except TimeoutError:
        raise StoreError(
            f"the server did not respond within {seconds:g} seconds",
            where=where,
            remedy="see the server's log, then run this again; for a query, ask for less or allow more time",
        ) from None
    except AuthError:
        raise StoreError(
            "the server refuses the user name or password",
            where=where,
            remedy=f"check {USER} and {PASSWORD}; after several wrong ones the server waits a few seconds",
        ) from None
    except (ServiceUnavailable, SessionExpired) as error:
        raise StoreError(
            f"the server cannot be reached or went away ({_first_line(error)})",
            where=where,
            remedy="check the address, start the server and run this again: nothing that was written is duplicated",
        ) from None
    except (Neo4jError, DriverError) as error:
        code = error.code if isinstance(error, Neo4jError) else None
        raise StoreError(_first_line(error), where=where, remedy=_REMEDIES.get(code or "", _OTHERWISE)) from None
    except Exception as error:  # noqa: BLE001, the driver does not check the structure of what it reads
        raise StoreError(
            f"the response cannot be read ({type(error).__name__})",
            where=where,
            remedy="check that this is a Neo4j server, and see its log",
        ) from None


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
    return hidden(str(text)).strip().partition("\n")[0].rstrip(":")[:300] or type(error).__name__
