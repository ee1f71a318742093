"""Features of the nouns that a pronoun may refer to.

The factors are those of Lappin and Leass (1994, "An algorithm for pronominal anaphora resolution"): how recent the last
mention is, its role, the number of mentions, and whether number and kind agree; also whether the verb takes such
objects (`kgscripts.text.verb_objects`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import REMAINDERS, content_head, is_noun
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.pronouns.antecedents import Discourse, Entity, names_one
from kgscripts.extractors.pronouns.people import GENDERS, is_living
from kgscripts.text.lexicon import is_a, is_tool, verbs
from kgscripts.text.syntax import is_imperative, lemma
from kgscripts.text.verb_objects import verb_objects

if TYPE_CHECKING:
    from spacy.tokens import Token

NUMBERS = {
    **dict.fromkeys(("it", "this", "that"), "singular"),
    **dict.fromkeys(("them", "they", "these", "those", "both"), "plural"),
    **dict.fromkeys(("him", "her"), "person"),
    **dict.fromkeys(("one", "ones", "another", "some", "most", "each", "all", "any", "everything"), "kind"),
}
"""The pronouns that are resolved, with the antecedent that they need: a number, a person, or only a kind of thing."""
OMITTED = "omitted"
_MOSTLY_TRANSITIVE = 0.7
_DEFINITE = frozenset({"the", "this", "that", "these", "those"})
_AGAIN = frozenset({"again", "back"})
_OF_EVENTS = frozenset(
    {"accept", "admit", "appreciate", "believe", "blame", "deny", "discuss", "doubt", "enjoy", "expect", "explain"}
    | {"finish", "forget", "hate", "imagine", "know", "like", "love", "make", "manage", "mention", "mind", "miss"}
    | {"notice", "plan", "prevent", "promise", "prove", "realise", "realize", "regret", "remember", "repeat", "say"}
    | {"stop", "suggest", "survive", "try", "understand", "want", "wish", "arrange", "confirm", "decide", "handle"}
    | {"continue", "offer", "deserve", "predict", "foresee", "avoid", "risk", "bear", "stand", "mean", "tell", "see"}
)
"""Verbs whose "it" often is an event or what somebody said."""
_CLASSES = ("body", "clothing", "consumable", "information")
_INTO = frozenset({"in", "into", "inside", "on", "onto", "over", "around", "under", "to"})
_HOLDS = ("vessel", "appliance", "surface", "place")
_DISAGREE = (
    *("several as one", "person as thing", "one as several", "thing as person", "plural as person", "other gender"),
    *("time", "abstract", "several"),
)
_RECENT = 4
"""Clauses."""
_ALIKE = ("last object", "preference", "rank", "clauses")


def features_of(
    discourse: Discourse, frame: Frame, number: str, before: Frame | None
) -> list[tuple[Entity, dict[str, float]]]:
    """The candidates with their features; `before` is the last frame with an object.

    `number` is the result of `need_of` for the object.
    """
    pronoun = frame.mention
    acted_upon = set(before.guess or before.nouns()) if before is not None else set()
    parallel = before is not None and before.verb in (frame.verb.head, *frame.verb.head.children)
    of_verb = _of_verb(frame, pronoun, number)
    found = []
    for rank, entity in enumerate(discourse.candidates(frame)):
        values = _kind(entity, number, pronoun.lower_) | of_verb | _of_place(frame, entity)
        if values.get("several as one") and entity.clause <= discourse.one >= discourse.clause - _RECENT:
            values["several as one"], values["one of several"] = 0.0, 1.0
        if acted_upon and acted_upon <= set(entity.nouns):
            values["last object"] = 1.0
            values["last object, parallel"] = float(parallel)
            values["last object, taken"] = float(before is not None and lemma(before.verb) in verbs("grasping"))
            values["last object, placed"] = float(_is_placed(before))
        elif _is_placed(before) and entity.role == "into" and entity.clause == discourse.clause - 1:
            values["just filled"] = 1.0
        values["preference"] = _preference(frame, entity)
        values[f"sentence {min(3, discourse.sentence - entity.sentence)}"] = 1.0
        clauses = discourse.clause - entity.clause
        values["clauses"] = math.log1p(clauses)
        values[f"{entity.role}, clause {min(3, clauses)}"] = 1.0
        values["rank"] = math.log1p(rank)
        values["mentions"] = math.log(entity.mentions)
        values["objects"] = math.log1p(entity.objects)
        values[entity.role] = 1.0
        values["embedded"] = float(entity.embedded)
        values["same pronoun"] = float(entity.pronoun == pronoun.lower_)
        if any(child.lower_ in _AGAIN for child in frame.verb.rights):
            values["again, objects"] = values["objects"]
        if number in ("kind", OMITTED):
            values |= {f"{number}, {name}": values.get(name, 0.0) for name in _ALIKE}
        found.append((entity, values))
    if number != OMITTED:
        _compare(found, number)
    return found


def _compare(found: Sequence[tuple[Entity, dict[str, float]]], number: str) -> None:
    """Add how much better a candidate fits the verb than the others that agree, and how many these are."""
    agreeing = [index for index, (_, values) in enumerate(found) if _agrees(values)]
    for index, (entity, values) in enumerate(found):
        others = [found[other] for other in agreeing if other != index]
        near = [other for other, _ in others if other.sentence >= entity.sentence]
        values["rivals"] = math.log1p(len(near))
        values["only one"] = float(not others and _agrees(values))
        best = max((other["preference"] for _, other in others), default=0.0)
        values["preference, lead"] = values["preference"] - best if others else 0.0
        lists = (other for other, _ in found if other is not entity and len(other.nouns) > 1)
        listed = any(entity.nouns[0] in other.nouns for other in lists)
        values[f"one of a list, {number}"] = float(listed)


def _agrees(values: Mapping[str, float]) -> bool:
    return not any(values.get(name) for name in _DISAGREE)


def need_of(frame: Frame) -> str:
    """What kind of antecedent the object of a frame needs: a value of `NUMBERS`, OMITTED, or "" if it has none.

    Besides pronouns, quantities and numbers may refer to a noun that is left out ("the rest", "I chose five"), and an
    instruction may omit its object ("drain well").
    """
    if not frame.objects:
        return OMITTED if _omits_object(frame) else ""
    if len(frame.objects) > 1:
        return ""
    noun = frame.objects[0]
    if not is_noun(noun):
        return NUMBERS.get(noun.lower_, "") or ("kind" if noun.pos_ == "NUM" or names_one(noun) else "")
    partial = noun.lower_ in REMAINDERS and content_head(noun) == noun
    return "kind" if partial and not any(child.dep_ in {"compound", "amod"} for child in noun.lefts) else ""


def _omits_object(frame: Frame) -> bool:
    verb = frame.verb
    commands = is_imperative(verb) or (verb.dep_ == "conj" and verb.tag_ == "VBP" and is_imperative(verb.head))
    if not commands or lemma(verb) in verbs("intransitive") | verbs("vague") | verbs("stative"):
        return False
    if any(child.dep_ in {"xcomp", "ccomp"} for child in verb.rights):
        return False
    particle = frame.particle.lower_ if frame.particle is not None else ""
    return verb_objects().transitivity(lemma(verb), particle) > _MOSTLY_TRANSITIVE


def _of_verb(frame: Frame, pronoun: Token, number: str) -> dict[str, float]:
    word = lemma(frame.verb)
    particle = frame.particle.lower_ if frame.particle is not None else ""
    values = {"vague": float(word in verbs("vague")), "state": float(word in verbs("stative"))}
    if number == OMITTED:
        return values | {OMITTED: 1.0}
    values["do"] = float(word == "do")
    values["of events"] = float(word in _OF_EVENTS)
    values["transitive"] = verb_objects().transitivity(word, particle)
    auxiliaries = {child.lower_ for child in frame.verb.lefts if child.dep_ in {"aux", "advmod"}}
    values["perfect"] = float(bool(auxiliaries & {"had", "have", "has"}))
    values["modal"] = float(bool(auxiliaries & {"could", "can", "will", "would", "might", "should", "never"}))
    values["present"] = float(frame.verb.tag_ in {"VBP", "VBZ"})
    values["bare"] = float(not frame.phrases and frame.particle is None)
    if number == "singular":  # "It" may be an event, "them" is not.
        values |= {f"it, {name}": value for name, value in list(values.items())}
    if pronoun.lower_ in {"that", "this"}:
        values["demonstrative"] = 1.0
        values["demonstrative, vague"] = values["vague"]
    if number == "kind":
        values["kind"] = 1.0
    return values


def _of_place(frame: Frame, entity: Entity) -> dict[str, float]:
    """What is put somewhere is rarely a vessel, a surface or a place, least of all one that just held something."""
    placed = any(phrase.preposition in _INTO for phrase in frame.phrases)
    holds = is_a(entity.names[-1], *_HOLDS)
    return {
        "placed, holds": float(placed and holds),
        "placed, into": float(placed and entity.role == "into"),
    }


def _kind(entity: Entity, number: str, pronoun: str) -> dict[str, float]:
    name = entity.names[-1]
    person = is_a(name, "person")
    living = is_living(entity.nouns[-1], name)
    values = {
        "time": float(is_a(name, "time")),
        "abstract": float(is_a(name, "abstract")),
        "place": float(is_a(name, "place")),
        "tool": float(is_tool(name)),
        "several": float(len(entity.nouns) > 1),
        "none": float(any(child.lower_ == "no" for child in entity.nouns[0].lefts)),
        "definite": float(any(child.lower_ in _DEFINITE for child in entity.nouns[0].lefts)),
        "indefinite": float(any(child.lower_ in {"a", "an", "some"} for child in entity.nouns[0].lefts)),
        "of somebody": float(any(child.tag_ == "PRP$" for child in entity.nouns[0].lefts)),
        **{label: 1.0 for label in _CLASSES if is_a(name, label)},
    }
    if number == "singular":
        values["several as one"] = float(not entity.singular)
        values["person as thing"] = float(person)
        values["animal as thing"] = float(living and not person)
    elif number == "plural":
        values["one as several"] = float(not entity.plural)
        values["person as several"] = float(person)
        values["thing as several"] = float(not living)
        values["several as several"] = float(len(entity.nouns) > 1)
    elif number == "person":
        values["person"] = float(living and entity.singular)
        values["thing as person"] = float(not living)
        values["plural as person"] = float(not entity.singular)
        values["same gender"] = float(entity.gender == GENDERS[pronoun])
        values["other gender"] = float(entity.gender not in ("", GENDERS[pronoun]))
    elif number == "kind":
        values["kind, plural"] = float(entity.plural)
    return values


def _preference(frame: Frame, entity: Entity) -> float:
    particle = frame.particle.lower_ if frame.particle is not None else ""
    heads = [name.rsplit(" ", 1)[-1] for name in entity.names]
    values = [verb_objects().preference(lemma(frame.verb), particle, head) for head in heads]
    return max(-3.0, min(4.0, sum(values) / len(values)))


def _is_placed(before: Frame | None) -> bool:
    """Whether a frame puts its object somewhere."""
    return before is not None and any(phrase.preposition in _INTO for phrase in before.phrases)
