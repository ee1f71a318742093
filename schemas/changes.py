"""State changes: an attribute of an entity, and its values before and after a step (OpenPI, Tandon et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from attrs import Attribute, field, frozen, validators

from schemas.arguments import items_of
from schemas.errors import InputError


@frozen(kw_only=True)
class Change:
    """One state change, in the open vocabulary of its source; a missing part is "".

    "location of oil was on counter before and in blender afterwards" has the attribute *location*, the entity *oil*,
    before *on counter*, after *in blender*.
    """

    entity: str = field(validator=validators.min_len(1))
    attribute: str = ""
    before: str = ""
    after: str = ""


def _encodable(_: object, attribute: Attribute[str], text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the {attribute.name} of a step has a lone surrogate at character {error.start}",
            remedy="decode the text as UTF-8, or replace what cannot be encoded",
        ) from error


@frozen(kw_only=True)
class ProcedureStep:
    """A step whose changes are predicted, with the title and the earlier steps of its procedure.

    Raises InputError for a lone surrogate: no model can read it.
    """

    text: str = field(validator=validators.and_(validators.min_len(1), _encodable))
    context: tuple[str, ...] = field(default=(), validator=validators.deep_iterable(_encodable))
    """The earlier steps, in order."""
    title: str = field(default="", validator=_encodable)
    """The goal of the procedure; "" if unknown."""


def steps_of(steps: Sequence[ProcedureStep | str]) -> list[ProcedureStep]:
    """The steps; a string is a step without context. Raises ConfigurationError for what is no list."""
    return [ProcedureStep(text=step) if isinstance(step, str) else step for step in items_of("steps", steps)]


@frozen(kw_only=True)
class PredictedChange:
    """A change that a model predicts for a step."""

    change: Change
    log_probability: float
    """Natural logarithm of the probability that the change is true of the step."""


class Level(StrEnum):
    """How sure a change is, the surest first: `certain` ones can be planned with, `likely` ones are worth a look."""

    CERTAIN = "certain"
    LIKELY = "likely"


@frozen(kw_only=True)
class RatedChange:
    """A change of a step with the probability that it is true, and its level."""

    change: Change
    probability: float
    level: Level
