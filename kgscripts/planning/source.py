"""What a plan is made of: steps with their things and changes, read in a script or in a procedure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import field, frozen

from kgscripts.planning.plan import Passage
from schemas.changes import Level

_RELATIVE = re.compile(
    "(?:more|less|fewer)(?: .*)?"
    "|(?:bigg|blunt|bright|broad|calm|clean|clear|clos|cold|cool|dark|deep|dens|dirti|dri|dry|dull|empti|fast|firm|flatt"
    "|full|great|hard|heavi|high|hott|larg|light|long|loos|loud|low|narrow|near|neat|old|quiet|rough|sharp|shin|shini"
    "|short|slow|small|smooth|soft|strong|sweet|tall|thick|thinn|tight|warm|weak|wett|wid|young)er"
)


def folded(name: str) -> str:
    """A name in lower case with single spaces: names of entities and things that differ in these only are one."""
    return " ".join(name.lower().split())


def is_relative(value: str) -> bool:
    """Whether a value says how an attribute changes, and not which value it has: "heavier", "more full"."""
    return _RELATIVE.fullmatch(value.lower()) is not None


def _value(text: str | None) -> str:
    return " ".join((text or "").split())


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(folded, names)))


@frozen(kw_only=True)
class SourceChange:
    """What a step changes: `attribute` of `entity` is `before` before it and `after` after it ("" or None: unknown).

    Without passages of its own, it has those of its step.
    """

    entity: str = field(converter=folded)
    attribute: str = field(converter=folded)
    before: str = field(default="", converter=_value)
    after: str = field(default="", converter=_value)
    level: Level = Level.CERTAIN
    probability: float = 1.0
    passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...])


@frozen(kw_only=True)
class SourceStep:
    """A step with its id, its label for people, the things that it needs at hand, its changes and its passages."""

    id: str
    label: str
    tools: tuple[str, ...] = field(default=(), converter=_names)
    supplies: tuple[str, ...] = field(default=(), converter=_names)
    changes: tuple[SourceChange, ...] = field(default=(), converter=tuple[SourceChange, ...])
    passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...])
