"""Resolution of object pronouns: "it", "them", "him", "her", "one", and the relative pronouns.

The antecedent of a relative pronoun is the noun that its clause modifies. That of other pronouns is the most probable
of the nouns before it (`kgscripts.extractors.antecedents`), or none of them, by a log-linear model of what speaks for
each. ``data/pronouns.json`` has its weights, which ``python -m lightning_modules.text.pronouns`` fits on InScript. A
pronoun is not resolved unless an antecedent is more probable than `LEAST`.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from importlib import resources

from kgscripts.extractors.antecedents import NUMBERS, Discourse, Entity
from kgscripts.extractors.nouns import content_head, is_noun
from kgscripts.extractors.predicates import Frame

THIRD_PERSON = frozenset({"it", "them", "him", "her"})
"""The personal pronouns that can be objects and stand for a thing or a person of the text."""

_UNRESOLVED = {
    **dict.fromkeys(("it", "this", "that", "one", "another"), "it"),
    **dict.fromkeys(("them", "these", "those", "both", "ones"), "them"),
}

FILE = "pronouns.json"
LEAST = 0.4


def resolve_objects(frames: Sequence[Frame], discourse: Discourse) -> None:
    """Set `stands_for` of the frames, in text order, whose object is a pronoun that is resolved.

    `discourse` has entered the parse of the frames.
    """
    before: Frame | None = None
    for frame in frames:
        if len(frame.objects) == 1:
            pronoun = frame.objects[0]
            if _is_relative(frame):
                frame.stands_for = (content_head(frame.verb.head),)
            elif pronoun.lower_ in NUMBERS and not is_noun(pronoun):
                discourse.read(pronoun.i)
                found = _antecedent(discourse.features(frame, pronoun, before))
                if found is not None:
                    discourse.refer(found, pronoun.lower_)
                    frame.stands_for = found.nouns
        if frame.objects:
            before = frame


def unresolved(frame: Frame) -> str:
    """ "It" or "them" if the object of a frame is a pronoun for things that is not resolved, else ""."""
    if frame.stands_for or len(frame.objects) != 1:
        return ""
    return _UNRESOLVED.get(frame.objects[0].lower_, "")


def _is_relative(frame: Frame) -> bool:
    """Whether the object is the relative pronoun of a relative clause."""
    return (
        frame.verb.dep_ in {"acl:relcl", "relcl"}
        and is_noun(frame.verb.head)
        and (frame.objects[0].tag_ == "WDT" or frame.objects[0].lower_ in {"that", "which"})
    )


def _antecedent(candidates: Sequence[tuple[Entity, Mapping[str, float]]]) -> Entity | None:
    """The most probable antecedent, if there is one that is more probable than `LEAST`."""
    if not candidates:
        return None
    scores = [score(values) for _, values in candidates]
    best = max(range(len(scores)), key=scores.__getitem__)
    total = math.exp(-scores[best]) + math.fsum(math.exp(other - scores[best]) for other in scores)
    return candidates[best][0] if 1 / total > LEAST else None


def score(values: Mapping[str, float]) -> float:
    """The logarithm of how much more probable a candidate is than that the pronoun has no antecedent."""
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
