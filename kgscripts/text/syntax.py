"""Grammatical relations of a parse with Universal Dependencies or ClearNLP labels.

The shipped pipeline uses UD ("obj", "nsubj:pass", "obl" with a "case" child); the `en_core_web_*` packages use
ClearNLP ("dobj", "nsubjpass", "prep" with a "pobj" child). Only this module knows both schemes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgscripts.text.amounts import is_size, is_time
from kgscripts.text.lexicon import word_list

if TYPE_CHECKING:
    from spacy.tokens import Token

OBJECT = frozenset({"obj", "dobj"})
SUBJECT = frozenset({"nsubj", "nsubj:outer", "csubj", "csubj:outer", "expl"})
PASSIVE_SUBJECT = frozenset({"nsubj:pass", "nsubjpass", "csubj:pass", "csubjpass"})
PARTICLE = frozenset({"compound:prt", "prt"})
AUXILIARY = frozenset({"aux", "aux:pass", "auxpass"})
PASSIVE_AUXILIARY = frozenset({"aux:pass", "auxpass"})
OPEN_COMPLEMENT = frozenset({"xcomp"})
UNMARKED_OBLIQUE = frozenset({"obl:npmod", "obl:unmarked", "obl:tmod", "npadvmod"})

_NOMINAL_MODIFIER = frozenset({"obl", "obl:agent", "nmod", "nmod:desc"})
_PREPOSITION = frozenset({"prep", "agent"})
PREPOSITIONAL = _NOMINAL_MODIFIER | _PREPOSITION
_PREPOSITION_OBJECT = frozenset({"pobj"})
_NO_PREDICATE = frozenset({"amod", "compound", "case", "mark", "prep", "fixed"})
_VOWELS = frozenset("aeiouy")
_MAIN_VERB_LEMMAS = word_list("verbs that are auxiliaries too")
# Participles that describe a state of the noun rather than name a kind of it.
_DESCRIPTIVE_PARTICIPLES = word_list("descriptive participles")

_SIZES = word_list("sizes")
"""Words of sizes, which name no kind: "a medium size bowl", "120 grit sandpaper"."""


@dataclass(frozen=True, slots=True)
class PrepositionalPhrase:
    """`preposition` is in lower case and may have several words ("out of"); `head` is the noun's token."""

    preposition: str
    head: Token


def is_verb(token: Token) -> bool:
    """Whether a token is a verb that can be a predicate, including "have" and "do" as main verbs.

    Auxiliaries, copulas, verbal prepositions ("including") and participles before a noun ("the salted water", "a
    frying pan") are excluded.
    """
    if token.dep_ in _NO_PREDICATE or token.dep_ in AUXILIARY or token.dep_ == "cop":
        return False
    return token.pos_ == "VERB" or (token.pos_ == "AUX" and token.lemma_.lower() in _MAIN_VERB_LEMMAS)


def particle_of(verb: Token) -> Token | None:
    """The particle of a phrasal verb: "up" of "pick the cup up"."""
    return next((child for child in verb.children if child.dep_ in PARTICLE), None)


def conjuncts(token: Token) -> list[Token]:
    """The token and the conjuncts that follow it in its coordination, in text order."""
    result: list[Token] = []
    open_ = [token]
    while open_:
        result.append(open_.pop())
        open_.extend(child for child in result[-1].rights if child.dep_ == "conj")
    return sorted(result, key=lambda conjunct: conjunct.i)


def _direct_objects(verb: Token) -> list[Token]:
    return [conjunct for child in verb.children if child.dep_ in OBJECT for conjunct in conjuncts(child)]


def objects_of(verb: Token, *, shared: bool = True) -> list[Token]:
    """Heads of the direct objects, coordinated ones included.

    With `shared`, a verb without an object of its own takes that of its coordination if the object follows both verbs:
    "wash and chop the carrots" gives "carrots" for either verb.
    """
    own = _direct_objects(verb)
    if own or not shared:
        return own
    for other in _coordinated_verbs(verb):
        objects = [noun for noun in _direct_objects(other) if noun.i > verb.i and noun.i > other.i]
        if objects and not _separated(verb, objects[0]):
            return objects
    return []


def _coordinated_verbs(verb: Token) -> Iterator[Token]:
    """The verbs right after `verb` in its coordination, then those before it, nearest first."""
    yield from (conjunct for conjunct in conjuncts(verb)[1:] if is_verb(conjunct))
    while verb.dep_ == "conj" and is_verb(verb.head):
        yield verb.head
        verb = verb.head


def _separated(verb: Token, object_: Token) -> bool:
    """Whether `verb` has a complement of its own before the object, and so does not share the object."""
    own = OPEN_COMPLEMENT | PREPOSITIONAL | UNMARKED_OBLIQUE | {"ccomp", "advcl", "attr", "acomp"}
    return any(verb.i < child.i < object_.i and child.dep_ in own for child in verb.children)


def subjects_of(verb: Token) -> list[Token]:
    """Heads of the active subject; a conjunct without one takes that of the verb it is coordinated with."""
    return _subjects(verb, SUBJECT)


def passive_subject_of(verb: Token) -> list[Token]:
    """Heads of the passive subject: "carrots" of "the carrots were washed and chopped" for both verbs."""
    return _subjects(verb, PASSIVE_SUBJECT)


def _subjects(verb: Token, labels: frozenset[str]) -> list[Token]:
    while True:
        children = [child for child in verb.children if child.dep_ in SUBJECT | PASSIVE_SUBJECT]
        if children:
            return [conjunct for child in children if child.dep_ in labels for conjunct in conjuncts(child)]
        if verb.dep_ != "conj":
            return []
        verb = verb.head


def is_passive(verb: Token) -> bool:
    """Whether the verb is in the passive, judging by its auxiliary or its subject."""
    return any(child.dep_ in PASSIVE_AUXILIARY | PASSIVE_SUBJECT for child in verb.children) or (
        verb.dep_ == "conj" and verb.tag_ == "VBN" and bool(passive_subject_of(verb))
    )


def prepositional_phrases(token: Token) -> list[PrepositionalPhrase]:
    """Prepositional phrases that depend on a verb or a noun, one for each coordinated noun."""
    phrases: list[PrepositionalPhrase] = []
    for child in token.children:
        if child.dep_ in _NOMINAL_MODIFIER:
            phrases.extend(_ud_phrases(child))
        elif child.dep_ in _PREPOSITION or (child.dep_ == "dative" and child.pos_ == "ADP"):
            phrases.extend(_clearnlp_phrases(child))
    return phrases


def _ud_phrases(noun: Token) -> Iterator[PrepositionalPhrase]:
    cases = [child for child in noun.lefts if child.dep_ == "case"]
    if not cases:
        return
    for conjunct in conjuncts(noun):
        cases = [child for child in conjunct.lefts if child.dep_ == "case"] or cases
        words = [word for case in cases for word in (case, *(c for c in case.children if c.dep_ == "fixed"))]
        yield PrepositionalPhrase(" ".join(word.lower_ for word in words), conjunct)


def _clearnlp_phrases(preposition: Token) -> Iterator[PrepositionalPhrase]:
    # Without recursion, here and below: the depth of a parse depends on the text.
    open_ = [(preposition, preposition.lower_)]
    while open_:
        above, words = open_.pop()
        if above.dep_ in _PREPOSITION_OBJECT:
            for conjunct in conjuncts(above):
                yield PrepositionalPhrase(words, conjunct)
            continue
        # Last in, first out: the phrases come in text order.
        for child in reversed(list(above.children)):
            if child.dep_ in _PREPOSITION_OBJECT:
                open_.append((child, words))
            elif child.dep_ in _PREPOSITION:
                open_.append((child, f"{words} {child.lower_}"))
            elif child.dep_ == "conj" and child.pos_ == "ADP":
                open_.append((child, child.lower_))


def compound_lemma(token: Token) -> str:
    """The lemma of a noun with the compound it heads: "rolling pin", "cutting board", "olive oil"."""
    words: list[str] = []
    open_ = [token]
    while open_:
        part = open_.pop()
        if part == token or part.dep_ == "compound":
            words.append(lemma(part))
            open_.extend(reversed(_parts_of_compound(part)))
        else:
            words.append(part.lower_)
    return " ".join(word for word in reversed(words) if word != "-")


def _parts_of_compound(noun: Token) -> list[Token]:
    """The modifiers that stand right before a noun and belong to its compound, the nearest first."""
    parts: list[Token] = []
    expected = noun.i - 1
    for child in reversed(list(noun.lefts)):
        if child.right_edge.i != expected or not _names_kind(child):
            break
        parts.append(child)
        expected = child.left_edge.i - 1
    return parts


def _names_kind(modifier: Token) -> bool:
    if is_size(modifier) or is_time(modifier) or modifier.lower_ in _SIZES:
        return False
    if modifier.i > 1 and modifier.nbor(-1).lower_ == "-" and modifier.nbor(-2).lower_ == "non":
        return False  # "a non-stick pan"
    if modifier.dep_ == "compound":
        return modifier.pos_ in {"NOUN", "PROPN", "VERB", "ADJ"}
    return (
        modifier.dep_ in {"amod", "acl"}
        and modifier.lower_.endswith("ing")
        and modifier.lower_ not in _DESCRIPTIVE_PARTICIPLES
        and not any(True for _ in modifier.children)
    )


def lemma(token: Token) -> str:
    """The lemma in lower case, but the word itself for participles that modify a noun ("frying pan", "hand held")."""
    if token.tag_ in {"VBG", "VBN"} and token.dep_ in {"compound", "amod"}:
        return token.lower_
    base = (token.lemma_ or token.text).lower()
    if token.lower_ == f"{base}ing" and not _VOWELS & set(base):
        return token.lower_  # "Sing" is no form of "s"
    return base


def markers_of(verb: Token) -> list[Token]:
    """The words that introduce the clause of a verb: "if", "that", "because", "to", "when"."""
    return [
        child
        for child in verb.lefts
        if child.dep_ == "mark"
        or (child.dep_ == "aux" and child.tag_ == "TO")
        or (child.dep_ == "advmod" and child.tag_ == "WRB")
    ]
