"""Build a graph of three short texts, ask it, plan with it, export it: ``python make_and_use_a_graph.py FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import kgscripts
from schemas.errors import QueryError

TEXTS = (
    "How to cook pasta\n\nFill a pot with water. Boil the water. Add the pasta. Drain the pasta with a strainer.",
    "How to cook pasta\n\nBoil the water in a pot. Put the pasta in the pot. Drain the pasta with a strainer.",
    "How to make tea\n\nBoil the water in a kettle. Pour the water into a cup. Put a tea bag into the cup.",
)
TOOLS = "SELECT ?step ?tool { ?s kgs:uses ?t . ?s rdfs:label ?step . ?t rdfs:label ?tool } ORDER BY ?step ?tool"
SHARED = "MATCH (s:SubEvent)-[:USES]->(t:Tool) WHERE t.label = $tool RETURN s.label ORDER BY s.label"


def build(folder: Path) -> kgscripts.ScriptGraph:
    """The graph of the texts, made in `folder`."""
    report = kgscripts.build_graph(output=folder / "graph", texts=TEXTS)
    print(f"{report.sources} texts, {report.nodes['SubEvent']} steps")
    return kgscripts.ScriptGraph.open(report.directory)


def tools_of(script: kgscripts.Script) -> Iterator[tuple[str, list[str]]]:
    """Each step of a script with its tools."""
    for step in script.steps:
        yield step.label, [tool.label for tool in step.tools]


def main(folder: Path) -> None:
    graph = build(folder)
    scenarios: dict[str, str] = graph.labels("Scenario")
    for label in sorted(scenarios.values()):
        for step, tools in tools_of(graph.script(label)):
            print(f"{label}: {step} {tools}")

    pasta = graph.script("cook pasta", evidence=1)
    print("one needs", [need.label for need in pasta.needs])
    print("as in:", pasta.steps[0].evidence[0].text)
    plan = pasta.plan(likely=True)
    for planned in plan.steps:
        print(planned.label, "->", [str(effect) for effect in planned.effects])

    print(graph.query(TOOLS).rows)
    print(graph.query(cypher=SHARED, parameters={"tool": "pot"}).rows)
    print([nearest.label for nearest in graph.search("dry the noodles", kind="step", limit=1).found])
    try:
        graph.script("going to the moon")
    except QueryError as error:
        print(error.message)

    for name in ("graph.ttl", "graph.graphml"):
        done = kgscripts.export(graph, folder / name)
        print(name, done.nodes, "nodes,", done.relations, "relations")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
