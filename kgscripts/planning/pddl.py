"""A plan as a domain and a problem of PDDL: STRIPS with types and positive preconditions, in ASCII.

Each step is an action without parameters that is done once. The goal is that all steps are done.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kgscripts.planning.names import pddl_name, quoted
from kgscripts.planning.plan import Condition, Plan, PlanStep

_HEAD = """\
; The steps of a script as actions, made by kgscripts. A step can be done once, when the steps before it are done, its
; things are at hand and its conditions hold. Behind a name stand the words that it means, as a string of JSON."""
_PREDICATES = """\
  (:predicates
    (to-do ?step - step)
    (done ?step - step)
    (at-hand ?thing - thing)
    (holds ?thing - thing ?attribute - attribute ?value - value))"""


def action_names(plan: Plan) -> dict[str, str]:
    """The names of the actions, each with the id of its step, in the order of the plan."""
    return {pddl_name("do", _words(number, step)): step.id for number, step in enumerate(plan.steps, start=1)}


def pddl_domain(plan: Plan) -> str:
    """The domain: constants, predicates and one action a step, with the words of names and passages as comments."""
    return "\n".join(_domain(plan)) + "\n"


def pddl_problem(plan: Plan) -> str:
    """The problem: what holds at the start, and the goal."""
    return "\n".join(_problem(plan)) + "\n"


def _domain(plan: Plan) -> Iterator[str]:
    yield _HEAD
    yield f"(define (domain {pddl_name('script', plan.title)}) ; {quoted(plan.title)}"
    yield "  (:requirements :strips :typing)"
    yield "  (:types step thing attribute value)"
    yield "  (:constants"
    for kind, words in _constants(plan).items():
        yield from (f"    {pddl_name(kind, item)} ; {quoted(item)}" for item in words)
        yield f"    - {kind}"
    yield "  )"
    yield _PREDICATES
    steps = _steps(plan)
    contradicted: dict[str, list[str]] = defaultdict(list)
    for item in plan.contradictions:
        cause = f"{quoted(str(item.required))}, since {steps[item.earlier]} leaves {quoted(str(item.effect))}"
        contradicted[item.later].append(f"  ; requirement left out: {cause}")
    for number, step in enumerate(plan.steps, start=1):
        yield from (f"  ; passage: {quoted(item.text)} of {quoted(item.source)}" for item in step.passages)
        yield from contradicted[step.id]
        yield from _action(_words(number, step), step, steps)
    yield ")"


def _constants(plan: Plan) -> dict[str, Iterable[str]]:
    """The words of the constants of each type that has any, in the order of the plan."""
    conditions = [*plan.initial, *(effect for step in plan.steps for effect in step.effects)]
    found = {
        "step": [_words(number, step) for number, step in enumerate(plan.steps, start=1)],
        "thing": [*plan.tools, *plan.supplies, *plan.things],
        "attribute": dict.fromkeys(item.attribute for item in conditions),
        "value": dict.fromkeys(item.value for item in conditions),
    }
    return {kind: words for kind, words in found.items() if words}


def _steps(plan: Plan) -> dict[str, str]:
    """The constant of each step by its id."""
    return {step.id: pddl_name("step", _words(number, step)) for number, step in enumerate(plan.steps, start=1)}


def _words(number: int, step: PlanStep) -> str:
    """Labels can be equal; numbers are not."""
    return f"{number} {step.label}"


def _action(words: str, step: PlanStep, steps: Mapping[str, str]) -> Iterator[str]:
    own = steps[step.id]
    required = [
        f"(to-do {own})",
        *(f"(done {steps[other]})" for other in step.follows),
        *map(_at_hand, dict.fromkeys((*step.tools, *step.supplies))),
        *map(_holds, step.preconditions),
    ]
    effects = [
        f"(not (to-do {own}))",
        f"(done {own})",
        *(f"(not {_holds(item)})" for item in step.ceases),
        *(f"(not {_at_hand(thing)})" for thing in step.uses_up),
        *map(_holds, step.effects),
    ]
    yield f"  (:action {pddl_name('do', words)} ; {quoted(words)}"
    yield "    :parameters ()"
    yield f"    :precondition {_and(required)}"
    yield f"    :effect {_and(effects)})"


def _problem(plan: Plan) -> Iterator[str]:
    steps = _steps(plan).values()
    yield "; What holds at the start. The domain has the words of the names."
    yield f"(define (problem {pddl_name('problem', plan.title)})"
    yield f"  (:domain {pddl_name('script', plan.title)})"
    yield "  (:init"
    yield from (f"    (to-do {step})" for step in steps)
    yield from (f"    {_at_hand(thing)}" for thing in (*plan.tools, *plan.supplies))
    yield from (f"    {_holds(item)}" for item in plan.initial)
    yield "  )"
    yield f"  (:goal {_and(f'(done {step})' for step in steps)}))"


def _at_hand(thing: str) -> str:
    return f"(at-hand {pddl_name('thing', thing)})"


def _holds(item: Condition) -> str:
    names = (("thing", item.entity), ("attribute", item.attribute), ("value", item.value))
    return f"(holds {' '.join(pddl_name(kind, words) for kind, words in names)})"


def _and(facts: Iterable[str]) -> str:
    return "\n      ".join(("(and", *facts)) + ")"
