"""Features of the nouns that a pronoun may refer to.

The factors are those of Lappin and Leass (1994, "An algorithm for pronominal anaphora resolution"): how recent the last
mention is, its role, the number of mentions, and whether number and kind agree; also whether the verb takes such
objects (`kgscripts.text.verb_objects`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kgscripts.extractors.antecedents import Discourse, Entity, names_one
from kgscripts.extractors.nouns import REMAINDERS, content_head, is_noun
from kgscripts.extractors.predicates import Frame
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
    acted_upon = set(before.nouns()) if before is not None else set()
    parallel = before is not None and before.verb in (frame.verb.head, *frame.verb.head.children)
    of_verb = _of_verb(frame, pronoun, number)
    found = []
    for rank, entity in enumerate(discourse.candidates(frame, pronoun)):
        values = _kind(entity, number) | of_verb
        if values.get("several as one") and entity.clause <= discourse.one >= discourse.clause - _RECENT:
            values["several as one"], values["one of several"] = 0.0, 1.0
        if acted_upon and acted_upon <= set(entity.nouns):
            values["last object"] = 1.0
            values["last object, parallel"] = float(parallel)
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
    return found


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
    values = {"vague": float(word in verbs("vague")), "state": float(word in verbs("stative"))}
    if pronoun.lower_ in {"that", "this"}:
        values["demonstrative"] = 1.0
        values["demonstrative, vague"] = values["vague"]
    if number in ("kind", OMITTED):
        values[number] = 1.0
    return values


def _kind(entity: Entity, number: str) -> dict[str, float]:
    name = entity.names[-1]
    person = is_a(name, "person")
    living = person or is_a(name, "animal") or entity.nouns[-1].pos_ == "PROPN"
    values = {
        "time": float(is_a(name, "time")),
        "abstract": float(is_a(name, "abstract")),
        "place": float(is_a(name, "place")),
        "tool": float(is_tool(name)),
        "several": float(len(entity.nouns) > 1),
        "definite": float(any(child.lower_ in _DEFINITE for child in entity.nouns[0].lefts)),
    }
    if number == "singular":
        values["several as one"] = float(not entity.singular)
        values["person as thing"] = float(person)
        values["animal as thing"] = float(living and not person)
    elif number == "plural":
        values["one as several"] = float(not entity.plural)
        values["person as several"] = float(person)
        values["several as several"] = float(len(entity.nouns) > 1)
    elif number == "person":
        values["person"] = float(living and entity.singular)
        values["thing as person"] = float(not living)
        values["plural as person"] = float(not entity.singular)
    elif number == "kind":
        values["kind, plural"] = float(entity.plural)
    return values


def _preference(frame: Frame, entity: Entity) -> float:
    particle = frame.particle.lower_ if frame.particle is not None else ""
    heads = [name.rsplit(" ", 1)[-1] for name in entity.names]
    values = [verb_objects().preference(lemma(frame.verb), particle, head) for head in heads]
    return max(-3.0, min(4.0, sum(values) / len(values)))
