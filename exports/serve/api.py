"""The JSON addresses: parameters in the query string, read and checked by one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from attrs import evolve, frozen

from exports import answers
from exports.serve.protocol import ProtocolError
from schemas.json_schema import json_schema


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
    """An address below ``/api/``: the function of `exports.answers` that answers, which gives it its name, its
    description and the schema of its answers."""

    answer: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.answer.__name__

    @property
    def summary(self) -> str:
        """What it answers."""
        return (self.answer.__doc__ or "").split("\n\n")[0].rstrip(".")

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its answers."""
        return json_schema(get_type_hints(self.answer)["return"])

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


SCENARIO = Parameter(name="scenario", description="The label of a scenario, another name of it, or its IRI.")
_STEP = Parameter(name="step", description="The label of a step, other words for it, or its IRI.")
_LIMIT = Parameter(name="limit", description="At most this number.", default=30, least=1, most=1_000)
_FOUND = evolve(_LIMIT, description="At most this number of each kind.", default=5, most=100)
_EVIDENCE = Parameter(name="evidence", description="At most this number of passages of each.", default=0, most=20)

ADDRESSES = (
    Address(answer=answers.scenarios),
    Address(answer=answers.script, parameters=(SCENARIO, _LIMIT, _EVIDENCE)),
    Address(answer=answers.step, parameters=(SCENARIO, _STEP, evolve(_EVIDENCE, default=3))),
    Address(answer=answers.needs, parameters=(SCENARIO, evolve(_EVIDENCE, default=1))),
    Address(
        answer=answers.tools,
        parameters=(Parameter(name="action", description="What is done, in any words."), _FOUND),
    ),
    Address(answer=answers.changes, parameters=(SCENARIO, evolve(_STEP, default=""), _LIMIT)),
    Address(answer=answers.passage, parameters=(SCENARIO, _STEP, evolve(_LIMIT, default=5, most=100))),
    Address(
        answer=answers.plan,
        parameters=(
            SCENARIO,
            Parameter(name="likely", description="1 to plan with likely changes too.", default=0, most=1),
        ),
    ),
    Address(answer=answers.tool, parameters=(Parameter(name="name", description="The label of a tool."), _LIMIT)),
    Address(
        answer=answers.search,
        parameters=(
            Parameter(name="question", description="What is looked for, in any words."),
            Parameter(name="kind", description="step, tool or scenario; all without it.", default=""),
            _FOUND,
        ),
    ),
)


def description(version: str, at: str = "") -> dict[str, Any]:
    """The addresses below `at` as an OpenAPI 3.1 document."""
    failures: dict[str, Any] = {
        "400": {"description": "A parameter is wrong; the answer says how."},
        "404": {"description": "The graph has nothing of this name; the answer has the nearest names."},
        "503": {
            "description": "Too many requests wait, or a store is made: try again after the seconds of Retry-After."
        },
    }
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    for item in ADDRESSES:
        schema = _in_components(item.schema())
        schemas |= schema.pop("$defs")
        answered = {"description": item.summary, "content": {"application/json": {"schema": schema}}}
        paths[f"/api/{item.name}"] = {
            "get": {
                "operationId": item.name,
                "summary": item.summary,
                "parameters": [_described(each) for each in item.parameters],
                "responses": {"200": answered, **failures},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "A script graph", "version": version},
        "servers": [{"url": at or "/"}],
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def _in_components(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose references lead to the components of the document."""
    text = json.dumps({name: value for name, value in schema.items() if name != "$schema"})
    result: dict[str, Any] = json.loads(text.replace('"#/$defs/', '"#/components/schemas/'))
    return result


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
