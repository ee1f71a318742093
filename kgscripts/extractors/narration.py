"""Whether a text tells how something is usually done, or what happened once.

In the first, "I'd search the catalogue", "you lift the lever first" and "we always light the sauna" are steps of the
activity. In the second, they are asides. The verbs of the whole text decide, since no sentence says which it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kgscripts.text.lexicon import verbs
from kgscripts.text.syntax import SUBJECT, is_imperative, is_verb

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
    r"\b(always|usually|normally|generally|typically|ordinarily|often|mostly|whenever|routine|back then"
    r"|(every|each) (time|day|morning|afternoon|evening|night|week|weekend|month|year|spring|summer|autumn|fall|winter"
    r"|\w+day)|(mon|tues|wednes|thurs|fri|satur|sun)days|used to|in those (days|years))\b",
    re.IGNORECASE,
)
# "I'd like to", "they would rather": wishes, not habits.
_WISHING = frozenset({"like", "love", "prefer", "hate", "wish", "want", "appreciate", "recommend", "suggest"})
_CLAUSES = frozenset({"ROOT", "conj", "parataxis"})


def tells_habit(docs: Iterable[Doc]) -> bool:
    """Whether the text whose parses are `docs` tells how something is usually done.

    It does if "would" has at least half as many main clauses as the past, or "you" has half of the past, or the present
    twice as many as the past; and if nothing in it happened on one day ("yesterday", "this time").
    """
    found: Counter[str] = Counter()
    for doc in docs:
        if _ONE_DAY.search(doc.text):
            return False
        found["often"] += len(_OFTEN.findall(doc.text))
        for sentence in doc.sents:
            forms = [form for token in sentence for form in _forms(token)]
            found.update(forms)
            found["sentences with would"] += "would" in forms
    would, past, present = found["would"], found["past"], found["present"]
    # "My grandmother would stir it for hours, she would skim it; I poured mine into jars".
    others_only = found["narrator would"] == 0 and found["narrator past"] > 0
    # One sentence with "would" is an aside, unless the text says how often.
    if would and found["sentences with would"] + (found["often"] > 0) > 1 and 2 * would >= past:
        return not others_only
    return (found["you past"] > 1 and 2 * found["you past"] >= past) or (present > 2 and present > 2 * past)


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
    """What the verb of a main clause adds to the evidence."""
    if not is_verb(token) or token.dep_ not in _CLAUSES or token.lemma_.lower() in verbs("stative"):
        return
    subjects = subjects_before(token)
    narrator = any(map(is_narrator, subjects))
    auxiliaries = [child for child in token.lefts if child.dep_ in {"aux", "aux:pass"}]
    if not auxiliaries and token.dep_ == "conj" and token.tag_ == "VB" and is_verb(token.head):
        auxiliaries = [child for child in token.head.lefts if child.dep_ in {"aux", "aux:pass"}]
    if any(is_habitual_would(auxiliary, token) for auxiliary in auxiliaries) and token.tag_ == "VB":
        yield "would"
        if narrator:
            yield "narrator would"
    elif token.tag_ == "VBD":
        yield "past"
        if narrator:
            yield "narrator past"
        if any(subject.lower_ == "you" for subject in subjects):
            yield "you past"
    elif token.tag_ in {"VBZ", "VBP"} and subjects and not auxiliaries and not is_imperative(token):
        yield "present"
