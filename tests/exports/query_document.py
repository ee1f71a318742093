"""`docs/queries.md` from the query files beside it. Write it anew with ``python -m tests.exports.query_document``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
QUESTIONS = (
    "cooking-pasta",
    "tools-of-a-scenario",
    "what-a-tool-is-for",
    "shared-tools",
    "what-comes-before",
    "reliable-order",
    "optional-steps",
    "participants",
    "shared-actions",
    "well-supported-statements",
    "evidence",
    "readers-and-their-scores",
    "decomposition",
    "tools-by-alignment",
    "scenarios-of-passages",
    "replaced-iri",
)
_INTRODUCTION = """# Questions to ask a graph

Each question in SPARQL and in Cypher. Both give the same answer, on every store: a test asks them all on the embedded
stores (Oxigraph, Ladybug) and on servers (Apache Jena Fuseki, Neo4j). This page is written by
`python -m tests.exports.query_document` from the files in `docs/queries/`; a test keeps it true.

```console
kgscripts query graph --sparql docs/queries/cooking-pasta.rq
kgscripts query graph --cypher docs/queries/cooking-pasta.cypher --format csv
kgscripts query --endpoint http://localhost:3030/kg/query --sparql docs/queries/evidence.rq
kgscripts query --uri neo4j://localhost --cypher docs/queries/evidence.cypher
```

```python
import exports.cypher, exports.sparql
from schemas.script_graph import ScriptGraph

graph = ScriptGraph.open("graph")
table = exports.sparql.run_query(graph, "SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label }")
table = exports.cypher.run_query(graph, "MATCH (tool:Tool) RETURN tool.label AS label")
print(table.columns, table.rows)
```

Put your own scenario, sub-event or tool in place of *cooking pasta*, *drain pasta*, *colander* and *knife*:
`kgscripts show graph` lists the scenarios, `kgscripts show graph SCENARIO` the rest.

What to know when you write your own:

- [graph.md](graph.md) names every node, relation and property. In SPARQL `HAS_SUB_EVENT` is `kgs:hasSubEvent` and
  `mean_position` is `kgs:meanPosition`; labels are `rdfs:label`.
- A relation is one triple, `?step kgs:uses ?tool`. Its numbers and its evidence hang on its statement, which is found
  by `rdf:subject`, `rdf:predicate` and `rdf:object`. In Cypher the numbers stand on the relation itself, and its
  property `statement` is the `iri` of the statement.
- What is known stands in the default graph, what a text holds in the named graph of its source: hence
  `GRAPH ?document { … }`. `kgscripts query DIR` finds both without it; a server may not.
- Lists are lists in Cypher and text with commas in SPARQL.
- `optional` and `end` are reserved words in some dialects of Cypher: write them in backticks.
- `mean_position` is where in their text people tell a step, on average. What comes before what is PRECEDES; the
  `rank` of a step among its scenario's follows it, so whole scripts are ordered by `rank`.
  `-[:PRECEDES*]->` and `kgs:precedes+` follow it over several steps: start from one step, and in Cypher bound the
  length (`*1..5`), for it walks every path.
"""


def comment_and_text(path: Path) -> tuple[list[str], str]:
    """The lines of the comment that a query file begins with, and the query itself."""
    mark = "# " if path.suffix == ".rq" else "// "
    lines = path.read_text(encoding="utf-8").splitlines()
    length = next(i for i, line in enumerate(lines) if not line.startswith(mark))
    return [line.removeprefix(mark) for line in lines[:length]], "\n".join(lines[length:])


def query_document() -> str:
    """The text of `docs/queries.md`."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    for name in QUESTIONS:
        for path, language in ((DOCS / "queries" / f"{name}{end}", end[1:]) for end in (".rq", ".cypher")):
            (question, *more), text = comment_and_text(path)
            if language == "rq":
                yield f"## {question}\n"
                yield from ([*more, ""] if more else [])
            yield f"[`queries/{path.name}`](queries/{path.name})\n"
            yield f"```{'sparql' if language == 'rq' else language}\n{text}\n```\n"


if __name__ == "__main__":
    (DOCS / "queries.md").write_text(query_document(), encoding="utf-8")
