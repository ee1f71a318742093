"""Sentences that open a digression of a story: "we had a boat once", "they showed a thriller"."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from kgscripts.extractors.narration import is_narrator, subjects_before
from kgscripts.extractors.remoteness import FICTIONS, tells_far_past
from kgscripts.text.lexicon import is_a
from kgscripts.text.syntax import SUBJECT, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_NARRATOR = frozenset({"i", "we", "me", "us", "my", "our", "myself", "ourselves"})
_MEDIA = frozenset(
    {"book", "story", "show", "series", "episode", "play", "game", "article", "song", "television", "tv", "channel"}
    | {"magazine", "newspaper", "poem", "comic", "record"}
)
_TURNING_TO = frozenset({"open", "read", "watch", "switch", "turn", "hear", "listen", "see", "play", "show", "be"})
_TELLING = frozenset({"tell", "talk", "speak", "chat", "ramble", "gossip", "warn"})
_SLEEPING = frozenset({"fall", "drift", "doze", "nod"})
_REMINDING = frozenset({"remind", "think"})
CONTRAST = re.compile(
    r"\b(this (time|one|year|week|month|summer|winter|spring|autumn|fall|season)|today|tonight|nowadays|our own"
    r"|the new \w+|(at|in|on|with|for) (mine|ours))\b|^(mine|ours|now|(so )?yesterday|this morning)\b",
    re.IGNORECASE,
)
"""What brings a story back to its own time."""
_MAIN = frozenset({"ROOT", "conj", "parataxis"})
_ACQUAINTANCES = frozenset({"friend", "colleague", "cousin", "neighbour", "neighbor", "coworker", "acquaintance"})
_PARENTS = frozenset({"parent", "grandparent", "grandmother", "grandfather", "grandma", "grandpa"})
_SCHOOL = frozenset({"school", "college", "kindergarten", "university"})
_OCCASIONS = frozenset(
    {"time", "year", "summer", "winter", "spring", "autumn", "fall", "season", "christmas", "easter", "thanksgiving"}
)
_FORMER = frozenset({"former", "previous", "ex"})
_OTHER_ONE = frozenset({"last", "first", "old"})
_AWAY = frozenset({"army", "navy", "school", "college", "university", "kindergarten", "prison"})
_PICTURES = frozenset({"page", "screen", "painting", "picture", "photo", "photograph", "poster"})
_LONG_AGO = re.compile(
    r"\b(years|summers|winters|autumns|springs|seasons|decades) (back|ago|before)\b|\blong (before|ago)\b"
    r"|\b(the|that) (year|summer|winter|spring|autumn) (of|when|that|i|we|he|she|they|my|our)\b",
    re.IGNORECASE,
)


class Opening(StrEnum):
    PAST = "past"
    SETTING = "setting"
    ELSEWHERE = "elsewhere"
    THOUGHT = "thought"
    OTHERS = "others"
    FICTION = "fiction"
    DREAM = "dream"


def opening_of(sentence: Span, story: set[str]) -> Opening | None:
    """What kind of digression the sentence opens in a story with these things."""
    if CONTRAST.search(sentence.text):
        return None
    predicates = [token for token in sentence if is_verb(token)]
    if any(map(_dozes, predicates)):
        return Opening.DREAM
    if any(map(_is_of_fiction, sentence)):
        return Opening.FICTION
    if any(map(_thinks_back, predicates)):
        return Opening.THOUGHT
    if any(map(_tells, predicates)) or is_about_another(sentence):
        return Opening.OTHERS
    if any(tells_far_past(token) for token in sentence if token.dep_ in _MAIN):
        return Opening.PAST
    if story and not things_of(sentence) & story and _is_elsewhere(sentence):
        return Opening.ELSEWHERE
    return Opening.SETTING if any(map(_sets_elsewhere, sentence)) else None


def _dozes(verb: Token) -> bool:
    """ "Fell asleep", "drifted off", "dreamed of the exam"."""
    if verb.dep_ not in _MAIN:
        return False
    if verb.lemma_.lower() == "dream" and verb.tag_ == "VBD":
        return True
    return verb.lemma_.lower() in _SLEEPING and any(child.lower_ in {"asleep", "off"} for child in verb.rights)


def _is_of_fiction(noun: Token) -> bool:
    """ "They showed an old thriller", "I switched on the television", "the musical was about a baker"."""
    word = noun.lemma_.lower()
    if noun.pos_ != "NOUN" or not (word in FICTIONS or word in _MEDIA):
        return False
    verb = noun.head if is_verb(noun.head) else noun
    if word in FICTIONS or verb.lemma_.lower() in _TURNING_TO:
        return True
    return any(child.lower_ == "about" for token in noun.subtree for child in token.children)


def _thinks_back(verb: Token) -> bool:
    """ "I thought of our old orchard", "it reminded me of her", "her kitchen came back to me"."""
    word = verb.lemma_.lower()
    if word == "come":
        words = [child.lower_ for child in verb.rights]
        return "back" in words and "me" in words
    if word == "remember" and any(child.lower_ in {"day", "time", "summer", "night", "year"} for child in verb.rights):
        return True
    if word == "remind" and not acts_on_narrator(verb):
        return False
    return word in _REMINDING and any(
        left.lower_ == "of" and child.dep_ == "obl" for child in verb.rights for left in child.lefts
    )


def _tells(verb: Token) -> bool:
    """ "The woman talked about her knee", "he had warned me about the hill"."""
    subjects = subjects_before(verb)
    if verb.lemma_.lower() not in _TELLING or not subjects or any(map(is_narrator, subjects)):
        return False
    return any(
        left.lower_ == "about" or (left.lower_ == "had" and child.dep_ == "ccomp")
        for child in verb.rights
        for left in child.lefts
    )


def is_about_another(sentence: Span) -> bool:
    """ "A friend of hers cut her own fringe", "a man I know tried this", without the narrator."""
    first = first_subject(sentence)
    if first is None or not any(child.lower_ in {"a", "an", "one"} for child in first.lefts):
        return False
    known = any(child.lemma_.lower() == "know" for child in first.rights)
    of_someone = first.lemma_.lower() in _ACQUAINTANCES and first.nbor(1).lower_ == "of"
    return known or (of_someone and not has_narrator(sentence))


def _is_elsewhere(sentence: Span) -> bool:
    """Whether a sentence in which the narrator does nothing is about another time, place or thing: "in Sweden a moose
    trampled our kitchen", "two summers back the bulb died", "my old car lost a wheel", "on the screen a man ran"."""
    first = first_subject(sentence)
    if first is None or is_narrator(first):
        return False
    if _LONG_AGO.search(sentence.text):
        return True
    words = {child.lower_ for child in first.lefts}
    if first.lower_ in {"one", "ones", "time", "place"} and "last" in words:
        return True
    if (words & {"my", "our"} and "old" in words and not is_a(first.lemma_.lower(), "person")) or (
        "first" in words and any(child.lower_ == "ever" for child in first.rights)
    ):
        return True
    return any(map(_is_other_place, sentence[: first.i - sentence.start]))


def _is_other_place(noun: Token) -> bool:
    """ "In Sweden", "in the army", "at my own wedding", "in the old flat", "on the screen", before the verb."""
    if noun.dep_ != "obl" or noun.head.dep_ not in _MAIN or noun.i > noun.head.i:
        return False
    words = {child.lower_ for child in noun.lefts}
    if not words & {"in", "at", "on", "during"}:
        return False
    named = noun.pos_ == "PROPN" and "the" not in words and not is_a(noun.lemma_.lower(), "time")
    other = bool(words & {"own", "old", "former", "previous"}) and bool(words & {"my", "our", "the", "his", "her"})
    return named or other or noun.lower_ in _AWAY or noun.lower_ in _PICTURES


def _sets_elsewhere(noun: Token) -> bool:
    """ "My former landlord", "in my old flat", "the last time", "my sister's wedding", "where I grew up", at the
    beginning of a sentence."""
    words = {child.lower_ for child in noun.lefts}
    is_before = noun.head.dep_ in _MAIN and noun.i < noun.head.i
    if noun.dep_ == "advcl":
        of_parents = any(child.lemma_.lower() in _PARENTS for child in noun.lefts)
        return is_before and ("where" in words or ("when" in words and of_parents))
    is_first = noun.dep_ in SUBJECT or is_before or (noun.dep_ == "ROOT" and noun.pos_ == "NOUN")
    if not is_first or noun.pos_ not in {"NOUN", "PROPN"}:
        return False
    if (noun.lower_ in _SCHOOL and noun.dep_ == "obl") or words & _FORMER:
        return True
    if "last" in words and noun.lower_ in _OCCASIONS and noun.i <= noun.sent.start + 2:
        return True
    if words & _OTHER_ONE and words & {"my", "our"}:
        return True
    owned = any(child.rights and child.dep_ == "nmod:poss" and child.pos_ == "NOUN" for child in noun.lefts)
    return ("last" in words and any(child.dep_ == "acl:relcl" for child in noun.rights)) or owned


def acts_on_narrator(verb: Token) -> bool:
    return any(child.lower_ in {"me", "us"} for child in verb.rights)


def has_narrator(sentence: Span) -> bool:
    return any(token.lower_ in _NARRATOR for token in sentence)


def first_subject(sentence: Span) -> Token | None:
    return next((token for token in sentence if token.dep_ in SUBJECT and token.dep_ != "expl"), None)


def things_of(sentence: Span) -> set[str]:
    return {
        token.lemma_.lower() for token in sentence if token.pos_ == "NOUN" and not is_a(token.lemma_.lower(), "time")
    }
