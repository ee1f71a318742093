"""Each scenario as a schema.org HowTo in a file of JSON-LD of its own: ``howto:FOLDER``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from exports.targets import ExportOptions, report
from kgscripts.scripts.names import Row, column
from schemas.output_files import new_directory
from schemas.records import OF_PLACE
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph

SUFFIX = ".jsonld"


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write a file for each scenario with steps, named after the scenario (``howto:FOLDER``).

    The steps are the usual ones, as `kgscripts show` prints them, or all if none is usual.

    Raises
    ------
    StoreError
        If the folder cannot be written, or holds files that no export made.
    """
    path = Path(target.partition(":")[2])
    if options.dry_run:
        return report(graph, target)
    written = 0
    with new_directory(path, inputs=[graph.directory]) as temporary:
        for identifier, content in how_tos(graph):
            file = temporary / f"{identifier.partition('/')[2]}{SUFFIX}"
            file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            written += 1
        options.advance(sum(map(graph.manifest.rows, graph.manifest.tables)))
    return report(graph, target, files=written)


def how_tos(graph: StoredGraph) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each scenario that has steps, by its id, as a HowTo; memory is that of all steps with their tools."""
    scenarios = {row["id"]: row for row in graph.rows("Scenario", ("id", "label", "alternative_labels"))}
    steps = list(graph.rows("HAS_SUB_EVENT", ("from_id", "to_id", "rank", "usual")))
    names = {step: text for step, (_, text) in graph.names("SubEvent", column(steps, "to_id")).items()}
    tools, needs = _tools(graph), _needs(graph)
    for scenario, group in groupby(sorted(steps, key=itemgetter("from_id", "rank")), itemgetter("from_id")):
        every = list(group)
        usual = [step for step in every if step["usual"]] or every
        yield scenario, _how_to(graph, scenarios[scenario], usual, names, tools, needs.get(scenario, []))


def _tools(graph: StoredGraph) -> dict[str, list[str]]:
    """The tools of each step by their names: instruments and machines first, then by support."""
    uses = list(graph.rows("USES", ("from_id", "to_id", "role", "support")))
    labels = graph.labels("Tool", column(uses, "to_id"))
    uses.sort(key=lambda use: (use["role"] in OF_PLACE, -use["support"], labels[use["to_id"]]))
    tools: dict[str, list[str]] = defaultdict(list)
    for use in uses:
        tools[use["from_id"]].append(labels[use["to_id"]])
    return tools


def _needs(graph: StoredGraph) -> dict[str, list[dict[str, str]]]:
    """The usual needs of each scenario, those of the most sources first: tools and supplies, with amounts."""
    rows = [row for row in graph.rows("NEEDS") if row["usual"]]
    ends = column(rows, "to_id")
    labels = {**graph.labels("Tool", ends), **graph.labels("Entity", ends)}
    rows.sort(key=lambda row: (-row["support"], labels[row["to_id"]]))
    needs: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        kind = "HowToTool" if row["role"] else "HowToSupply"
        amount = {"requiredQuantity": row["amount"]} if row["amount"] else {}
        needs[row["from_id"]].append({"@type": kind, "name": labels[row["to_id"]], **amount})
    return needs


def _how_to(
    graph: StoredGraph,
    scenario: Row,
    steps: Sequence[Row],
    names: Mapping[str, str],
    tools: Mapping[str, Sequence[str]],
    needs: Sequence[dict[str, str]],
) -> dict[str, Any]:
    """The HowTo of a scenario. Its `tool` and `supply` are what the scenario needs."""
    content: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "HowTo",
        "@id": graph.iri(scenario["id"]),
        "name": scenario["label"],
    }
    if scenario["alternative_labels"]:
        content["alternateName"] = list(scenario["alternative_labels"])
    content["tool"] = [need for need in needs if need["@type"] == "HowToTool"]
    content["supply"] = [need for need in needs if need["@type"] == "HowToSupply"]
    content["step"] = [
        {
            "@type": "HowToStep",
            "@id": graph.iri(step["to_id"]),
            "position": position,
            "itemListElement": _direction(names[step["to_id"]], tools.get(step["to_id"], ())),
        }
        for position, step in enumerate(steps, 1)
    ]
    return content


def _direction(text: str, tools: Sequence[str]) -> dict[str, Any]:
    """A direction with its tools: schema.org gives a HowToStep itself none."""
    direction: dict[str, Any] = {"@type": "HowToDirection", "text": text}
    named = [{"@type": "HowToTool", "name": name} for name in tools]
    return {**direction, "tool": named} if tools else direction
