"""HTTP clients: the proxies and certificates of the environment, and none of the proxies for this machine."""

from __future__ import annotations

import ipaddress
import os
import socket
from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from schemas.errors import ConfigurationError


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
    # ::ffff:127.0.0.1 is this machine, too.
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
