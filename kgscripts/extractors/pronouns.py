"""Resolution of objects that are not named: "it", "them", "one", "the rest", relative pronouns, omitted objects.

The antecedent of a relative pronoun is the noun that its clause modifies. The antecedent of another pronoun is the most
probable of the nouns before it (`kgscripts.extractors.antecedents`), or none of them, by a log-linear model.
``data/pronouns.json`` has its weights, which ``kgscripts train pronouns`` fits. A pronoun is resolved
only if an antecedent is more probable than `LEAST` and, in another sentence, more probable than the others by
`CLEARLY`.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from importlib import resources

from kgscripts.extractors.antecedent_features import features_of, need_of
from kgscripts.extractors.antecedents import Discourse, Entity
from kgscripts.extractors.nouns import content_head, is_noun
from kgscripts.extractors.predicates import Frame

THIRD_PERSON = frozenset({"it", "them", "him", "her"})
"""The personal pronouns that can be objects and refer to a thing or a person of the text."""

_UNRESOLVED = {
    **dict.fromkeys(("it", "this", "that", "one", "another"), "it"),
    **dict.fromkeys(("them", "these", "those", "both", "ones"), "them"),
}

FILE = "pronouns.json"
LEAST = 0.35
CLEARLY = 2.5
"""By how much an antecedent in another sentence has to be more probable than any other."""


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
                found = _antecedent(features_of(discourse, frame, need, before))
                if found is not None:
                    discourse.refer(found, frame.mention.lower_)
                    frame.stands_for = found.nouns
        if frame.objects or frame.stands_for:
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


def _antecedent(candidates: Sequence[tuple[Entity, Mapping[str, float]]]) -> Entity | None:
    """The most probable antecedent, if there is one that is more probable than `LEAST` and no rival is near."""
    if not candidates:
        return None
    scores = [score(values) for _, values in candidates]
    best = max(range(len(scores)), key=scores.__getitem__)
    odds = [math.exp(other - scores[best]) for other in scores]
    if 1 / (math.exp(-scores[best]) + math.fsum(odds)) <= LEAST:
        return None
    entity, values = candidates[best]
    rival = max((odd for index, odd in enumerate(odds) if index != best), default=0.0)
    return entity if "sentence 0" in values or rival * CLEARLY < 1 else None


def score(values: Mapping[str, float]) -> float:
    """The log odds of a candidate against no antecedent at all."""
    weights = _weights()
    return weights["bias"] + math.fsum(weights.get(name, 0.0) * value for name, value in values.items())


@functools.cache
def pronouns_digest() -> str:
    """SHA-256 of the file that ships."""
    return hashlib.sha256(_content().encode("utf-8")).hexdigest()


def _content() -> str:
    return (resources.files("kgscripts.extractors") / "data" / FILE).read_text(encoding="utf-8")


@functools.cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads(_content())
    return weights
