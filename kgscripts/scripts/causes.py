"""From a fact to its cause: the models that read the parts of a step, and by what they did, as far as the graph and the
records beside it tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from attrs import evolve

from kgscripts.records.shards import rows_without_index
from kgscripts.scripts.names import column
from kgscripts.scripts.types import Reader, Step, Tool, ToolWay, is_added
from schemas.records import EventMention
from schemas.script_graph import StoredGraph

_MOST_SOURCES = 50
"""The most sources of the tools of a step whose records are looked at."""


def readers_of(graph: StoredGraph, statements: Collection[str]) -> Mapping[str, list[Reader]]:
    """The models that read each statement, by name."""
    readers: dict[str, list[Reader]] = defaultdict(list)
    links = list(graph.rows("READ_BY", where={"from_id": statements}))
    models = {row["id"]: row for row in graph.rows("Model", where={"id": column(links, "to_id")})}
    for link in sorted(links, key=lambda link: (models[link["to_id"]]["name"], link["to_id"])):
        values = {name: models[link["to_id"]][name] for name in ("name", "version", "task")}
        readers[link["from_id"]].append(Reader(iri=graph.iri(link["to_id"]), score=link["score"], **values))
    return readers


def with_causes(graph: StoredGraph, identifier: str, step: Step) -> Step:
    """The step with this id, whose tools say what gave them."""
    uses = list(graph.rows("USES", ("to_id", "statement"), {"from_id": identifier}))
    ways = _ways(graph, {row["statement"]: graph.iri(row["to_id"]) for row in uses}, step.tools)
    return evolve(step, tools=[evolve(tool, via=ways[tool.iri]) for tool in step.tools])


def _ways(graph: StoredGraph, tool_of: Mapping[str, str], tools: Collection[Tool]) -> dict[str, list[ToolWay]]:
    """How each tool was found, by its IRI; `tool_of` has the IRIs by the statements that they are tools of the step."""
    links = list(graph.rows("EVIDENCED_BY", where={"from_id": tool_of.keys()}))
    passages = {row["id"]: row for row in graph.rows("Passage", where={"id": column(links, "to_id")})}
    sources = graph.rows("Source", ("id", "digest"), {"id": column(passages.values(), "source")})
    digests = {row["id"]: row["digest"] for row in sources}
    labels = {tool.iri: tool.label for tool in tools}
    named: dict[tuple[str, int, int], set[str]] = defaultdict(set)
    for link in links:
        passage = passages[link["to_id"]]
        named[digests[passage["source"]], passage["start"], passage["end"]].add(tool_of[link["from_id"]])
    ways: dict[str, set[ToolWay]] = defaultdict(set)
    columns = ("subject", "extractor", "start", "end", "tools")
    looked_at = sorted(digests.values())[:_MOST_SOURCES]
    for row in rows_without_index(graph.directory / "records", EventMention, looked_at, columns):
        for iri in named[row["subject"], row["start"], row["end"]] if row["extractor"] in graph.manifest.models else ():
            for tool in row["tools"]:
                if tool["lemma"] == labels[iri]:
                    is_within = row["start"] <= tool["start"] and tool["end"] <= row["end"]
                    carried = ToolWay.NAMED if is_within else ToolWay.CARRIED
                    ways[iri].add(ToolWay.INFERRED if tool["inferred"] else carried)
    return {tool.iri: sorted(ways[tool.iri], key=list(ToolWay).index) or _way(tool) for tool in tools}


def _way(tool: Tool) -> list[ToolWay]:
    """What the graph alone tells."""
    if is_added(tool.support, tool.probability):
        return []
    return [ToolWay.PREDICTED if tool.predicted else ToolWay.INFERRED if tool.inferred else ToolWay.NAMED]
