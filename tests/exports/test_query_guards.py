"""Guards of queries: what is sent only reads, and every engine reads the same tokens in it."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import ladybug
import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exports.cypher.cypher
import exports.query.sparql
from exports.query import cypher_guard, sparql_guard
from exports.query.parameters import cypher_with
from exports.query.text import MAX_CHARACTERS, MAX_DEPTH, MAX_TOKENS, query_text
from schemas.errors import ConfigurationError, QueryError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from tests.exports.fuseki_server import FusekiServer
from tests.exports.neo4j_server import BoltServer

DOCS = Path(__file__).parents[2] / "docs"


def judged(text: str, **parameters: object) -> str:
    """The Cypher that is sent."""
    return cypher_guard.judge(text, parameters).text


CYPHER_REFUSED = [
    # Ladybug: files, code, settings
    "UNWIND [1] AS x LOAD FROM '/etc/passwd' (header=false) RETURN *",
    "WITH 1 AS x LOAD FROM '/etc/passwd' RETURN *",
    "WITH * LOAD FROM '/etc/passwd' RETURN *",
    "WITH DISTINCT * LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) WHERE n.x = 5! LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) WHERE n.x IS NULL LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) WHERE CASE WHEN true THEN 1 END LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) WITH n ORDER BY n.x DESC LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) WITH n LIMIT 1 LOAD FROM '/etc/passwd' RETURN *",
    "LOAD FROM '/etc/passwd' RETURN *",
    "load with headers (a STRING) from '/etc/passwd' RETURN *",
    "WITH 1 AS load LOAD WITH HEADERS (a STRING) FROM '/etc/passwd' RETURN *",
    "WITH 1 AS x, 2 AS where WITH where LOAD FROM '/etc/passwd' RETURN *",
    "RETURN 1 UNION LOAD FROM '/etc/passwd' RETURN *",
    "RETURN 1 UNION ALL LOAD FROM '/etc/passwd' RETURN *",
    "CALL show_tables() LOAD FROM '/etc/passwd' RETURN *",
    "CALL show_tables() YIELD name LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (n) WHERE EXISTS { LOAD FROM '/etc/passwd' RETURN * } RETURN n",
    "MATCH (n LOAD FROM '/etc/passwd' RETURN *",
    "RETURN 1 /***/ '*/ ; COPY (MATCH (n) RETURN n) TO 'file' //'",
    "RETURN 1 /***/ ; INSTALL httpfs /**/",
    "RETURN 1 /* /* */ ; INSTALL httpfs */",
    "RETURN 1 // \r ; INSTALL httpfs",
    "RETURN 1 /* not closed",
    "LOAD EXTENSION '/tmp/x.so'",
    "LOAD '/tmp/x.so'",
    "INSTALL httpfs",
    "FORCE INSTALL httpfs FROM 'http://x'",
    "ATTACH 'x.db' AS x (dbtype duckdb)",
    "EXPORT DATABASE 'x'",
    "IMPORT DATABASE 'x'",
    "COPY Tool FROM 'x.csv'",
    "COPY (RETURN 1) TO 'x.csv'",
    "WITH 1 AS x COPY (RETURN 1) TO 'x.csv'",
    "CALL threads=4",
    "CALL home_directory='/tmp' RETURN 1",
    "CALL read_parquet('x') RETURN *",
    "CALL project_graph('g', ['Tool'], [])",
    "CALL clear_warnings()",
    "CREATE MACRO f(x) AS x + 1",
    "RETURN nextval('x')",
    "BEGIN TRANSACTION",
    "CHECKPOINT",
    "USE GRAPH x",
    # Neo4j and ArcadeDB
    "LOAD CSV FROM 'http://127.0.0.1/' AS line RETURN line",
    "MATCH (n) LOAD CSV WITH HEADERS FROM 'file:///etc/passwd' AS line RETURN line",
    "MATCH ((a)-->(b))+ LOAD CSV FROM 'http://127.0.0.1/' AS line RETURN line",
    "WITH not LOAD CSV FROM 'http://127.0.0.1/' AS line RETURN line",
    "MATCH ((a)-->(b))+ CREATE (n)",
    "WITH not CREATE (n)",
    "WITH distinct MERGE (n)",
    "MATCH (n) SET n.x = 1",
    "MATCH (n) set n.x = 1 RETURN n",
    "MATCH (n) \u017fET n.x = 1 RETURN n",
    "MATCH (n)SET n.x=1",
    "MATCH (n) WHERE n.x = 1SET n.x = 2",
    "MATCH (n) WHERE n.x = 'a'SET n.x = 2",
    "MATCH (n) WITH n DETACH DELETE n",
    "MATCH (n) DELETE (n)",
    "MATCH (n) REMOVE n.x",
    "MATCH (n) FOREACH (x IN [1] | CREATE (:T))",
    "MATCH (n) CALL { WITH n CREATE (m) RETURN m } RETURN m",
    "MATCH (n) CALL (n) { DELETE n }",
    "MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS OF 1 ROWS",
    "MATCH (n) RETURN COLLECT { CREATE (m) RETURN m }",
    "CALL apoc.load.json('http://x') YIELD value RETURN value",
    "CALL apoc . load . json('http://x')",
    "CALL `apoc`.`load`.`json`('http://x')",
    "CALL dbms.security.createUser('x', 'y', false)",
    "CALL db.createLabel('x')",
    "CALL db.index.fulltext.drop('x')",
    "CALL",
    "CALL db.",
    "RETURN apoc.text.join(['a'], 'b')",
    "RETURN `apoc`.`text`.`join`(['a'], 'b')",
    "RETURN apoc /* */ . load.json('x')",
    "RETURN gds.util.NaN()",
    "MATCH (n) WITH n.apoc AS a RETURN a.b(1)",
    "USE other MATCH (n) RETURN n",
    "MATCH (n) RETURN n NEXT CREATE (m)",
    "INSERT (:T)",
    "MATCH (n) INSERT (:T)",
    "EXPLAIN CREATE (n)",
    "PROFILE MATCH (n) RETURN n",
    "CYPHER runtime=slotted MATCH (n) RETURN n",
    "SHOW DATABASES",
    "TERMINATE TRANSACTION 'x'",
    "DROP DATABASE neo4j",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "RETURN 1; CREATE (n)",
    "RETURN 1;;",
    # what engines read differently
    r"RETURN '\u0027 CREATE (n) //'",
    r"RETURN '\\u0027 CREATE (n) //'",
    r"RETURN '\U00000027 CREATE (n) //'",
    r'RETURN "\u0022 CREATE (n)"',
    r"RETURN '\u005c' CREATE (n) //'",
    r"MATCH (n:`a\u0060) SET n.x = 1 //`) RETURN n",
    r"\u004dATCH (n) RETURN n",
    "MATCH (n:`a``b`) RETURN n",
    "MATCH (n:`a\nb`) RETURN n",
    "RETURN 'a''b'",
    "RETURN 'a'\"b\"",
    r"RETURN 'a\qb'",
    "RETURN 'a",
    "RETURN `a",
    "RETURN 1\x00",
    "RETURN '\x00'",
    "RETURN '\ud800'",
    "RETURN\x0b1",
    "RETURN \u202e1",
    "RETURN 1 AS a\u2066b",
    "RETURN 1 \u2028 CREATE (n)",
    "MATCH (a)\u2014[r]\u2014(b) RETURN a",
    "RETURN a$b",
    "RETURN $`a`",
    "RETURN 1x",
    "RETURN 1 2",
    "RETURN (1]",
    "RETURN 1)",
    "RETURN #1",
]

CYPHER_ACCEPTED = [
    "MATCH (n) WHERE n.load = 1 AND n.`create` > 2 RETURN n.set AS set, n.copy AS load ORDER BY load DESC, set SKIP 1",
    "MATCH (a)-[r:X|Y*1..3]->(b:Tool {label: 'x'}) WHERE NOT exists(a.x) AND a.label STARTS WITH 'x' RETURN DISTINCT a",
    "MATCH (a) WHERE EXISTS { MATCH (a)-->(c) WHERE c.x IS NOT NULL } AND COUNT { (a)--() } > 2 RETURN a {.x, .*}",
    "MATCH p = (a)-[r:X* SHORTEST 1..3 (r, n | WHERE r.x > 1 | {r.a}, {n.b})]->(b) RETURN length(p), nodes(p)[0].label",
    "MATCH p = shortestPath((a)-[*..3]-(b)) RETURN p",
    "MATCH ((a)-->(b)){1,3} RETURN a",
    "MATCH (n:!Tool) RETURN n",
    "MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN m } RETURN m",
    "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m",
    "CALL db.labels() YIELD label RETURN label UNION ALL MATCH (n) RETURN n.label AS label",
    "CALL table_info('Tool') WHERE name = 'x' RETURN name",
    "RETURN CASE WHEN 1 = 1 THEN 'a' ELSE 'b' END AS y",
    "RETURN [x IN range(1, 3) WHERE x > 1 | x * 2], reduce(s = 0, x IN [1] | s + x)",
    "RETURN date.truncate('day', date()), cast(1 AS DECIMAL(5, 2))",
    "RETURN {a: [not true], load: 1, `b c`: 2}, -1 + .5 ^ 1e3, 0x1F",
    "WITH 1 AS load, 2 AS create, 3 AS call RETURN load + create * call",
    "MATCH (größe:Tool) RETURN größe.label // äöü \u202e",
    "RETURN 'CREATE (n)', \"LOAD FROM 'x'\", '; COPY (RETURN 1) TO \"x\"', '/* // */'",
    "OPTIONAL MATCH (n) RETURN n;  ",
]

XSD = "http://www.w3.org/2001/XMLSchema#"
SPARQL_REFUSED = [
    r"SELECT * { OPTIONAL { <http://\u0061#b> ?p ?o } SERVICE SILENT <http://x/> {} }",
    "SELECT * { # c\r SERVICE <http://x/> { } }",
    "SELECT * { # c\r\n SERVICE <http://x/> { } }",
    "SELECT * { SERVICE <http://x/> { } }",
    "SELECT * { service\tsilent<http://x/>{ } }",
    "SELECT * { ?s ?p 1SERVICE <http://x/> { } }",
    "SELECT * { ?s ?p 1.SERVICE <http://x/> { } }",
    "SELECT * { ?s ?p 1.5eSERVICE <http://x/> { } }",
    "SELECT * { ?s ?p trueSERVICE <http://x/> { } }",
    "SELECT * { ?s ?p aSERVICE <http://x/> { } }",
    "SELECT * { ?s ?p ex:a.SERVICE <http://x/> { } }",
    "SELECT * { ?s ?p _:a.SERVICE <http://x/> { } }",
    "SELECT * { ?s ?p ?o\u203fSERVICE <http://x/> { } }",
    "SELECT * { ?s ?p 'a'@en.SERVICE <http://x/> { } }",
    "PREFIX : <http://x/> SELECT * { SERVICE:x { } }",
    "PREFIX : <http://x/> SELECT * { SERVICE : { } }",
    "PREFIX SERVICE: <http://x/> SELECT * { SERVICE SERVICE:x { } }",
    "SELECT * { FILTER(?x<3)SERVICE<http://x/>{ } }",
    'SELECT * { FILTER(?a<?b#>"""\n) SERVICE <http://x/> {} #""") }',
    "SELECT * { FILTER(?a<?b)SERVICE$g#>\n{ } }",
    "SELECT * { FILTER(?a<xsd:int(?b)SERVICE$g#>\n{ } }",
    "SELECT * { ?s ?p '''a'''' SERVICE <http://x/> {} #' }",
    r'SELECT * { ?s ?p "\u0022 SERVICE <http://x/> {} #" }',
    r'SELECT * { ?s ?p "\\u0022 SERVICE <http://x/> {} #" }',
    r'SELECT * { ?s ?p "\U00000022 SERVICE <http://x/> {} #" }',
    r'SELECT * { ?s ?p "\u005c" SERVICE <http://x/> {} #" }',
    r'SELECT * { ?s ?p "\u000a" }',
    r"SELECT * { <http://x/\u003e> ?p ?o }",
    r"SELECT * { \u0053ERVICE <http://x/> { } }",
    r"SELECT * { ?s ex:a\#b ?o }",
    r"SELECT * { ?s ?p 'a\qb' }",
    "SELECT * { ?s ?p 'a\nb' }",
    "SELECT * { LET (?x := 1) }",
    "SELECT * { LATERAL { } }",
    "JSON { 'a': ?s } WHERE { ?s ?p ?o }",
    "SELECT (CALL(<java:x>) AS ?x) { }",
    "SELECT * { BIND(<java:com.example.F>(1) AS ?x) }",
    "PREFIX j: <java:com.example.> SELECT * { ?s j:F ?o }",
    "PREFIX j: <JAVA:com.example.> SELECT * { FILTER j:F(1) }",
    "BASE <java:x> SELECT * { ?s <y> ?o }",
    "SELECT * { BIND(<http://jena.apache.org/ARQ/jsFunction#f>(1) AS ?x) }",
    "SELECT (<http://x/f>(1) AS ?x) { }",
    "SELECT ?s (<http://x/f>(1) AS ?x) { ?s ?p ?o }",
    "SELECT * { FILTER <http://x/f>(1) }",
    "SELECT * { ?s ?p ?o } ORDER BY <http://x/f>(?s)",
    "SELECT * { ?s ?p ?o } GROUP BY ?s (<http://x/f>(?s) AS ?x)",
    "SELECT * { ?s ?p ?o } HAVING (<http://x/f>(?s))",
    "SELECT * { ?s ?p ?o FILTER(?s IN (1, <http://x/f>(2))) }",
    "SELECT * { { SELECT (<http://x/f>(1) AS ?x) { } } }",
    "PREFIX xsd: <http://x/> SELECT (xsd:int(1) AS ?x) { }",
    f"PREFIX xsd: <http://x/> PREFIX xsd: <{XSD}> SELECT (xsd:int(1) AS ?x) {{ }}",
    "SELECT * FROM <file:///etc/passwd> { }",
    "SELECT * FROM NAMED <file:///etc/passwd> { }",
    "SELECT * FROM <passwd> { }",
    "BASE <file:///etc/> SELECT * FROM <passwd> { }",
    "PREFIX f: <file:///etc/> SELECT * FROM f:passwd { }",
    "SELECT * FROM <jar:file:///x.jar!/y> { }",
    "LOAD <http://x/>",
    "INSERT DATA { <a:b> <a:c> 1 }",
    "SELECT * { } ; INSERT DATA { <a:b> <a:c> 1 }",
    "SELECT * { } ; SELECT * { }",
    "DEFINE input:inference 'x' SELECT * { }",
    "WITH <a:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
    "SELECT * { ?s ?p '\x00' }",
    "SELECT * { ?s ?p '\udcff' }",
    "SELECT * {\x0b}",
    "SELECT * { ?s\u202e ?p ?o }",
    "SELECT * { ?\u061cs ?p ?o }",
    "SELECT * { ?s ?p ?o ) }",
    "PREFIX",
    "PREFIX a <b:> SELECT * { }",
]

SPARQL_ACCEPTED = [
    "SELECT $service { $service a kgs:Tool } # SERVICE <x>",
    'ASK { ?t kgs:service ?x ; <http://x/SERVICE> \'SERVICE <http://x>\', """a "SERVICE" { """@en }',
    f"SELECT (xsd:integer(?x) AS ?y) (<{XSD}double>(1) AS ?z) (COUNT(*) AS ?n) {{ ?s ?p (1 <http://x/f> (2)), <a:b> }}",
    "SELECT * { ?s kgs:uses (1 2) ; (kgs:a/^kgs:b)+|!(kgs:c) [ kgs:d 1.5e3, .5, -1 ] . FILTER(?x < 3 && ?y>4) }",
    "SELECT * FROM <http://x/> FROM NAMED <urn:y> FROM data:z { GRAPH ?g { ?s ?p ?o } }",
    r"SELECT * { ?s data:a\/b%20c.d 'it\'s \u00e9 \u0000', 'a\\b' VALUES (?a ?b) { (<a:b> UNDEF) (1 2) } }",
    "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } ORDER BY DESC(?s) LIMIT 1 OFFSET 2",
    "DESCRIBE <http://example.org/a_(b)#c?d=e>",
    "SELECT (GROUP_CONCAT(DISTINCT ?t; SEPARATOR=', ') AS ?ts) { ?s ?p ?t } GROUP BY (STR(?s)) HAVING(COUNT(*)>1)",
]


@pytest.mark.parametrize("text", CYPHER_REFUSED)
def test_cypher_that_does_more_than_read_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        judged(text)


@pytest.mark.parametrize("text", SPARQL_REFUSED)
def test_sparql_that_does_more_than_read_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        sparql_guard.judge(text)


@pytest.mark.parametrize("text", CYPHER_ACCEPTED)
def test_cypher_that_reads_is_sent(text: str) -> None:
    assert judged(judged(text)) == judged(text)


@pytest.mark.parametrize("text", SPARQL_ACCEPTED)
def test_sparql_that_reads_is_sent(text: str) -> None:
    sent = sparql_guard.judge(text)
    assert sparql_guard.judge(sent.text) == sent


def test_queries_of_the_documents_are_sent_as_they_are() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"])
    sparql = [file.read_text(encoding="utf-8") for file in DOCS.glob("queries/*.rq")]
    cypher = [file.read_text(encoding="utf-8") for file in DOCS.glob("queries/*.cypher")]
    sparql += re.findall(r"```sparql\n(.*?)```", pages, re.DOTALL)
    cypher += re.findall(r"```cypher\n(.*?)```", pages, re.DOTALL)
    assert min(len(sparql), len(cypher)) >= 22
    assert [sparql_guard.judge(text).text for text in sparql] == list(map(_without_comments, sparql))
    sent = [cypher_guard.judge(text, cypher_with(text, {})).text for text in cypher]
    assert sent == list(map(_without_comments, cypher))


def _without_comments(text: str) -> str:
    """With spaces in place of lines that are comments."""
    return re.sub(r"^(#|//).*", lambda found: " " * len(found[0]), text, flags=re.MULTILINE)


def test_every_name_of_the_graph_can_be_queried() -> None:
    for name in (*NODE_TYPES, *RELATION_TYPES):
        judged(f"MATCH (n:{name}) RETURN n.{name}, n.`{name}` AS {name}")
        judged(f"MATCH (n)-[{name.lower()}:{name}]->() RETURN {name.lower()}.support")


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("RETURN /* a\r\nb */ 1 // c", "RETURN     \n     1     "),
        ("RETURN\r1\r\n, 2;", "RETURN\n1\n, 2 "),
        ("RETURN\u00a01", "RETURN 1"),
        ("RETURN '/*', '// a' //*/", "RETURN '/*', '// a'     "),
    ],
)
def test_comments_are_spaces_and_lines_and_columns_stay(text: str, sent: str) -> None:
    assert judged(text) == sent


def test_parameters_that_are_used_are_sent() -> None:
    sent = cypher_guard.judge("RETURN $a, '$b' // $c", {"a": 1, "b": 2, "c": 3})
    assert sent.parameters == {"a": 1}
    with pytest.raises(QueryError, match="parameter 'd' has no value"):
        cypher_guard.judge("RETURN $d", {"a": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RETURN " + "(" * 200 + "1" + ")" * 200, f"nested more than {MAX_DEPTH} deep"),
        ("RETURN 1" + "+1" * 10_000, f"more than {MAX_TOKENS:,} tokens"),
        ("RETURN '" + "x" * MAX_CHARACTERS + "'", f"more than {MAX_CHARACTERS:,} characters"),
        ("MATCH (n)\n LOAD FROM 'x'", "line 2, column 2: LOAD cannot"),
        ("RETURN 🍝", "line 1, column 8: the character 🍝"),
    ],
)
def test_limits_and_locations_of_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        judged(text)
    if "LOAD" not in text:
        with pytest.raises(QueryError, match=message.replace("column 8", "column 12")):
            sparql_guard.judge(text.replace("RETURN ", "SELECT * { ").replace("(n)", ""))


@pytest.mark.parametrize("piece", ["'", '"', "`", "/*", "'\\", "<", "(", "a:b.", "_:a.", "[", "'''", "1.", "a."])
def test_a_text_of_a_mebibyte_is_judged_in_linear_time(piece: str) -> None:
    text = (piece * MAX_CHARACTERS)[:MAX_CHARACTERS]
    for judge in (judged, sparql_guard.judge):
        with pytest.raises(QueryError):
            judge(text)


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that notes the requests it gets."""
    called: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            called.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", called
    server.shutdown()
    thread.join()
    server.server_close()


SPARQL_PIECES = st.sampled_from(
    [
        *(
            "SERVICE",
            "SERVICE",
            "SERVICE:",
            "SILENT",
            "<URL>",
            "<URL>",
            "{}",
            "{",
            "}",
            "(",
            ")",
            "<",
            ">",
            "#",
            ".",
            ";",
        ),
        *("{ FILTER(?a", "FILTER(?a<?b", "<?b)SERVICE$g#>", "BIND(<URL> AS ?g)", "OPTIONAL", "1", "1.", "1e", "true"),
        *("'", '"', "'''", "\\", "\\u0022", "\\u0023", "@en", "^^", "?x", "$x", ":a", "a:b", "_:b.", "/", "|"),
        *("'a'", '"b"', "'''c'''", "<http://a/#b>"),
    ]
)
GLUE = st.sampled_from(["", "", " ", " ", "\n", "\r", "\r\n", "#\r", "# c\n", "#'\n", "\t", "\u00a0", "\u2028", "\x0b"])


@settings(max_examples=300)
@given(pieces=st.lists(st.tuples(SPARQL_PIECES, GLUE), max_size=12), position=st.integers(0, 12))
def test_no_sparql_that_is_sent_calls_another_server(
    listener: tuple[str, list[str]], pieces: list[tuple[str, str]], position: int
) -> None:
    address, called = listener
    attack = [("SERVICE", " "), ("<URL>", " "), ("{}", " ")]
    pieces = [*pieces[:position], *attack, *pieces[position:]]
    text = "SELECT * { " + "".join(map("".join, pieces)) + " }"
    text = text.replace("URL", address)
    try:
        sent = sparql_guard.judge(text)
    except QueryError:
        return
    assert sparql_guard.judge(sent.text) == sent
    with suppress(SyntaxError, OSError, RuntimeError):
        list(cast(pyoxigraph.QuerySolutions, pyoxigraph.Store().query(sent.text)))
    assert called == []


class Engine:
    """A Ladybug that may do anything, and a file that nothing should read."""

    def __init__(self, folder: Path) -> None:
        self.secret = folder / "file.csv"
        self.secret.write_text("secret\n")
        self._connection = ladybug.Connection(ladybug.Database(":memory:"))

    def ask(self, text: str) -> str:
        """The rows of all results, or the error, as text."""
        try:
            results = self._connection.execute(text)
        except RuntimeError:
            return "error"
        every = results if isinstance(results, list) else [results]
        return str([result.get_all() for result in every])


CYPHER_PIECES = st.sampled_from(
    [
        *("RETURN 1", "RETURN 1 AS x", "UNWIND [1] AS x", "WITH 1 AS y", "WITH *", "RETURN *", "CALL show_tables()"),
        *("LOAD FROM 'FILE' (header=false)", "LOAD FROM 'FILE'", "COPY (RETURN 1) TO 'OUT'", "EXPORT DATABASE 'OUT'"),
        *(
            ";",
            "'",
            '"',
            "`",
            "'*/'",
            "/*",
            "*/",
            "/***/",
            "/*/",
            "//",
            "\\",
            "\\'",
            "\\u0027",
            "+",
            "!",
            "*",
            "(",
            ")",
        ),
        *("AS", "x", "'a'", "RETURN", "WITH", "MATCH (n)", "WHERE true", "UNION", "ALL", "IS NULL", "ORDER BY x DESC"),
    ]
)


@settings(max_examples=300)
@given(pieces=st.lists(st.tuples(CYPHER_PIECES, GLUE.map(lambda glue: glue.replace("#", "//"))), max_size=8))
def test_no_cypher_that_is_sent_reads_or_writes_files(engine: Engine, pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + glue for piece, glue in pieces)
    text = text.replace("FILE", str(engine.secret)).replace("OUT", str(engine.secret.parent / "out"))
    try:
        sent = judged(text)
    except QueryError:
        return
    assert judged(sent) == sent
    assert "secret" not in engine.ask(sent)
    assert list(engine.secret.parent.iterdir()) == [engine.secret]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(tmp_path_factory.mktemp("engine"))


def test_the_engine_would_read_and_write_files(engine: Engine) -> None:
    """What the guard keeps away is possible, so that the tests above can fail."""
    assert "secret" in engine.ask(f"UNWIND [1] AS x LOAD FROM '{engine.secret}' (header=false) RETURN *")
    written = engine.secret.parent / "written.csv"
    engine.ask(f"RETURN 1 /***/ '*/ ; COPY (RETURN 1) TO '{written}' //'")
    assert written.exists()
    written.unlink()


SAME_CYPHER = [
    (r"RETURN 'a//b /* c */' + 'd\'e\\f' AS x", r"a//b /* c */d'e\f"),
    ("RETURN 1 /***/ + 2 /* ' */ AS x // ' \r", 3),
    ("RETURN /*/ '*/ 'a' /* /* */ AS x", "a"),
    (r"RETURN '\u00e9\n' + 'a' AS x", "é\na"),
    ('RETURN "it\'s `x`" AS x', "it's `x`"),
    ("RETURN 'a\r\nb' AS x", "a\nb"),
    ("WITH 1 AS load, 2 AS call\r\nRETURN load + call AS x;", 3),
    ("RETURN\u00a01 AS `x`", 1),
]
SAME_SPARQL = [
    (r"""SELECT ('a#b \'\\f' AS ?x) # c""" + "\r{ }", r"a#b '\f"),
    ("SELECT ('''a\"b''' AS ?x) # \"\r\n{ } #", 'a"b'),
    (r"SELECT ('\u00e9' AS ?x) { }", "é"),
    ("SELECT (1<2 && 3>2 AS ?x) { }", True),
    ("SELECT (xsd:integer('1') + 1 AS ?x)\u00a0{ }", 2),
]


@pytest.mark.parametrize(("text", "value"), SAME_CYPHER)
def test_ladybug_reads_what_was_judged(engine: Engine, text: str, value: object) -> None:
    assert engine.ask(judged(text)) == str([[[value]]])


@pytest.mark.servers
def test_neo4j_reads_what_was_judged(neo4j_server: BoltServer) -> None:
    for text, value in SAME_CYPHER:
        assert exports.cypher.cypher.run_query(neo4j_server.uri, text).rows == ((value,),)


@pytest.mark.servers
def test_arcadedb_reads_what_was_judged(arcadedb_server: BoltServer) -> None:
    for text, value in SAME_CYPHER:
        assert exports.cypher.cypher.run_query(arcadedb_server.uri, text).rows == ((value,),)


@pytest.mark.servers
def test_neo4j_calls_nobody(neo4j_server: BoltServer, listener: tuple[str, list[str]]) -> None:
    for text in CYPHER_REFUSED:
        with pytest.raises(QueryError):
            exports.cypher.cypher.run_query(neo4j_server.uri, text.replace("http://127.0.0.1/", listener[0]))
    assert listener[1] == []
    assert neo4j_server.ask("MATCH (n) RETURN count(n)") == [[0]]


@pytest.mark.parametrize(("text", "value"), SAME_SPARQL)
def test_oxigraph_reads_what_was_judged(text: str, value: str | int) -> None:
    sent = sparql_guard.judge(text).text
    solutions = cast(pyoxigraph.QuerySolutions, pyoxigraph.Store().query(sent, prefixes={"xsd": XSD}))
    (solution,) = solutions
    assert solution["x"] == pyoxigraph.Literal(value)


@pytest.mark.servers
def test_fuseki_reads_what_was_judged(fuseki_server: FusekiServer) -> None:
    for text, value in SAME_SPARQL:
        assert exports.query.sparql.run_query(f"{fuseki_server.address}/query", text).rows == ((value,),)


def test_a_query_file_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.rq")
    (tmp_path / "folder.rq").mkdir()
    (tmp_path / "large.rq").write_bytes(b"#" * (MAX_CHARACTERS + 1))
    (tmp_path / "latin.rq").write_bytes(b"# \xe9\nASK {}")
    (tmp_path / "bom.rq").write_bytes("\ufeff# é\r\nASK {}".encode())
    for name, message in (
        ("fifo.rq", "not a regular file"),
        ("folder.rq", "not a regular file"),
        ("large.rq", "more than 1,048,576 bytes"),
        ("latin.rq", "not in UTF-8"),
        ("missing.rq", r"No such file .*"),
    ):
        with pytest.raises(ConfigurationError, match=message) as caught:
            query_text(str(tmp_path / name))
        assert caught.value.where == str(tmp_path / name)
    for name in ("/dev/zero", "/dev/tty", "nul\0.rq", "x" * 5000 + ".rq"):
        with pytest.raises(ConfigurationError):
            query_text(name)
    assert query_text(str(tmp_path / "bom.rq")) == "# é\r\nASK {}"
    with pytest.raises(ConfigurationError, match="not in UTF-8"):
        query_text("ASK { ?s ?p '\udcff' }")
