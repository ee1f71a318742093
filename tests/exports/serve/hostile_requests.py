"""Requests that try to break a server, in families with the statuses that each may get.

A request of a family without statuses is not complete: the server closes without an answer when the client ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from attrs import frozen

Statuses = frozenset[int]
Families = Iterator[tuple[str, Statuses, Iterable[bytes]]]
"""Names of families, the statuses that their requests may get, and the requests."""

OK, BAD, CLOSED = Statuses({200}), Statuses({400}), Statuses()
DIRECT, FORM = "Content-Type: application/sparql-query", "Content-Type: application/x-www-form-urlencoded"
CHUNKED = "Transfer-Encoding: chunked"
END = b"0\r\n\r\n"
"""The last chunk of a body."""
MANY = 10_000


@frozen
class Hostile:
    """A request, and the statuses that it may get; none if the server closes without an answer."""

    request: bytes
    statuses: Statuses


def sent(line: str, *headers: str | bytes, body: bytes = b"", host: str = "localhost") -> bytes:
    """A request with these headers and no others but its host."""
    lines = [line, f"Host: {host}", *headers, "", ""]
    return b"\r\n".join(item if isinstance(item, bytes) else item.encode() for item in lines) + body


def get(target: str, *headers: str | bytes) -> bytes:
    return sent(f"GET {target} HTTP/1.1", *headers)


def post(target: str, body: bytes, *headers: str | bytes) -> bytes:
    return sent(f"POST {target} HTTP/1.1", f"Content-Length: {len(body)}", *headers, body=body)


def sparql(query: str | bytes) -> bytes:
    return post("/sparql", query if isinstance(query, bytes) else query.encode(), DIRECT)


def cypher(query: str, **parameters: object) -> bytes:
    return post("/cypher", json.dumps({"query": query, "parameters": parameters}).encode())


def chunked(body: bytes, target: str = "/sparql") -> bytes:
    return sent(f"POST {target} HTTP/1.1", DIRECT, CHUNKED, body=body)


def joined(*families: Families) -> dict[str, Hostile]:
    """The requests by the name and number that tests have."""
    return {
        f"{name}-{number}": Hostile(request, statuses)
        for family in families
        for name, statuses, requests in family
        for number, request in enumerate(requests)
    }


# One request a line would make these tables three times as long.
# fmt: off
_HIDDEN = get("/api/scenarios")
"""What must not be taken for a request where it is part of another one."""


def lines() -> Families:
    """Request lines, and the first bytes of other protocols."""
    rest = b"\r\nHost: localhost\r\n\r\n"
    wrong = [
        b"GET", b"GET ", b"GET /limits", b"GET  /limits HTTP/1.1", b"GET /limits HTTP/1.1 ", b" GET /limits HTTP/1.1",
        b"GET /limits HTTP/1.", b"GET /limits HTTP/1", b"GET /limits HTTP/1.1.1", b"GET /limits HTTP/-1.1",
        b"GET /limits HTTP/1.\xb2", b"GET /limits http/1.1", b"GET\t/limits\tHTTP/1.1", b"G\x00T / HTTP/1.1",
        b"G(T / HTTP/1.1", b"GET / x HTTP/1.1", b"GET /\xff\xfe HTTP/1.1", b"GET /\x00 HTTP/1.1", b"GET /\x7f HTTP/1.1",
        b"GET /\r/limits HTTP/1.1", b"GET " + b"/a" * 50_000, b"A" * 100_000, b":" * 100, bytes(range(256)), b"\0" * 99,
    ]
    yield "line", BAD, [line + rest for line in wrong]
    versions = (b"0.9", b"1.0", b"1.2", b"2.0", b"9.9")
    yield "version", OK | {400, 505}, [b"GET /limits HTTP/%b%b" % (version, rest) for version in versions]
    yield "line-end", OK | BAD, [b"GET /limits HTTP/1.1\nHost: localhost\n\n", b"\r\n\r\n", b"\r\n" * 5]
    yield "http2", Statuses({400, 421, 505}), [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    yield "protocol", BAD, [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x80\x2e\x01\x03\x01\x00", b"SSH-2.0-OpenSSH_9.9\r\n\r\n",
        b"EHLO localhost\r\n\r\n", b"stats\r\n\r\n", b"*1\r\n$4\r\nINFO\r\n\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + _HIDDEN, b"\r\n\r\n\x00\r\nQUIT\n\x21\x11" + _HIDDEN,
    ]
    targets = ("*", "//evil.example/limits", "http://evil.example/limits", "evil.example:80", "?", "/sparql/")
    yield "target", Statuses({307, 400, 404, 421}), map(get, targets)
    websocket = ("Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13")
    upgrades = (websocket, ("Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"), ("Upgrade: TLS/1.0",))
    yield "upgrade", OK, [get("/limits", "Connection: Upgrade", *headers) for headers in upgrades]


def methods() -> Families:
    wrong = ("TRACE", "TRACK", "PUT", "DELETE", "PATCH", "PROPFIND", "PURGE", "DEBUG", "get", "A" * MANY)
    targets = ("/", "/sparql", "/cypher", "/api/scenarios", "/data/x")
    yield "method", Statuses({405}), [sent(f"{method} {target} HTTP/1.1") for method in wrong for target in targets]
    yield "connect", Statuses({400, 404, 405}), [sent("CONNECT evil.example:80 HTTP/1.1")]


def bodies_with_two_ends() -> Families:
    """Bodies that end at different places for different servers (request smuggling)."""
    body = END + _HIDDEN

    def posted(*headers: str) -> bytes:
        return sent("POST /sparql HTTP/1.1", DIRECT, *headers, body=body)

    # RFC 9112, section 6.1: the connection must be closed after a request with both.
    both = [(f"Content-Length: {length}", CHUNKED) for length in (len(body), len(END), 0, 5)]
    yield "length-and-chunks", BAD, [posted(*headers) for pair in both for headers in (pair, pair[::-1])]
    codings = (
        "xchunked", "identity", "chunked, identity", "gzip, chunked", "chunked, chunked", '"chunked"', "chunked;q=1",
        "\x0bchunked", "chunked\x00", "chunk\u00e9d", "", ",chunked", f"chunked\r\n{CHUNKED}", f"identity\r\n{CHUNKED}",
    )
    headers = ("Transfer-Encoding : chunked", "Transfer-Encoding\r\n: chunked", "Transfer_Encoding: chunked\rX: y")
    wrong = [*headers, *(f"Transfer-Encoding: {coding}" for coding in codings)]
    yield "coding", Statuses({400, 501}), [posted(header) for header in wrong]
    lengths = (
        "+5", "-5", "5, 6", "0x5", "5 5", "5\r\nContent-Length: 6", "1e1", "\u0665", "", "9" * 30, "5.0", "5;", "\xb2",
        "5,", "5\x00", "5_0",
    )
    yield "length", BAD, [posted(f"Content-Length: {length}") for length in lengths]
    yield "folded", Statuses({400, 415}), [posted(" Transfer-Encoding: chunked")]
    yield "hidden", OK, [
        get("/limits", f"Content-Length: {len(_HIDDEN)}") + _HIDDEN,
        get("/limits", CHUNKED) + b"%x\r\n%b\r\n" % (len(_HIDDEN), _HIDDEN) + END,
    ]


def chunks() -> Families:
    sizes = (
        b"ZZ", b"-1", b"0x5", b"+5", b"5 5", b"5\x00", b"", b"F" * 21, b"5;" + b"e" * 100_000, b"\xb2", b"5\n\n", b"_5",
    )
    yield "chunk", BAD, [chunked(size + b"\r\nASK {\r\n" + END) for size in sizes]
    trailers = (b"Host : evil.example\r\n", b"A: b\r\n" * MANY, b"Host: x\r\nContent-Length: 9\r\n", b"A\r\n")
    yield "chunk-end", BAD, [chunked(b"5\r\nASK {}\r\n" + END), *(chunked(b"0\r\n%b\r\n" % each) for each in trailers)]
    pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in b"ASK {}" + b" " * MANY)
    yield "chunks", OK, [chunked(pieces + END)]


def headers() -> Families:
    wrong = (
        "A", ": b", "A : b", "A\x00: b", b"A\xe9: b", "A: b\x00c", "A: b\rc", "A: b\r\rc", "A(: b", "Host: localhost",
        "Host: evil.example",
    )
    yield "header", BAD, [*(get("/limits", header) for header in wrong), b"GET /limits HTTP/1.1\r\n\r\n"]
    many = "\r\n".join(f"A{number}: b" for number in range(MANY))
    # Refused if they arrive in pieces.
    large = ("A: " + "a" * 100_000, "a" * 100_000 + ": b", many)
    yield "large-header", Statuses({200, 400, 431}), [get("/limits", header) for header in large]
    odd = (
        "A: b\r\n c", "A: b\r\n\tc", b"A: \xff\xfe", b"A: \x01\x7f", "A:", "a" * 1_000 + ": b", "Expect: 200-ok",
        "Forwarded: for=x", "X-Forwarded-Host: evil.example", "Authorization: Bearer " + "a" * 5_000,
        "Connection: host",
        b"Authorization: \xff", "Cookie: " + "a=b;" * 1_000, "Connection: keep-alive, keep-alive",
        "Keep-Alive: timeout=9",
    )
    yield "odd-header", OK, [get("/limits", header) for header in odd]
    hosts = (
        "evil.example", "evil:80", "", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "[::2]", "0.0.0.0",
        "127.1", "2130706433", "localhost@evil.example", "a" * 5_000, "evil.example/localhost",
        "evil.example#localhost",
        "localhost, evil.example", "\u212aocalhost", "\u202elocalhost",
    )
    yield "host", Statuses({400, 421}), [sent("GET /limits HTTP/1.1", host=host) for host in hosts]
    ports = ("x", "99999", "80:80", "<>", "> .<a:a> <a:b> <a:c", "\"'")
    yield "port", Statuses({200, 400, 421}), [sent("GET /sparql HTTP/1.1", host=f"localhost:{port}") for port in ports]
    origins = (
        "null", "http://evil.example", "http://localhost.evil.example", "http://localhost@evil.example", "file://", "*",
        "http://localhost:1", "",
    )
    yield "origin", Statuses({403}), [get("/limits", f"Origin: {origin}") for origin in origins]


def preferences() -> Families:
    """Headers by which a client prefers an answer."""
    accepts = (
        "," * 5_000, "*/*," * 2_000, "a/b;q=1e309", "*/*;q=nan", "*/*;" + "a=b;" * 2_000, '"', "*", "/", "text/*;q=-1",
        "text/html;q=\u0661",
    )
    asked = "/sparql?query=ASK%20%7B%7D"
    yield "accept", Statuses({200, 406}), [get(asked, f"Accept: {accept}") for accept in accepts]
    ranges = ("bytes=0-", "bytes=-1", "bytes=0-0," * 1_000, f"bytes={'9' * 1_000}-", "bytes=5-1", "lines=1-2", "bytes")
    yield "range", OK, [get("/api/scenarios", f"Range: {item}", 'If-Range: "x"') for item in ranges]
    tags = ("*", 'W/"x",' * 1_000, '"', "W/", "\u00e9", "," * 5_000)
    yield "tag", Statuses({200, 304}), [get("/api/scenarios", f"If-None-Match: {tag}") for tag in tags]
    names = ("gzip;q=0", "gzip," * 1_000, "br, zstd", "\u00e9")
    yield "encoding", OK, [get("/api/scenarios", f"Accept-Encoding: {name}") for name in names]


def incomplete() -> Families:
    whole = post("/sparql", b"ASK {}", DIRECT)
    yield "cut", CLOSED, [whole[:end] for end in range(0, len(whole), 11)]
    bodies = (b"", b"5\r\nAS", b"6\r\nASK {}\r\n", b"6\r\nASK {}\r\n0\r\n", b"FFFFFF\r\n", b"F" * 20 + b"\r\nASK {}")
    yield "unfinished", CLOSED, [
        *map(chunked, bodies), get("/limits")[:-2] + b"A: b" * 1_000,
        sent("POST /sparql HTTP/1.1", DIRECT, "Content-Length: 9", "Expect: 100-continue"),
    ]
