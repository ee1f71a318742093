"""Addresses of servers: checked before use, and shown without passwords.

Users and passwords come from the environment or a prompt. Other users of the machine can read a command's arguments, so
an address that contains a user name is refused, and no message repeats it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from schemas.errors import ConfigurationError

_ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+]*)://(?P<host>[\w.-]+|\[[0-9a-z:.%]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^\s\\?#@]*)?(?:\?[^\s\\#@]*)?(?P<fragment>#[^\s\\@]*)?",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(?:sparql\+)?https?|(?:neo4j|bolt)(?:\+s|\+ssc)?", re.IGNORECASE)
_HIGHEST_PORT = 65_535


def without_user(address: str) -> str:
    """Return what may be shown of `address`: scheme, host, port and path, without user, query and fragment.

    Of an address that is not valid only a known scheme is left: a misspelt user name or password may be anywhere in it.
    """
    if parts := _parts(address):
        return address[: parts.end("path") if parts["path"] else parts.end("port" if parts["port"] else "host")]
    scheme = address.partition(":")[0]
    return f"{scheme}://..." if _SCHEME.fullmatch(scheme) else "..."


def holds_user(address: str) -> bool:
    """Whether `address` contains an @, or another character that some libraries read as one."""
    return "@" in unicodedata.normalize("NFKC", address)


def check_address(address: str, schemes: Collection[str], server: str, instead: str) -> None:
    """Check that `address` is the address of a `server` and contains neither user name nor fragment.

    `instead` says how to give the user name.

    Raises
    ------
    ConfigurationError
        If it is not valid.
    """
    if holds_user(address):
        raise ConfigurationError(
            "the address holds a user name",
            where=without_user(address),
            remedy=f"{instead}: others can read the arguments of a command (an @ in a path is written %40)",
        )
    parts = _parts(address)
    if parts is None or parts["scheme"].lower() not in schemes:
        raise ConfigurationError(
            f"not the address of a {server}",
            where=without_user(address),
            remedy=f"it has the form {next(iter(schemes))}://HOST:PORT",
        )
    if parts["fragment"] is not None:
        raise ConfigurationError(
            "the address has a fragment, which no server sees",
            where=without_user(address),
            remedy="leave out # and what follows (a # in a path is written %23)",
        )


def _parts(address: str) -> re.Match[str] | None:
    parts = _ADDRESS.fullmatch(address)
    if parts is None or not address.isprintable() or holds_user(address):
        return None
    return parts if 1 <= int(parts["port"] or 1) <= _HIGHEST_PORT else None
