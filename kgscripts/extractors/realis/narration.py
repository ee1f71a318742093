"""Whether a text tells how something is usually done, or what happened once.

In the first, "I'd search the catalogue", "you lift the lever first" and "we always light the sauna" are steps of the
activity. In the second, they are asides. The verbs of the whole text decide, since no sentence says which it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from kgscripts.text.lexicon import verbs
from kgscripts.text.syntax import AUXILIARY, SUBJECT, is_imperative, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

WOULD = frozenset({"would", "'d", "’d"})
_ONE_DAY = re.compile(
    r"\b(this (time|year|week|summer|winter|spring|autumn|fall|season|morning|afternoon|evening)|today|tonight"
    r"|yesterday|last (night|week|month|year|summer|winter|spring|fall|mon|tues|wednes|thurs|fri|satur|sun)\w*"
    r"|the other (day|night)|suddenly)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(always|usually|normally|generally|typically|ordinarily|often|mostly|whenever|routine|back then|used to"
    r"|(every|each) (other )?(time|day|morning|afternoon|evening|night|week|weekend|month|year|spring|summer|autumn"
    r"|fall|winter|\w+day|january|february|march|april|may|june|july|august|\w+ber)|(once|twice) an? \w+"
    r"|(mon|tues|wednes|thurs|fri|satur|sun)days|in (all )?those (days|years))\b",
    re.IGNORECASE,
)
# "I'd like to", "they would rather": wishes, not habits.
_WISHING = frozenset({"like", "love", "prefer", "hate", "wish", "want", "appreciate", "recommend", "suggest"})
_CLAUSES = frozenset({"ROOT", "conj", "parataxis"})
_PRESENT = frozenset({"VBZ", "VBP"})


class Narration(StrEnum):
    """How a text tells of an activity: `ONCE` in the past, as a `HABIT` of today or the past, or in an `OTHER` way."""

    ONCE = "once"
    HABIT = "habit"
    OTHER = "other"


def narration_of(docs: Iterable[Doc]) -> Narration:
    """How the text whose parses are `docs` tells.

    It tells of a habit if "would" and "used to" have at least half as many main clauses as the past, or "you" has half
    of the past, or the present twice as many as the past; and if nothing in it happened on one day ("yesterday", "this
    time").
    """
    found: Counter[str] = Counter()
    for number, doc in enumerate(docs):
        found["one day"] += _ONE_DAY.search(doc.text) is not None
        found["often"] += len(_OFTEN.findall(doc.text))
        for sentence in doc.sents:
            found.update(form for token in sentence for form in _forms(token))
            if number == 0 and sentence.start == 0 and any(map(is_used_to, sentence)):
                found["begins with used to"] += 1
    would, past, present = found["would"], found["past"], found["present"]
    once = Narration.ONCE if past > 1 and 2 * past >= 3 * present else Narration.OTHER
    if found["one day"]:
        return once
    # One clause with "would" is an aside, unless the text says how often. So are several of another person: "my
    # grandmother would stir it for hours, she would skim it; I poured mine into jars".
    if found["begins with used to"]:
        return Narration.HABIT
    if would and would >= present and would + (found["often"] > 0) > 1 and 2 * would >= past:
        return once if found["narrator would"] == 0 and found["narrator past"] > 0 else Narration.HABIT
    if found["you past"] > 1 and 2 * found["you past"] >= past:
        return Narration.HABIT
    often = found["often"] > 0
    if present + often > 2 and present > (1 if often else 2) * past:
        return Narration.HABIT
    return once


def is_habitual_would(auxiliary: Token, verb: Token) -> bool:
    """Whether "would" tells a habit, where the text tells one, and no wish or missed chance."""
    if auxiliary.lower_ not in WOULD or verb.lemma_.lower() in _WISHING:
        return False
    if any(subject.lower_ in {"that", "this", "which", "it"} for subject in subjects_before(verb)):
        return False  # "Since that would only frighten them".
    return not any(
        child.lower_ in {"rather", "sooner", "better"} or (child.dep_ in {"aux", "aux:pass"} and child.lower_ == "have")
        for child in verb.lefts
    )


def subjects_before(verb: Token) -> list[Token]:
    """The subjects of a clause, or of the coordinated one before that has some."""
    while True:
        subjects = [child for child in verb.lefts if child.dep_ in SUBJECT]
        if subjects or verb.dep_ != "conj" or not is_verb(verb.head):
            return subjects
        verb = verb.head


def is_narrator(subject: Token) -> bool:
    """Whether a subject is "I" or "we", also in "my father and I"."""
    return any(word.lower_ in {"i", "we"} for word in (subject, *subject.conjuncts))


def _forms(token: Token) -> Iterator[str]:
    """What a verb adds to the evidence: main clauses and "used to" count."""
    if not is_verb(token) or token.lemma_.lower() in verbs("stative"):
        return
    used_to = is_used_to(token)
    if token.dep_ not in _CLAUSES and not used_to:
        return
    subjects = subjects_before(token.head if used_to else token)
    narrator = any(map(is_narrator, subjects))
    auxiliaries = [child for child in token.lefts if child.dep_ in AUXILIARY]
    if not auxiliaries and token.dep_ == "conj" and token.tag_ == "VB" and is_verb(token.head):
        auxiliaries = [child for child in token.head.lefts if child.dep_ in AUXILIARY]
    if used_to or (token.tag_ == "VB" and any(is_habitual_would(auxiliary, token) for auxiliary in auxiliaries)):
        yield "would"
        if narrator:
            yield "narrator would"
    elif token.tag_ == "VBD" and (token.dep_ != "conj" or token.head.tag_ != "VBN"):
        yield "past"
        if narrator:
            yield "narrator past"
        if any(subject.lower_ == "you" for subject in subjects):
            yield "you past"
    elif _tells_present(token) and subjects:
        yield "present"


def _tells_present(verb: Token) -> bool:
    """Whether a clause is in the simple present, and no command: "she irons", "it is sorted"."""
    auxiliaries = [child for child in verb.lefts if child.dep_ in AUXILIARY]
    if verb.tag_ == "VBN":
        return any(child.dep_ == "aux:pass" and child.tag_ in _PRESENT for child in auxiliaries) and not any(
            child.dep_ == "aux" for child in auxiliaries
        )
    return verb.tag_ in _PRESENT and not auxiliaries and not is_imperative(verb)


def is_used_to(verb: Token) -> bool:
    """ "Used to bake"."""
    governor = verb.head
    return verb.dep_ == "xcomp" and governor.lower_ == "used" and governor.tag_ == "VBD"
