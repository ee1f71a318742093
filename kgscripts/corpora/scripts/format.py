"""Scripts as people write them: YAML or JSON files that say how something is done.

A file is one script. What it says is checked when it is read, so that a mistake is named with its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import cattrs
import yaml
from attrs import NOTHING, field, fields, frozen, validators
from cattrs.errors import ClassValidationError
from cattrs.v import format_exception, transform_error

from kgscripts.changes.attributes import attributes
from kgscripts.text.lexicon import word_list
from schemas.errors import InputError
from schemas.json_schema import json_schema
from schemas.records import Importance, Role, ToolRole


class NeedKind(StrEnum):
    """A tool is used and kept; a supply is used up or stays in the result."""

    TOOL = "tool"
    SUPPLY = "supply"


_words = validators.and_(validators.instance_of(str), validators.matches_re(r"\S.*\S|\S"))
_all_words = validators.deep_iterable(_words)


@frozen(kw_only=True)
class Need:
    """What one must have. `instead` are things each of which does as well; `optional` is what one may do without."""

    thing: str = field(validator=_words)
    kind: NeedKind
    amount: str = ""
    instead: tuple[str, ...] = field(default=(), validator=_all_words)
    optional: bool = False


@frozen(kw_only=True)
class StepTool:
    """A thing that a step is done with."""

    thing: str = field(validator=_words)
    role: ToolRole = ToolRole.INSTRUMENT


@frozen(kw_only=True)
class StepParticipant:
    """A thing or person that has a part in a step and is no tool of it."""

    thing: str = field(validator=_words)
    role: Role = Role.PATIENT


@frozen(kw_only=True)
class StepChange:
    """What a step changes: an attribute of the vocabulary, of a thing, before ("" if it is unknown) and after."""

    entity: str = field(validator=_words)
    attribute: str = field(validator=_words)
    before: str = ""
    after: str = field(validator=_words)


@frozen(kw_only=True)
class Step:
    """A step: its name as an instruction, and other ways in which people say it.

    `if_` is the condition on which it is done, `unless` that on which it is not. `instead_of` is the id of the step
    that it replaces, and `steps` are the names of what it consists of.
    """

    id: str = field(validator=validators.matches_re(r"[a-z0-9]+(-[a-z0-9]+)*"))
    name: str = field(validator=_words)
    wordings: tuple[str, ...] = field(default=(), validator=_all_words)
    importance: Importance = Importance.USUAL
    tools: tuple[StepTool, ...] = ()
    participants: tuple[StepParticipant, ...] = ()
    changes: tuple[StepChange, ...] = ()
    duration: str = ""
    if_: str = ""
    unless: str = ""
    instead_of: str = ""
    steps: tuple[str, ...] = field(default=(), validator=_all_words)


@frozen(kw_only=True)
class Variant:
    """Another way to do it: the steps that it leaves out, and those that it adds."""

    name: str = field(validator=_words)
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@frozen(kw_only=True)
class Script:
    """How something is done."""

    scenario: str = field(validator=_words)
    also: tuple[str, ...] = field(default=(), validator=_all_words)
    about: str = ""
    language: str = "en"
    licence: str = ""
    author: str = ""
    generated: bool = False
    source: str = ""
    needs: tuple[Need, ...] = ()
    steps: tuple[Step, ...] = field(validator=validators.min_len(1))
    order: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()

    def all_steps(self) -> Iterator[Step]:
        """Its steps and those of its variants."""
        yield from self.steps
        for variant in self.variants:
            yield from variant.steps

    def pairs(self) -> list[tuple[str, str]]:
        """The neighbours in the chains of `order`, by their ids."""
        chains = [[name.strip() for name in chain.split("<")] for chain in self.order]
        return [pair for chain in chains for pair in pairwise(chain)]

    def must_precede(self) -> dict[str, list[str]]:
        """The steps that each must precede, by their ids: those that `order` names, and what follows from it."""
        following: dict[str, set[str]] = {}
        for id in _later_first(self.pairs()):
            direct = {after for before, after in self.pairs() if before == id}
            following[id] = direct.union(*(following[after] for after in direct))
        return {id: sorted(ids) for id, ids in following.items()}


def _later_first(pairs: list[tuple[str, str]]) -> list[str]:
    """The ids of pairs, each behind all that it must precede. Raises CycleError if there is no such order."""
    order = TopologicalSorter[str]()
    for before, after in pairs:
        order.add(before, after)
    return list(order.static_order())


def _truth(value: object, _: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


_CONVERTER = cattrs.Converter(forbid_extra_keys=True, omit_if_default=True)
_CONVERTER.register_structure_hook(bool, _truth)
_CONVERTER.register_unstructure_hook(StrEnum, str)
_IF = cattrs.gen.override(rename="if")
_CONVERTER.register_structure_hook(Step, cattrs.gen.make_dict_structure_fn(Step, _CONVERTER, if_=_IF))
_CONVERTER.register_unstructure_hook(
    Step, cattrs.gen.make_dict_unstructure_fn(Step, _CONVERTER, _cattrs_omit_if_default=True, if_=_IF)
)


def plain(script: Script) -> dict[str, Any]:
    """A script as the content of a file: keys in the order of the form, without what is empty or the default."""
    content: dict[str, Any] = _in_order(_CONVERTER.unstructure(script))
    return content


class _Dumper(yaml.SafeDumper):
    """Writes no aliases: the reader of scripts refuses them."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def script_text(script: Script) -> str:
    """A script as the text of a file in YAML; what is short stands in one line."""
    text: str = yaml.dump(
        plain(script), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None
    )
    return text


_ID_WORDS = 4


def step_ids(names: Iterable[str]) -> list[str]:
    """An id for each step: the first words of its name, with a number where several have the same."""
    articles = word_list("articles", "possessives")
    ids = []
    times: Counter[str] = Counter()
    for name in names:
        words = [word for word in re.findall("[a-z0-9]+", name.lower()) if word not in articles]
        base = "-".join(words[:_ID_WORDS]) or "step"
        times[base] += 1
        ids.append(f"{base}-{times[base]}" if times[base] > 1 else base)
    return ids


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value, key=_KEYS.index)}
    return [_in_order(item) for item in value] if isinstance(value, list | tuple) else value


_KEYS = (
    *("scenario", "id", "name", "also", "about", "language", "licence", "author", "generated", "source"),
    *("thing", "kind", "amount", "instead", "optional", "role", "entity", "attribute", "before", "after"),
    *("needs", "wordings", "importance", "tools", "participants", "changes", "duration", "if", "unless", "instead_of"),
    *("without", "steps", "order", "variants"),
)
"""The order in which keys are written."""


def written_script_schema() -> dict[str, Any]:
    """The JSON Schema of a file with a script; what it cannot say, such as that ids are known, `script_of` checks."""
    schema = json_schema(Script)
    kinds = schema["$defs"]
    for kind in (Need, StepTool, StepParticipant, StepChange, Step, Variant, Script):
        kinds[kind.__name__]["required"] = [item.name for item in fields(kind) if item.default is NOTHING]
    kinds["Step"]["properties"]["if"] = kinds["Step"]["properties"].pop("if_")
    kinds["StepChange"]["properties"]["attribute"] = {"enum": sorted(attributes())}
    return {**schema, "title": "A script that a person writes for kgscripts"}


def script_of(content: Any, where: str) -> Script:
    """The script of the content of a file. Raises InputError with what is wrong."""
    if not isinstance(content, Mapping):
        raise InputError("no script: it has no keys", where=where, remedy=_REMEDY)
    try:
        script = _CONVERTER.structure(content, Script)
    except ClassValidationError as error:
        faults = transform_error(error, format_exception=what_is_wrong)[:3]
        raise InputError(f"no script: {'; '.join(faults)}", where=where, remedy=_REMEDY) from error
    if faults := list(_faults(script)):
        raise InputError("; ".join(faults), where=where, remedy=_REMEDY)
    return script


def what_is_wrong(error: BaseException, kind: type | None) -> str:
    """What cattrs or a validator says, in its first words."""
    if isinstance(error, ValueError | TypeError) and error.args:
        return str(error.args[0]).split(" (", maxsplit=1)[0]
    return format_exception(error, kind)


_REMEDY = "see docs/reference/scripts.md for the form"


def _faults(script: Script) -> Iterator[str]:
    """What contradicts itself."""
    steps = list(script.all_steps())
    ids = [step.id for step in steps]
    if repeated := sorted({id for id in ids if ids.count(id) > 1}):
        yield f"ids that several steps have: {', '.join(repeated)}"
    pairs = script.pairs()
    named = {id for pair in pairs for id in pair} | {step.instead_of for step in steps if step.instead_of}
    named |= {id for variant in script.variants for id in variant.without}
    if unknown := sorted(named - set(ids)):
        yield f"no step has the id {', '.join(unknown)}"
    try:
        _later_first(pairs)
    except CycleError as error:
        yield f"a circle in the order: {' < '.join(reversed(error.args[1]))}"
    known = attributes()
    if wrong := sorted({c.attribute for step in steps for c in step.changes} - set(known)):
        yield f"attributes that are not in the vocabulary: {', '.join(wrong)}"
