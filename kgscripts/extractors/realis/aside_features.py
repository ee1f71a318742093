"""What speaks for a clause being part of what a text tells, and what for an aside of it.

Asides tell of others ("my aunt bakes hers"), of another time ("one winter the pump froze"), of a film, or what is so in
general ("rock stars pay somebody for it"). Often no word says so: it is the tense that changes, a person who is never
named again, or things that nothing else in the text is about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgscripts.extractors.realis.narration import WOULD, Narration, is_narrator, subjects_before
from kgscripts.text.lexicon import is_a
from kgscripts.text.syntax import AUXILIARY, SUBJECT

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_YEAR = re.compile(r"\b(1[5-9]\d\d|20[0-2]\d)\b|['’]\d\ds?\b|\b\d0s\b")
_ONCE = re.compile(
    r"\b(once|one (time|day|night|winter|summer|spring|autumn|fall|year|morning|afternoon|evening|\w+day|january"
    r"|february|march|april|may|june|july|august|\w+ber)|(single|only|first) time|years (ago|before|back)"
    r"|when (i|he|she|we|they) (was|were)"
    r"|last (year|summer|winter|spring|autumn|fall|january|february|march|april|may|june|july|august|\w+ber))\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(this (time|one|year)|today|then|now|after that|finally|at last|next|afterwards|meanwhile|luckily|suddenly"
    r"|at (half )?[\w:]+[,. ])\b",
    re.IGNORECASE,
)
_NARRATOR = frozenset({"i", "we", "me", "us", "my", "our", "myself", "ourselves", "mine", "ours"})
_KIN = frozenset(
    {"mum", "mom", "mummy", "dad", "daddy", "auntie", "grandma", "grandpa", "gran", "granny", "grandad", "nan", "ex"}
    | {"boss", "coach", "flatmate", "roommate"}
)
_OWNED = frozenset({"hers", "theirs", "his", "yours", "mine", "ours"})
_DETERMINERS = {
    "my": frozenset({"my", "our"}),
    "owned": frozenset({"his", "her", "their", "its"}),
    "the": frozenset({"the", "this", "that", "these", "those"}),
    "a": frozenset({"a", "an", "some", "one", "another"}),
}
_PRESENT = frozenset({"VBZ", "VBP"})
_FORMS = {"VBD": "past", **dict.fromkeys(_PRESENT, "present"), "VB": "bare"}
_AUXILIARIES = (
    ("past", frozenset({"was", "were", "did"})),
    ("present", frozenset({"is", "are", "does", "do"})),
    ("perfect", frozenset({"had", "have", "has"})),
    ("would", WOULD),
)
_SELDOM = 1 / 3
"""The share of clauses below which a tense is that of asides."""


class AsideFeatures:
    """The features of the clauses of one text."""

    def __init__(self, doc: Doc, narration: Narration) -> None:
        self._mode = "habit" if narration is Narration.HABIT else "story" if narration is Narration.ONCE else "other"
        self.sentences = list(doc.sents)
        self._of_token = {token.i: number for number, sentence in enumerate(self.sentences) for token in sentence}
        self._things = [_things(sentence) for sentence in self.sentences]
        named = [(thing, number) for number, things in enumerate(self._things) for thing in things]
        self._first_with, self._last_with = dict(reversed(named)), dict(named)
        words = [(token.lemma_.lower(), token.i) for token in doc]
        self._first_word, self._last_word = dict(reversed(words)), dict(words)
        self._first = [_first_subject(sentence) for sentence in self.sentences]
        past = sum(token.tag_ == "VBD" for token in doc)
        present = sum(token.tag_ in _PRESENT for token in doc)
        self._share = {"past": past / max(1, past + present), "present": present / max(1, past + present)}

    def of(self, verb: Token) -> dict[str, float]:
        """The features of the clause of a verb, by name; those that are absent are 0."""
        subjects = subjects_before(verb)
        values: dict[str, float] = {f"relation {verb.dep_.partition(':')[0]}": 1.0}
        self._add(values, f"tense {_tense(verb)}")
        if _tense(verb) in self._share:
            share = self._share[_tense(verb)]
            values[f"{_tense(verb)}, share"] = share
            values["tense of few clauses"] = float(share < _SELDOM)
        self._of_subject(values, subjects, self._of_token[verb.i])
        self._of_sentence(values, self._of_token[verb.i])
        of_others = not any(map(is_narrator, subjects))
        if of_others and any(child.dep_ in {"obj", "iobj"} and child.lower_ in _OWNED for child in verb.rights):
            values["object his"] = 1.0
        if any(word.lower_ in {"me", "us", "my", "our"} for child in verb.rights for word in child.subtree):
            values["narrator after the verb"] = 1.0
        if any(child.dep_ == "obl" and not is_a(child.lemma_.lower(), "time") for child in verb.lefts):
            values["place before the verb"] = 1.0
        return values

    def _add(self, values: dict[str, float], name: str, value: float = 1.0) -> None:
        """Add a feature, for all texts and for those that tell in the same way."""
        values[name] = values[f"{self._mode}: {name}"] = value

    def _of_subject(self, values: dict[str, float], subjects: list[Token], number: int) -> None:
        kind = _kind(subjects)
        self._add(values, f"subject {kind}")
        if kind in {"none", "narrator"}:
            return
        subject, sentence = subjects[0], self.sentences[number]
        word, words = subject.lemma_.lower(), {child.lower_ for child in subject.lefts}
        values["subject it"] = float(subject.lower_ == "it")
        if kind in {"you", "pronoun"}:
            return
        if kind != "name":
            values["subject other"] = float(bool(words & {"other", "most", "many"}))
            values["subject former"] = float(bool(words & {"last", "old", "first", "previous", "former"}))
            if is_a(word, "person") or word in _KIN:
                values["subject person"] = values[f"subject person, {kind}"] = 1.0
        is_new = self._first_word[word] >= sentence.start
        self._add(values, "subject new", float(is_new))
        if is_new and self._last_word[word] < sentence.end:
            values["subject never again"] = values[f"{self._mode}: {kind} never again"] = 1.0

    def _of_sentence(self, values: dict[str, float], number: int) -> None:
        sentence, things = self.sentences[number], self._things[number]
        self._add(values, "narrator", float(any(token.lower_ in _NARRATOR for token in sentence)))
        of_before = any(self._first_with[thing] < number for thing in things)
        values["things of before"] = float(of_before)
        values["things of the text"] = float(of_before or any(self._last_with[thing] > number for thing in things))
        values["no things"] = float(not things)
        if _ONCE.search(sentence.text):
            self._add(values, "once")
        values["year"] = float(_YEAR.search(sentence.text) is not None)
        values["now"] = float(_NOW.search(sentence.text) is not None)
        if any(token.pos_ == "PROPN" and token.dep_ in {"obl", "nmod"} for token in sentence):
            self._add(values, "name of a place")
        values["first sentence"] = float(number == 0)
        self._add(values, "last sentence", float(number == len(self.sentences) - 1))
        values["narrator before"] = float(number > 0 and self._tells_of_narrator(number - 1))
        after = number + 1 < len(self.sentences)
        values["narrator after"] = float(after and self._tells_of_narrator(number + 1))
        first = self._first[number]
        values[f"first subject {'none' if first is None else _kind([first])}"] = 1.0

    def _tells_of_narrator(self, number: int) -> bool:
        first = self._first[number]
        return first is not None and is_narrator(first)


def _things(sentence: Span) -> set[str]:
    nouns = (token.lemma_.lower() for token in sentence if token.pos_ == "NOUN")
    return {noun for noun in nouns if not is_a(noun, "time")}


def _first_subject(sentence: Span) -> Token | None:
    return next((token for token in sentence if token.dep_ in SUBJECT and token.dep_ != "expl"), None)


def _tense(verb: Token) -> str:
    """The tense of a clause; that of an auxiliary counts, except beside a past ("I had to")."""
    if verb.tag_ in {"VBD", *_PRESENT}:
        return _FORMS[verb.tag_]
    words = {child.lower_ for child in verb.lefts if child.dep_ in AUXILIARY}
    tense = next((tense for tense, auxiliaries in _AUXILIARIES if words & auxiliaries), None)
    return tense or _FORMS.get(verb.tag_, "participle")


def _kind(subjects: list[Token]) -> str:
    """What a subject is: the narrator, "you", a pronoun, a name, or a noun by its determiner."""
    if not subjects:
        return "none"
    subject = subjects[0]
    if any(map(is_narrator, subjects)):
        return "narrator"
    if subject.lower_ == "you":
        return "you"
    if subject.pos_ in {"PRON", "PROPN"}:
        return "pronoun" if subject.pos_ == "PRON" else "name"
    words = {child.lower_ for child in subject.lefts}
    found = next((kind for kind, determiners in _DETERMINERS.items() if words & determiners), None)
    if found is None and any(child.dep_ == "nmod:poss" for child in subject.lefts):
        return "owned"
    return found or ("plural" if subject.tag_ == "NNS" else "bare")
