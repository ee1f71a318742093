"""What the tools of an assistant answer: short, with names, and with ids only where another call needs them."""

from __future__ import annotations

from typing import Any

from exports.graph import ScriptGraph
from exports.query.sparql import run_query
from exports.serve.answers import tools
from kgscripts.scripts.reading import read_step
from kgscripts.scripts.things import list_needs
from kgscripts.scripts.types import Change, Evidence, Script, Step
from kgscripts.search.entries import Kind

Values = dict[str, Any]

MOST_FOUND, MOST_STEPS, MOST_PASSAGES, MOST_ROWS = 50, 100, 10, 1_000
"""The largest numbers that a call may ask for."""
QUERY_SECONDS = 20.0
"""The time limit of a query."""


def search(graph: ScriptGraph, question: str, kind: Kind | None, limit: int) -> Values:
    """The best of each kind, or of one."""
    answer = graph.search(question, kind=kind, limit=limit)
    return {
        "compared": "words and meaning" if answer.meaning else "words only",
        "found": [
            {"kind": each.kind.value, "name": each.label, "scenario": each.scenario, "sources": each.support}
            for each in answer.found
        ],
    }


def script(graph: ScriptGraph, scenario: str, limit: int) -> Values:
    """The usual steps in order, with their parts."""
    read = graph.script(scenario, limit=limit)
    return {
        "scenario": read.label,
        "sources": read.support,
        "needs": [need.label for need in read.needs],
        "steps": [_step(number, step) for number, step in enumerate(read.steps, start=1)],
        "order": [[_number(read, before), _number(read, after)] for before, after in read.order],
        "left_out": len(read.left_out),
    }


def needs(graph: ScriptGraph, scenario: str) -> Values:
    """The tools and supplies."""
    read = list_needs(graph, scenario, usual=True, evidence=1)
    return {
        "scenario": read.label,
        "sources": read.support,
        "needs": [
            {
                "name": need.label,
                "kind": "tool" if need.is_tool else "supply",
                "amount": need.amount,
                "sources": need.support,
                "passage": next((each.text for each in need.evidence), None),
            }
            for need in read.needs
        ],
        "left_out": read.left_out,
    }


def tools_for(graph: ScriptGraph, action: str, limit: int) -> Values:
    """The tools of the steps that are nearest to the words of an action."""
    return {
        "steps": [
            {
                "step": found.step,
                "scenario": found.scenario,
                "tools": [
                    {"name": tool.label, "role": tool.role, "share": tool.probability, "sources": tool.support}
                    for tool in found.tools
                ],
            }
            for found in tools(graph, action, limit).steps
        ]
    }


def changes(graph: ScriptGraph, scenario: str, step: str) -> Values:
    """What a step changes."""
    label, read = read_step(graph, scenario, step, usual=True)
    return {"scenario": label, "step": read.label_text, "changes": [_change(each) for each in read.changes]}


def plan(graph: ScriptGraph, scenario: str, likely: bool) -> Values:
    """The steps with what each requires and brings about."""
    return graph.script(scenario, evidence=1).plan(likely=likely).to_dict()


def passage(graph: ScriptGraph, scenario: str, step: str, limit: int) -> Values:
    """The sentences in which a step was read."""
    label, read = read_step(graph, scenario, step, usual=True, evidence=limit)
    return {"scenario": label, "step": read.label_text, "passages": [_passage(each) for each in read.evidence]}


def sparql(graph: ScriptGraph, query: str) -> Values:
    """The rows of a query."""
    table = run_query(graph, query, timeout=QUERY_SECONDS, max_rows=MOST_ROWS)
    return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def statistics(graph: ScriptGraph) -> Values:
    """What the graph was made of, and how many nodes and relations it has of each type."""
    manifest = graph.manifest
    return {
        "build": graph.build_id,
        "base_iri": manifest.base_iri,
        "rows": {name: manifest.rows(name) for name in sorted(manifest.tables)},
    }


def _step(number: int, step: Step) -> Values:
    return {
        "number": number,
        "step": step.label_text,
        "sources": step.support,
        "essential": step.essential,
        "optional": step.optional,
        "tools": [tool.label for tool in step.tools],
        "participants": [part.label for part in step.participants],
        "changes": [_change(each) for each in step.changes],
    }


def _change(change: Change) -> Values:
    return {
        "entity": change.entity,
        "attribute": change.attribute,
        "before": change.before,
        "after": change.after,
        "level": change.level.value,
    }


def _passage(evidence: Evidence) -> Values:
    return {"text": evidence.text, "source": evidence.source, "start": evidence.start, "end": evidence.end}


def _number(script: Script, iri: str) -> int:
    return next(number for number, step in enumerate(script.steps, start=1) if step.iri == iri)
