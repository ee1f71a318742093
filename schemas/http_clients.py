"""HTTP clients and addresses of servers.

Clients use the proxies and certificates of the environment, and no proxy for this machine. Addresses are checked before
use, and shown without passwords.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import unicodedata
from collections.abc import Collection
from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

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


def http_client(address: str, **options: Any) -> httpx.Client:
    """A client for the server at `address`, with options of `httpx.Client`.

    Raises
    ------
    ConfigurationError
        If the proxy or the certificates that the environment names cannot be used.
    """
    transport = _Transport()
    transport.way_to(address)
    return httpx.Client(transport=transport, trust_env=False, **options)


class _Transport(httpx.BaseTransport):
    """The way to each address, also to those of redirects: a proxy of the environment, or none.

    httpx itself would open all proxies at once, and ask one of them for addresses of this machine.
    """

    def __init__(self) -> None:
        self._ways: dict[str | None, httpx.HTTPTransport] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self.way_to(str(request.url)).handle_request(request)

    def close(self) -> None:
        for way in list(self._ways.values()):
            way.close()

    def way_to(self, address: str) -> httpx.HTTPTransport:
        proxy = _proxy(address)
        if proxy not in self._ways:
            try:
                verify = _certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
                self._ways[proxy] = httpx.HTTPTransport(verify=verify, proxy=proxy)
            except (httpx.InvalidURL, ValueError, OSError, ImportError) as error:
                is_socks = isinstance(error, ImportError)
                # The message is left out: it may contain the password of a proxy.
                raise ConfigurationError(
                    f"the network settings of the environment are not valid ({type(error).__name__})",
                    remedy="a SOCKS proxy needs the package socksio: install it, or name the server in NO_PROXY"
                    if is_socks
                    else "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR",
                ) from None
        return self._ways[proxy]


def is_this_machine(host: str) -> bool:
    """Whether a name or an address of a host is one of this machine's loopback."""
    host = host.strip("[]").partition("%")[0].rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            # Short forms, as 127.1.
            address = ipaddress.IPv4Address(socket.inet_aton(host))
        except (OSError, UnicodeError):
            return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _proxy(address: str) -> str | None:
    parts = urlsplit(address)
    host = parts.hostname or ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or is_this_machine(host) or proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


@cache
def _certificates(file: str | None, folder: str | None) -> SSLContext:  # noqa: ARG001, the environment has both
    return httpx.create_ssl_context()
