"""State changes: an attribute of an entity, and its values before and after a step (OpenPI, Tandon et al. 2020)."""

from __future__ import annotations

from attrs import field, frozen, validators


@frozen(kw_only=True)
class Change:
    """One state change, in the open vocabulary of its source; "" where a part is not said.

    "location of oil was on counter before and in blender afterwards" has the attribute *location*, the entity *oil*,
    before *on counter*, after *in blender*.
    """

    entity: str = field(validator=validators.min_len(1))
    attribute: str = ""
    before: str = ""
    after: str = ""


@frozen(kw_only=True)
class ProcedureStep:
    """A step to predict the changes of, and what comes before it in its procedure."""

    text: str = field(validator=validators.min_len(1))
    context: tuple[str, ...] = ()
    """The earlier steps, in order."""
    title: str = ""
    """What the procedure is for; "" if unknown."""


@frozen(kw_only=True)
class PredictedChange:
    """A change that a model predicts for a step."""

    change: Change
    log_probability: float
    """Natural logarithm of the probability that the change is true of the step."""
