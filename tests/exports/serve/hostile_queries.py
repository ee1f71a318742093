"""Addresses, bodies and queries that try to break a server, as families of `hostile_requests`."""

from __future__ import annotations

import gzip
import json
from urllib.parse import quote

from tests.exports.serve.hostile_requests import (
    BAD,
    CHUNKED,
    DIRECT,
    FORM,
    MANY,
    OK,
    Families,
    Statuses,
    cypher,
    get,
    post,
    sent,
    sparql,
)

_FILE = "/etc/passwd"
_NOWHERE = "http://127.0.0.1:1/"

# One request a line would make these tables three times as long.
# fmt: off


def paths() -> Families:
    steps = (
        "../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "..%5c", "..;/", "%252e%252e%252f", "....//", "%c0%ae%c0%ae/",
        "..%00/", "%uff0e%uff0e/", "%ef%bc%8e%ef%bc%8e/",
    )
    found = [f"{start}{step * 8}etc/passwd" for step in steps for start in ("/", "/data/", "/api/")]
    found += [f"/data/{name}" for name in (_FILE, f"file://{_FILE}", "C:%5Cwindows", "%00", "%22%3E%3C", "a/" * MANY)]
    yield "path", Statuses({400, 404}), map(get, (*found, _FILE, f"/file://{_FILE}", "/.git/config"))


def parameters() -> Families:
    asked, many = "/sparql?query=ASK%20%7B%7D", "&".join(["a=b"] * MANY)
    yield "parameters", BAD, [
        get(f"/api/scenarios?{many}"), get(f"/sparql?query=&{many}"), post("/sparql", many.encode(), FORM),
        get(asked + "&query=ASK%7B%7D" * 100),
    ]
    values = ("%", "%GG", "%ff", "%00", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "%u0041")
    yield "percent", BAD, [get(f"/sparql?query={value}") for value in values]
    numbers = ("1e3", "0x1", "-1", "1_0", "%D9%A3", "9" * 5_000, "NaN", "", "+1")
    yield "number", BAD, [get(f"/api/script?scenario=cooking+pasta&limit={number}") for number in numbers]
    graphs = ("", "x", "%3Cx%3E", "http://a%20b", "%00")
    yield "no-graph", BAD, [get(f"{asked}&default-graph-uri={graph}") for graph in graphs]
    graphs = (f"file://{_FILE}", _NOWHERE, "java:x", "http://[", "urn:" + "a" * 20_000)
    for kind in ("default", "named"):
        yield f"{kind}-graph", OK | BAD, [get(f"{asked}&{kind}-graph-uri={graph}") for graph in graphs]
    words = (
        '" OR ""="', "'; DROP TABLE entries; --", "NEAR(a b", "a*", "a AND", "^a", "{a", "label:a", "-a", "\\", "\x00",
        "a" * 20_000, "a " * 10_000, "\u202e\ufeff", "%ff", "\U0001f525" * 2_000,
    )
    yield "search", OK | BAD, [get(f"/api/search?question={quote(word)}") for word in words]
    yield "name", Statuses({400, 404}), [get(f"/api/script?scenario={quote(word)}") for word in words]


def bodies() -> Families:
    texts = [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"ASK {} #\x80", gzip.compress(b"ASK {}")]
    texts += ["ASK {}".encode(name) for name in ("utf-16", "utf-16-be", "utf-32")]
    yield "bytes", BAD, map(sparql, texts)
    packed = gzip.compress(b"ASK {}")
    names = ("gzip", "deflate", "br", "x" * 100)
    yield "packed", Statuses({400, 415}), [post("/sparql", packed, DIRECT, f"Content-Encoding: {n}") for n in names]
    types = (
        "", "text/plain", "application/sparql-query, text/plain", "application/sparql-update", "a" * 5_000, ";" * 5_000,
        "multipart/form-data; boundary=x", "application/sparql-query;charset=x",
    )
    yield "type", Statuses({400, 415}), [post("/sparql", b"ASK {}", f"Content-Type: {name}") for name in types]
    large = b" " * (2 << 20)
    chunk = b"%x\r\n%b\r\n" % (len(large), large)
    for target in ("/sparql", "/cypher"):
        in_chunks = sent(f"POST {target} HTTP/1.1", DIRECT, CHUNKED, body=chunk)
        yield f"large-{target[1:]}", Statuses({413}), [post(target, large, DIRECT), in_chunks]


def values() -> Families:
    """JSON for queries in Cypher."""
    texts = (
        "[" * 100_000, '{"query":' * 100_000, "NaN", "Infinity", "1" * 100_000, "1e999999", '"', '"\\ud800"', "",
        "null",
        '{"query": "RETURN 1"} x', '{"query": NaN}', '{"query": "RETURN 1", "query": 3}', '{"query": "\\ud800"}',
        '{"query": "RETURN 1", "a": 1}', '{"query": "RETURN 1", "parameters": [1]}', "\ufeff\ufeff{}",
        '{"query": "RETURN 1", "parameters": {"a": ' + "[" * 50_000 + "}}",
    )
    yield "json", BAD, [post("/cypher", text.encode()) for text in texts]
    odd: tuple[object, ...] = (
        float("nan"), float("inf"), 10**40, "\x00", "\ud800", json.loads("[" * 400 + "]" * 400), "a" * 500_000, None,
        [1, "a", None], {}, {"": []}, {"a b`": 1},
    )
    yield "value", OK | BAD, [cypher("RETURN $value AS value", value=value) for value in odd]
    yield "value-name", OK | BAD, [cypher("RETURN 1", **{name: 1}) for name in ("a b`; DROP", "", "\ud800", "1", "$a")]


def sparql_queries() -> Families:
    yield "sparql", BAD, map(sparql, (
        f"LOAD <file://{_FILE}>", f"LOAD <{_NOWHERE}>", "INSERT DATA { <a:a> <a:b> 1 }", "DELETE WHERE { ?s ?p ?o }",
        "CLEAR ALL", "DROP ALL", "CREATE GRAPH <a:a>", "COPY DEFAULT TO <a:a>", "", " ", "#", "ASK {} ; ASK {}",
        f"SELECT * {{ SERVICE <{_NOWHERE}> {{ ?s ?p ?o }} }}", f"ASK {{ SERVICE SILENT <{_NOWHERE}> {{ ?s ?p ?o }} }}",
        "SELECT * { SERVICE ?s { ?s ?p ?o } }", f"SELECT * FROM <file://{_FILE}> {{ ?s ?p ?o }}", "ASK\x00{}",
        "ASK { FILTER(<java:java.lang.System.exit>(1)) }", "ASK { ?s ?p '\\ud800' }", "PREFIX " * MANY,
        f"ASK {{ {'{' * MANY}{'}' * MANY} }}", f"ASK {{ FILTER({'(' * MANY}1{')' * MANY}) }}",
        f"ASK {{ FILTER({'!' * MANY}true) }}", f"ASK {{ ?s ?p {'(' * MANY}{')' * MANY} }}", "SELECT " + "?a " * MANY,
        f"ASK {{ ?s {'^' * MANY}<a:a> ?o }}", "ASK { ?s ?p '" + "a" * 100_000,
    ))
    yield "large-sparql", OK | BAD, map(sparql, (
        f"SELECT (count(*) AS ?n) {{ VALUES ?v {{ {' '.join(map(str, range(MANY)))} }} }}", "ASK { ?s (<a:a>*)* ?o }",
        "ASK { " + " UNION ".join(["{ ?s ?p ?o }"] * 1_000) + " }", f"ASK {{ ?s ?p <a:{'a' * 100_000}> }}",
        f"SELECT * {{ FILTER(REGEX('{'a' * 1_000}!', '(a+)+$')) }}",
        f"SELECT (xsd:integer('{'9' * 1_000}') AS ?n) {{}}",
    ))


def cypher_queries() -> Families:
    yield "cypher", BAD, map(cypher, (
        f"LOAD CSV FROM 'file://{_FILE}' AS line RETURN line", f"LOAD FROM '{_FILE}' RETURN *",
        f"LOAD WITH HEADERS (a STRING) FROM '{_FILE}' (file_format='csv') RETURN *",
        f"LOAD FROM '{_NOWHERE}a' RETURN *",
        f"COPY Tool FROM '{_FILE}'", "COPY (MATCH (n) RETURN n.id) TO 'hostile.csv'", "EXPORT DATABASE 'hostile'",
        "IMPORT DATABASE '/tmp'", "ATTACH '/tmp' AS x (dbtype duckdb)", "USE x", "INSTALL httpfs",
        "LOAD EXTENSION httpfs",
        "CALL threads=1000", "CALL timeout=0", f"CALL file_info('{_FILE}') RETURN *", "CREATE (n:Tool {id: 'x'})",
        "MATCH (n) SET n.label = 'x'", "MATCH (n) DETACH DELETE n", "MERGE (n:Tool {id: 'x'})", "DROP TABLE Tool",
        "ALTER TABLE Tool ADD x INT64", "CREATE NODE TABLE X (id STRING PRIMARY KEY)", "BEGIN TRANSACTION",
        "CHECKPOINT",
        "RETURN 1; MATCH (n) DETACH DELETE n", "/* */ CREATE (n) //", "MATCH (n) /* \\ */ DELETE n",
        "EXPLAIN CREATE (n)",
        f"PROFILE COPY Tool FROM '{_FILE}'", f"RETURN {'(' * MANY}1{')' * MANY}", f"RETURN {'[' * MANY}{']' * MANY}",
        f"RETURN {'NOT ' * MANY}true", f"MATCH {'(a)-->' * 5_000}(a) RETURN 1", "RETURN '" + "a" * MANY, "", "\x00",
    ))


def strangers() -> Families:
    """Requests without the token to a server that needs one."""
    tokens = (
        "", "Bearer", "Bearer ", "Basic YTph", "Bearer \u00e9", "Bearer " + "a" * 20_000, "Bearer \x01",
        "Bearer a, Bearer b",
    )
    cookies = ('kgscripts="', "kgscripts=\u00e9", "a=b; " * 2_000, "kgscripts=a; kgscripts=b", "=;=;", "kgscripts=\\3")
    yield "token", Statuses({401}), [
        *(get("/limits", f"Authorization: {token}") for token in tokens),
        *(get("/limits", f"Cookie: {cookie}") for cookie in cookies),
        *(get("/limits", f"X-Original-URL: {path}", f"X-Rewrite-URL: {path}") for path in ("/login", "/health")),
        *map(get, ("/login/../limits", "/login/limits", "//login", "/health/../limits", "/login%2f..%2flimits")),
    ]
    forms = (
        b"", b"token=", b"token=a", b"a=b&" * 50, b"token=%ff%00", b"\xff\xfe", b"token=a&token=b", b"&" * 1_000,
        b"token",
    )
    yield "login", Statuses({400, 401}), [post("/login", form, FORM) for form in forms]


_PRODUCT = " ".join(f"?s{number} ?p{number} ?o{number} ." for number in range(12))
_DOUBLED = " ".join(f"BIND(CONCAT(?a{number}, ?a{number}) AS ?a{number + 1})" for number in range(40))
BOMBS = {
    "product": sparql(f"SELECT (count(*) AS ?n) {{ {_PRODUCT} }}"),
    "filter": sparql(f"ASK {{ {_PRODUCT} FILTER(CONCAT(STR(?s0), STR(?o11)) = 'nowhere') }}"),
    "order": sparql(f"SELECT * {{ {_PRODUCT} }} ORDER BY ?o11"),
    "doubling": sparql(f"SELECT (strlen(?a40) AS ?n) {{ BIND('aaaaaaaa' AS ?a0) {_DOUBLED} }}"),
    "cypher-product": cypher("MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN count(*)"),
    "cypher-list": cypher("UNWIND range(1, 100000000) AS a UNWIND range(1, 100000000) AS b RETURN sum(a * b)"),
}
"""Queries that never end, or take all memory: they end at a limit, with 400."""
