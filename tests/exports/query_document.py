"""Generate `docs/guide/queries.md` from the query files: ``python -m tests.exports.query_document``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
QUESTIONS = (
    "cooking-pasta",
    "usual-script",
    "tools-of-a-scenario",
    "what-a-tool-is-for",
    "shared-tools",
    "what-comes-before",
    "reliable-order",
    "optional-steps",
    "alternatives",
    "same-step-elsewhere",
    "participants",
    "shared-actions",
    "well-supported-statements",
    "evidence",
    "readers-and-their-scores",
    "decomposition",
    "tools-by-alignment",
    "state-after-a-step",
    "steps-that-make-clean",
    "what-changes",
    "scenarios-of-passages",
    "replaced-iri",
)
_INTRODUCTION = """# Queries

Each question in SPARQL and in Cypher. Both return the same rows on every store: a test runs all of them on the embedded
stores (Oxigraph, Ladybug) and on servers (Apache Jena Fuseki, Neo4j). This page is generated from the files in
`docs/queries/` by `python -m tests.exports.query_document`.

```console
kgscripts query graph --sparql docs/queries/cooking-pasta.rq
kgscripts query graph --cypher docs/queries/cooking-pasta.cypher --format csv
kgscripts query --endpoint http://localhost:3030/kg/query --sparql docs/queries/evidence.rq
kgscripts query --uri neo4j://localhost --cypher docs/queries/evidence.cypher
```

```python
import kgscripts

graph = kgscripts.ScriptGraph.open("graph")
table = graph.query("SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label } ORDER BY ?label LIMIT 3")
print(table.columns, table.rows)
table = graph.query(cypher="MATCH (tool:Tool) RETURN tool.label AS label ORDER BY label LIMIT 3")
print(table.columns, table.rows)
```
```text
('label',) (('garden fork',), ('hammer',), ('rake',))
('label',) (('garden fork',), ('hammer',), ('rake',))
```

Put your own scenario, sub-event, tool, step or state in place of *cooking pasta*, *drain pasta*, *colander*, *knife*,
*3*, *wet* and *clean*: `kgscripts show graph` lists the scenarios, `kgscripts show graph SCENARIO` the rest.

When you write your own:

- [graph.md](../reference/graph.md) lists every node, relation and property. In SPARQL `HAS_SUB_EVENT` is
  `kgs:hasSubEvent` and `mean_position` is `kgs:meanPosition`; labels are `rdfs:label`.
- In SPARQL a label has the language of the texts, as the parser has it: write `"knife"@en`. A plain `"knife"` matches
  no label of a graph of English texts; `FILTER (STR(?label) = "knife")` matches in any language.
- A relation is one triple, `?step kgs:uses ?tool`. Its statement has `rdf:subject`, `rdf:predicate` and `rdf:object`,
  and holds its numbers and its evidence. In Cypher the numbers are properties of the relation itself, and its property
  `statement` is the `iri` of the statement. Relations without a statement (REALIZES, ABOUT, READ_BY, SHOWS) have a
  `kgs:QualifiedRelation` for their numbers in SPARQL.
- Knowledge is in the default graph, the named graph of a source holds its passages, instances and their relations:
  hence `GRAPH ?document { … }`. `kgscripts query DIR` finds both without it; a server may not.
- Results that are lists in Cypher are comma-separated text in SPARQL.
- A state change is `OF_ENTITY` an Entity and, if it is also a tool by the same name, a Tool: ask for one of the two, or
  a row comes twice.
- `optional` and `end` are reserved words in some dialects of Cypher: write them in backticks.
- The script that `kgscripts show` prints has the `usual` steps of a scenario. `--limit N` keeps those with a
  `salience_rank` of N or less, since usual steps have the first ranks. With other conditions, such as `--min-support`,
  order by `salience_rank` and take the first N.
- `mean_position` is the mean relative position of a step in its sources. The order of two steps is PRECEDES; `rank`
  agrees with it, so order whole scripts by `rank`. `-[:PRECEDES*]->` and `kgs:precedes+` follow it over several steps:
  start from one step, and in Cypher bound the length (`*1..5`), since every path is visited.

## What a query may hold

Queries only read, and this is checked before anything is sent. Comments are removed, line ends become line feeds, and
characters and escapes that engines read differently are refused; exactly this text is sent.

- SPARQL: SELECT, ASK, CONSTRUCT and DESCRIBE with the keywords and functions of SPARQL 1.1 and the casts of `xsd:`. No
  `SERVICE`, no updates, no other functions, no `java:` IRIs. FROM takes `http:`, `https:` and `urn:` IRIs; it chooses
  graphs of the store, but a server that has no dataset of its own may fetch them.
- Cypher: MATCH, OPTIONAL MATCH, WHERE, UNWIND, WITH, RETURN, ORDER BY, SKIP, LIMIT, UNION, subqueries in `CALL { … }`,
  `EXISTS { … }` and `COUNT { … }`, and one statement. `exports/cypher_functions.py` lists the functions, and the
  procedures that CALL may name: `show_tables`, `table_info`, `db.labels` and a few more. A keyword can be a name
  (`n.load`), and anything can in backticks.
- At most 1 MiB, 10,000 tokens, and brackets nested 100 deep. A query file is a regular file in UTF-8.

## Limits

A query of a graph directory, an Oxigraph store or a Ladybug file runs in a process of its own, which is kept for
further queries. It may make no connections, start no programs, write no files (in Cypher: open none) and use 2 GiB of
memory besides the store. Linux on x86-64 and ARM64 has these limits; elsewhere `--unconfined` (`confined=False` in
Python) runs the process without them: do this only with queries that you trust.

- `--timeout SECONDS` (`timeout=`) limits the time of a query, also on a server; 300 seconds is the default. Ctrl-C ends
  a query within two seconds.
- `--max-rows N` (`max_rows=`) limits the rows of a result; 1,000,000 is the default. A result from disk has at most
  256 MiB. For more, divide the query with `LIMIT` and `OFFSET`, or export the graph to Parquet.
- Infinity and not a number, which JSON lacks, are written as `"Infinity"`, `"-Infinity"` and `"NaN"`.
"""


def comment_and_text(path: Path) -> tuple[list[str], str]:
    """The lines of the comment that a query file begins with, and the query itself."""
    mark = "# " if path.suffix == ".rq" else "// "
    lines = path.read_text(encoding="utf-8").splitlines()
    length = next(i for i, line in enumerate(lines) if not line.startswith(mark))
    return [line.removeprefix(mark) for line in lines[:length]], "\n".join(lines[length:])


def query_document() -> str:
    """The text of `docs/guide/queries.md`."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    for name in QUESTIONS:
        for path, language in ((DOCS / "queries" / f"{name}{end}", end[1:]) for end in (".rq", ".cypher")):
            (question, *more), text = comment_and_text(path)
            if language == "rq":
                yield f"## {question}\n"
                yield from ([*more, ""] if more else [])
            yield f"[`docs/queries/{path.name}`](../queries/{path.name})\n"
            yield f"```{'sparql' if language == 'rq' else language}\n{text}\n```\n"


if __name__ == "__main__":
    (DOCS / "guide" / "queries.md").write_text(query_document(), encoding="utf-8")
