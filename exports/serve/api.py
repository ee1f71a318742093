"""The JSON addresses: parameters in the query string, read and checked by one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from exports.serve.protocol import ProtocolError
from exports.serve.served import Served, Values


@frozen(kw_only=True)
class Parameter:
    """A parameter of an address: a text, or a whole number with its limits."""

    name: str
    description: str
    default: str | int | None = None
    """None for one that must be given, "" for one that can be left out."""
    least: int = 0
    most: int = 0

    def read(self, given: str | None) -> str | int:
        """Its value; raises ProtocolError with the status 400."""
        if given is None:
            if self.default is None:
                raise ProtocolError(400, f"the parameter {self.name} is missing: {self.description}")
            return self.default
        if not isinstance(self.default, int):
            return given
        if not (given.isascii() and given.isdigit() and len(given) < 10 and self.least <= int(given) <= self.most):
            raise ProtocolError(400, f"{self.name} is a whole number from {self.least} to {self.most}")
        return int(given)


@frozen(kw_only=True)
class Address:
    """An address below ``/api/``, what it answers, and the function that does."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    answer: Callable[..., Values]

    def values(self, given: Mapping[str, list[str]]) -> dict[str, str | int]:
        """The values of its parameters; raises ProtocolError with the status 400."""
        known = {item.name for item in self.parameters}
        for name, each in given.items():
            if name not in known:
                raise ProtocolError(
                    400, f"there is no parameter {name[:50]!r}: there are {', '.join(sorted(known)) or 'none'}"
                )
            if len(each) > 1:
                raise ProtocolError(400, f"the parameter {name} is given twice")
        return {item.name: item.read(given[item.name][0] if item.name in given else None) for item in self.parameters}


_SCENARIO = Parameter(name="scenario", description="The label of a scenario, another name of it, or its IRI.")
_STEP = Parameter(name="step", description="The label of a step, other words for it, or its IRI.")
_LIMIT = Parameter(name="limit", description="At most this number.", default=20, least=1, most=1_000)
_EVIDENCE = Parameter(name="evidence", description="At most this number of passages of each.", default=0, most=20)
_PASSAGES = Parameter(name="evidence", description="At most this number of passages of each.", default=3, most=20)

ADDRESSES = (
    Address(name="scenarios", summary="All scenarios, best supported first", parameters=(), answer=Served.scenarios),
    Address(
        name="script",
        summary="The script of a scenario: its usual steps in order, with their parts",
        parameters=(_SCENARIO, _LIMIT, _EVIDENCE),
        answer=Served.script,
    ),
    Address(
        name="step",
        summary="A step with its wordings, tools, participants, changes and passages",
        parameters=(_SCENARIO, _STEP, _PASSAGES),
        answer=Served.step,
    ),
    Address(name="needs", summary="What a scenario needs", parameters=(_SCENARIO,), answer=Served.needs),
    Address(
        name="plan",
        summary="A scenario as a plan: what each step requires and brings about",
        parameters=(
            _SCENARIO,
            Parameter(name="likely", description="1 to plan with likely changes too.", default=0, most=1),
        ),
        answer=Served.plan,
    ),
    Address(
        name="tool",
        summary="The steps that are done with a tool",
        parameters=(Parameter(name="name", description="The label of a tool."), _LIMIT),
        answer=Served.tool,
    ),
    Address(
        name="search",
        summary="The steps, tools and scenarios that a question is about, the best of each kind",
        parameters=(
            Parameter(name="question", description="What is looked for, in any words."),
            Parameter(name="kind", description="step, tool or scenario; all without it.", default=""),
            Parameter(name="limit", description="At most this number of each kind.", default=5, least=1, most=100),
        ),
        answer=Served.search,
    ),
)


def description(version: str) -> dict[str, Any]:
    """The addresses as an OpenAPI 3.1 document."""
    failures: dict[str, Any] = {
        "400": {"description": "A parameter is wrong; the answer says how."},
        "404": {"description": "The graph has nothing of this name; the answer has the nearest names."},
        "503": {"description": "Too many requests wait: try again after the seconds of Retry-After."},
    }
    paths: dict[str, Any] = {}
    for item in ADDRESSES:
        answered = {"description": item.summary, "content": {"application/json": {"schema": {"type": "object"}}}}
        paths[f"/api/{item.name}"] = {
            "get": {
                "operationId": item.name,
                "summary": item.summary,
                "parameters": [_described(each) for each in item.parameters],
                "responses": {"200": answered, **failures},
            }
        }
    return {"openapi": "3.1.0", "info": {"title": "A script graph", "version": version}, "paths": paths}


def _described(parameter: Parameter) -> dict[str, Any]:
    is_number = isinstance(parameter.default, int)
    schema: dict[str, Any] = {"type": "integer" if is_number else "string"}
    if is_number:
        schema |= {"minimum": parameter.least, "maximum": parameter.most, "default": parameter.default}
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.default is None,
        "description": parameter.description,
        "schema": schema,
    }
