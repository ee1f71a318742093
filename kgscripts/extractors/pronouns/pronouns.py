"""Resolution of objects that are not named: "it", "them", "one", "the rest", relative pronouns, omitted objects.

The antecedent of a relative pronoun is the noun that its clause modifies. The antecedent of another pronoun is the most
probable of the nouns before it (`kgscripts.extractors.pronouns.antecedents`), or none of them, by a log-linear model.
``data/pronouns.json`` has its weights, which ``kgscripts train pronouns`` fits. A pronoun is resolved
only if an antecedent is more probable than `LEAST`; else it stays a pronoun.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import frozen

from kgscripts.extractors.events.nouns import content_head, is_noun
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.fitted_weights import log_odds, shipped_weights
from kgscripts.extractors.pronouns.antecedent_features import features_of, need_of
from kgscripts.extractors.pronouns.antecedents import Discourse, Entity

THIRD_PERSON = frozenset({"it", "them", "him", "her"})
"""The personal pronouns that can be objects and refer to a thing or a person of the text."""

_UNRESOLVED = {
    **dict.fromkeys(("it", "this", "that", "one", "another"), "it"),
    **dict.fromkeys(("them", "these", "those", "both", "ones"), "them"),
}

FILE = "pronouns.json"
LEAST = 0.6
"""A pronoun stays a pronoun unless its antecedent is more probable than this; chosen on held-out folds of the texts
that the weights are fitted on."""
GUESS = 0.35
"""An antecedent that is more probable than this counts as mentioned, for the pronouns behind."""


def resolve_objects(frames: Sequence[Frame], discourse: Discourse) -> None:
    """Set `stands_for` of the frames whose object is a resolved pronoun. Frames are in text order.

    `discourse` has entered the parse of the frames.
    """
    before: Frame | None = None
    for frame in frames:
        if is_relative(frame):
            frame.stands_for = (content_head(frame.verb.head),)
        else:
            need = need_of(frame)
            if need:
                discourse.read(frame.mention.i)
                found = most_probable(features_of(discourse, frame, need, before), shipped_weights(FILE))
                if found is not None and found.probability > GUESS:
                    discourse.refer(found.entity, frame.mention.lower_)
                    frame.guess = found.entity.nouns
                    if found.probability > LEAST:
                        frame.stands_for = found.entity.nouns
        if frame.objects or frame.guess:
            before = frame


def unresolved(frame: Frame) -> str:
    """ "It" or "them" if the object of a frame is a pronoun for things that is not resolved, else ""."""
    if frame.stands_for or len(frame.objects) != 1:
        return ""
    return _UNRESOLVED.get(frame.objects[0].lower_, "")


def is_relative(frame: Frame) -> bool:
    """Whether the object is the relative pronoun of a relative clause."""
    return (
        len(frame.objects) == 1
        and frame.verb.dep_ in {"acl:relcl", "relcl"}
        and is_noun(frame.verb.head)
        and (frame.objects[0].tag_ == "WDT" or frame.objects[0].lower_ in {"that", "which"})
    )


@frozen
class Antecedent:
    """The most probable antecedent of a pronoun, with its probability."""

    entity: Entity
    probability: float


Candidates = Sequence[tuple[Entity, Mapping[str, float]]]


def most_probable(candidates: Candidates, weights: Mapping[str, float]) -> Antecedent | None:
    """The most probable of the candidates; the other candidates and "none of them" share the rest."""
    if not candidates:
        return None
    scores = [score(values, weights) for _, values in candidates]
    best = max(range(len(scores)), key=scores.__getitem__)
    odds = math.fsum(math.exp(other - scores[best]) for other in scores)
    return Antecedent(candidates[best][0], 1 / (math.exp(-scores[best]) + odds))


def guessed(candidates: Candidates, weights: Mapping[str, float]) -> Entity | None:
    """What the pronoun counts as a mention of: the most probable candidate, if it is more probable than `GUESS`."""
    found = most_probable(candidates, weights)
    return found.entity if found is not None and found.probability > GUESS else None


def score(values: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """The log odds of a candidate against no antecedent at all, with the weights that ship unless others are given."""
    return log_odds(values, shipped_weights(FILE) if weights is None else weights)
