"""What is asked of a graph, and the JSON of the answers.

Answers are records of the graph as classes, whose JSON Schemas describe what the addresses of the server give. What the
tools of an assistant give is short: with names, and ids only where another call needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import asdict, frozen

from exports.graph import ScriptGraph
from kgscripts.analysis.contexts import read_contexts
from kgscripts.planning.plan import Plan
from kgscripts.scripts.reading import list_scenarios, read_step
from kgscripts.scripts.things import Needs, ToolUse, list_needs, read_tool_uses
from kgscripts.scripts.types import Change, Evidence, Scenario, Script, Step, Tool
from kgscripts.search.entries import Answer, Kind


@frozen(kw_only=True)
class Scenarios:
    """All scenarios, best supported first."""

    scenarios: Sequence[Scenario]


@frozen(kw_only=True)
class StepOfScenario:
    """A step of a scenario."""

    scenario: str
    step: Step


@frozen(kw_only=True)
class StepTools:
    """A step of a scenario, and the tools that it is done with."""

    scenario: str
    iri: str
    step: str
    tools: Sequence[Tool]


@frozen(kw_only=True)
class ToolsOfSteps:
    """The steps that are nearest to an action, and their tools."""

    steps: Sequence[StepTools]


@frozen(kw_only=True)
class StepChanges:
    """A step, and what it changes."""

    iri: str
    step: str
    changes: Sequence[Change]


@frozen(kw_only=True)
class ChangesOfScenario:
    """What the steps of a scenario change, in their order."""

    scenario: str
    steps: Sequence[StepChanges]


@frozen(kw_only=True)
class PassageInText(Evidence):
    """A sentence in which something was read, and the text before and after it, "" where it is not at hand."""

    before: str
    after: str


@frozen(kw_only=True)
class PassagesOfStep:
    """The passages in which a step of a scenario was read."""

    scenario: str
    step: str
    passages: Sequence[PassageInText]


@frozen(kw_only=True)
class ToolUses:
    """The steps that are done with a tool, of which `left_out` are not listed."""

    tool: str
    uses: Sequence[ToolUse]
    left_out: int


def scenarios(graph: ScriptGraph) -> Scenarios:
    """All scenarios, best supported first."""
    return Scenarios(scenarios=list_scenarios(graph))


def script(graph: ScriptGraph, scenario: str, limit: int, evidence: int) -> Script:
    """The script of a scenario: its usual steps in order, with their parts."""
    return graph.script(scenario, limit=limit, evidence=evidence)


def step(graph: ScriptGraph, scenario: str, step: str, evidence: int, *, causes: bool = True) -> StepOfScenario:
    """A step with its wordings, tools, participants, changes and passages."""
    label, matched_step = read_step(graph, scenario, step, usual=True, evidence=evidence, causes=causes)
    return StepOfScenario(scenario=label, step=matched_step)


def needs(graph: ScriptGraph, scenario: str, evidence: int) -> Needs:
    """What a scenario needs."""
    return list_needs(graph, scenario, usual=True, evidence=evidence)


def tools(graph: ScriptGraph, action: str, limit: int) -> ToolsOfSteps:
    """The steps that are nearest to the words of an action, and the tools that they are done with."""
    nearest = [each for each in graph.search(action, kind=Kind.STEP, limit=limit).found if each.scenario]
    steps = [(each.scenario, read_step(graph, each.scenario, each.iri)[1]) for each in nearest]
    return ToolsOfSteps(
        steps=[
            StepTools(scenario=scenario, iri=step.iri, step=step.label_text, tools=step.tools)
            for scenario, step in steps
        ]
    )


def changes(graph: ScriptGraph, scenario: str, step: str, limit: int) -> ChangesOfScenario:
    """What a step changes; without a step, what those of the scenario change."""
    if step:
        label, matched_step = read_step(graph, scenario, step, usual=True)
        steps: Sequence[Step] = [matched_step]
    else:
        read = graph.script(scenario, limit=limit)
        label, steps = read.label, read.steps
    return ChangesOfScenario(
        scenario=label,
        steps=[StepChanges(iri=each.iri, step=each.label_text, changes=each.changes) for each in steps],
    )


def plan(graph: ScriptGraph, scenario: str, likely: int) -> Plan:
    """A scenario as a plan: what each step requires and brings about."""
    return graph.script(scenario, evidence=1).plan(likely=bool(likely))


def tool(graph: ScriptGraph, name: str, limit: int) -> ToolUses:
    """The steps that are done with a tool."""
    label, uses, left_out = read_tool_uses(graph, name, limit=limit)
    return ToolUses(tool=label, uses=uses, left_out=left_out)


def passage(graph: ScriptGraph, scenario: str, step: str, limit: int) -> PassagesOfStep:
    """The passages in which a step was read, in their text."""
    label, matched_step = read_step(graph, scenario, step, usual=True, evidence=limit)
    places = {each: (each.source, each.start, each.text) for each in matched_step.evidence}
    around = read_contexts(graph, places.values())
    return PassagesOfStep(
        scenario=label,
        step=matched_step.label_text,
        passages=[
            PassageInText(
                **asdict(each),
                before=around[place].before if place in around else "",
                after=around[place].after if place in around else "",
            )
            for each, place in places.items()
        ],
    )


def search(graph: ScriptGraph, question: str, kind: str, limit: int) -> Answer:
    """The steps, tools and scenarios that a question is about, the best of each kind."""
    return graph.search(question, kind=kind or None, limit=limit)


def short_found(answer: Answer) -> dict[str, Any]:
    """What is found, for an assistant."""
    return {
        "compared": "words and meaning" if answer.meaning else "words only",
        "found": [
            {"kind": each.kind.value, "name": each.label, "scenario": each.scenario, "sources": each.support}
            for each in answer.found
        ],
    }


def short_script(script: Script) -> dict[str, Any]:
    """A script, for an assistant."""
    numbers = {step.iri: number for number, step in enumerate(script.steps, start=1)}
    return {
        "scenario": script.label,
        "sources": script.support,
        "written_by_a_language_model": script.generated,
        "needs": [need.label for need in script.needs],
        "steps": [
            {
                "number": numbers[step.iri],
                "step": step.label_text,
                "sources": step.support,
                "essential": step.essential,
                "optional": step.optional,
                "only": [*step.conditions, *(f"in the variant {name}" for name in step.variants)],
                "tools": [tool.label for tool in step.tools],
                "participants": [part.label for part in step.participants],
                "changes": [_change(each) for each in step.changes],
            }
            for step in script.steps
        ],
        "order": [[numbers[before], numbers[after]] for before, after in script.order],
        "left_out": len(script.left_out),
    }


def short_needs(answer: Needs) -> dict[str, Any]:
    """What a scenario needs, for an assistant."""
    return {
        "scenario": answer.label,
        "sources": answer.support,
        "needs": [
            {
                "name": need.label,
                "kind": "tool" if need.is_tool else "supply",
                "amount": need.amount,
                "instead": list(need.instead),
                "optional": need.optional,
                "sources": need.support,
                "passage": next((each.text for each in need.evidence), None),
            }
            for need in answer.needs
        ],
        "left_out": answer.left_out,
    }


def short_tools(answer: ToolsOfSteps) -> dict[str, Any]:
    """The tools of steps, for an assistant."""
    return {
        "steps": [
            {
                "step": each.step,
                "scenario": each.scenario,
                "tools": [
                    {"name": tool.label, "role": tool.role, "share": tool.probability, "sources": tool.support}
                    for tool in each.tools
                ],
            }
            for each in answer.steps
        ]
    }


def short_changes(answer: StepOfScenario) -> dict[str, Any]:
    """What a step changes, for an assistant."""
    changes = [_change(each) for each in answer.step.changes]
    return {"scenario": answer.scenario, "step": answer.step.label_text, "changes": changes}


def short_passages(answer: StepOfScenario) -> dict[str, Any]:
    """The passages of a step, for an assistant."""
    names = ("text", "source", "start", "end")
    passages = [{name: getattr(each, name) for name in names} for each in answer.step.evidence]
    return {"scenario": answer.scenario, "step": answer.step.label_text, "passages": passages}


def _change(change: Change) -> dict[str, Any]:
    return {**change.own(), "level": change.level.value}
