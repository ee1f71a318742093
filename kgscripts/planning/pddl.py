"""Plans as PDDL: domain and problem, their files, and the names of actions that plans are read back with."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kgscripts.planning.plan import Condition, Plan, PlanStep
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs, new_file

LONGEST = 100
"""The most characters of a name: planners have buffers."""
_DIGITS = 32
"""Hexadecimal digits of the digest at the end of the name of longer words."""
_ESCAPED = re.compile(r"[^a-z0-9 ]|^ | (?= |$)")
"""What is escaped: all but small letters of ASCII, digits and single spaces between words."""
_NAMED = re.compile(r"^[ (:a-z]*?((?:script|do|step|thing|attribute|value)-[a-z0-9_-]+)\)? ; (\".*\")$", re.MULTILINE)


def pddl_name(kind: str, words: str) -> str:
    """The name of `words` as a `kind` (small letters), the same in all files; different words have different names.

    It is the kind, a hyphen and the words, with hyphens for spaces and ``_e4_`` for a character whose code point is
    0xE4: ``thing-frying-pan``, ``value-_32__20_``; no words are ``_``. Of a longer name, the beginning is followed by
    digits of the SHA-256 of kind and words. Since it begins with its kind, no name is a keyword.
    """
    name = f"{kind}-{_ESCAPED.sub(_code, words).replace(' ', '-') or '_'}"
    if len(name) <= LONGEST:
        return name
    digest = hashlib.sha256(f"{kind} {words}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    # One character longer than any other name, so that it is none of those.
    return f"{name[: LONGEST - _DIGITS]}_{digest}"


def _code(character: re.Match[str]) -> str:
    return f"_{ord(character[0]):x}_"


def quoted(words: str) -> str:
    """`words` as a string of JSON in ASCII: one line, whatever they are."""
    return json.dumps(words).replace("\x7f", "\\u007f")


def read_names(pddl: str) -> dict[str, str]:
    """The words of each name in the text of a domain that kgscripts wrote; of steps and actions with their numbers."""
    return {name: json.loads(words) for name, words in _NAMED.findall(pddl)}


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
        if step.item:
            yield f"  ; item: {quoted(step.item)}"
        yield from (f"  ; passage: {quoted(item.text)} of {quoted(item.source)}" for item in step.passages)
        yield from contradicted[step.id]
        yield from _action(_words(number, step), step, steps)
    yield ")"


def _constants(plan: Plan) -> dict[str, Iterable[str]]:
    """The words of the constants of each type that has any, in the order of the plan."""
    conditions = [*plan.initial, *(effect for step in plan.steps for effect in step.effects)]
    constants = {
        "step": [_words(number, step) for number, step in enumerate(plan.steps, start=1)],
        "thing": [*plan.tools, *plan.supplies, *plan.things],
        "attribute": dict.fromkeys(item.attribute for item in conditions),
        "value": dict.fromkeys(item.value for item in conditions),
    }
    return {kind: words for kind, words in constants.items() if words}


def _steps(plan: Plan) -> dict[str, str]:
    """The constant of each step by its id."""
    return {step.id: pddl_name("step", _words(number, step)) for number, step in enumerate(plan.steps, start=1)}


def _words(number: int, step: PlanStep) -> str:
    """Labels can be equal; numbers are not."""
    return f"{number} {step.label}"


def _action(words: str, step: PlanStep, steps: Mapping[str, str]) -> Iterator[str]:
    constant = steps[step.id]
    required = [
        f"(to-do {constant})",
        *(f"(done {steps[other]})" for other in step.follows),
        *map(_at_hand, dict.fromkeys((*step.tools, *step.supplies))),
        *map(_holds, step.preconditions),
    ]
    effects = [
        f"(not (to-do {constant}))",
        f"(done {constant})",
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


_SUFFIX = ".pddl"


def problem_file(domain: Path) -> Path:
    """The file of the problem: ``tea-problem.pddl`` for the domain ``tea.pddl``."""
    return domain.with_name(f"{domain.stem}-problem{domain.suffix}")


def check_pddl(domain: Path, inputs: Iterable[str | Path]) -> None:
    """Check, before the work begins, that both files can be written and that neither replaces an input.

    Raises
    ------
    ConfigurationError
        If not, or if `domain` does not end in ``.pddl``.
    """
    if domain.suffix.lower() != _SUFFIX:
        raise ConfigurationError("no file of PDDL", where=str(domain), remedy=f"use the extension {_SUFFIX}")
    check_outputs(domain, problem_file(domain), inputs=inputs)


def save_pddl(plan: Plan, domain: Path) -> None:
    """Write both files, or neither.

    Raises
    ------
    StoreError
        If one cannot be written.
    """
    with new_file(problem_file(domain)) as problem_text, new_file(domain) as domain_text:
        problem_text.write_text(pddl_problem(plan), encoding="ascii")
        domain_text.write_text(pddl_domain(plan), encoding="ascii")
