"""Clauses about another time or people in general: memories, habits, films, plans; and near misses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgscripts.extractors.realis.narration import Narration, is_used_to
from kgscripts.text.syntax import AUXILIARY, is_fronted, is_imperative, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Token

_PRESENT = frozenset({"VBP", "VBZ"})
_PAST = frozenset({"VBD", "VBN"})
_HABITUALLY = frozenset({"always", "generally", "normally", "usually", "often", "typically", "seldom", "rarely"})
_NOT_QUITE = frozenset({"almost", "nearly"})
_EVERYBODY = frozenset({"people", "everyone", "everybody"})
_NOBODY = frozenset({"nobody", "none", "noone"})
_YOUTH = frozenset(
    {"child", "kid", "boy", "girl", "teenager", "teen", "baby", "toddler", "student", "young", "younger", "little"}
    | {"small", "college", "school", "kindergarten", "childhood", "youth", "pregnant"}
)
FICTIONS = frozenset(
    {"film", "movie", "novel", "dream", "cartoon", "fairy", "tale", "thriller", "documentary", "musical", "ballad"}
    | {"opera", "sitcom", "podcast", "legend", "comedy", "fable", "western"}
)
_LONG_TIMES = frozenset({"year", "decade"})
_SEASONS = frozenset({"year", "summer", "winter", "spring", "autumn", "fall", "season"})
_NOW = re.compile(r"\b(this (time|year|summer|winter|spring|autumn|fall|season)|today|tonight|now)\b", re.IGNORECASE)
_YEAR = re.compile(r"1\d{3}|20[01]\d")
_CLAUSES = frozenset({"ROOT", "conj", "parataxis", "ccomp", "advcl"})
_PLANS = frozenset({"plan", "idea", "dream", "hope", "goal"})


def is_denied(verb: Token) -> bool:
    """Whether the clause says that the event did not happen: "nobody helped", "she almost fell"."""
    for child in verb.lefts:
        if child.dep_ == "advmod" and child.lower_ == "ever" and child.nbor(-1).lower_ in {"hardly", "scarcely"}:
            return True
        if child.dep_ == "advmod" and child.lower_ in _NOT_QUITE and verb.tag_ in _PAST:
            return child.i == verb.i - 1
        if child.dep_.startswith("nsubj") and (child.lower_ in _NOBODY or _has(child, "no")):
            return True
    return False


def is_planned(verb: Token) -> bool:
    """ "The plan was that Dan brings the charcoal"."""
    return any(child.dep_ == "nsubj:outer" and child.lower_ in _PLANS for child in verb.lefts)


def is_remote(verb: Token, narration: Narration) -> bool:
    """Whether the clause tells of habits, people in general, a far past, or what happens in a film.

    In a text that tells of a habit, what others do ("some people add sugar"), hearsay, and what happened once are
    remote.
    """
    habit = narration is Narration.HABIT
    return (
        (not habit and (_is_habit(verb) or _is_general(verb) or _is_aside(verb) or _tells_past(verb)))
        or (habit and any(_is_once(child) or (child.lower_ == "people" and _is_general(verb)) for child in verb.lefts))
        or _is_reported(verb)
        or any(_is_fiction(child) for child in verb.lefts)
        or (verb.dep_ in {"acl:relcl", "relcl"} and verb.head.lower_ in FICTIONS)
    )


def _is_habit(verb: Token) -> bool:
    """ "Used to bake", "always burns it"."""
    if is_used_to(verb):
        return any(child.dep_ == "nsubj" for child in verb.head.lefts)
    return (
        verb.tag_ in _PRESENT
        and not is_imperative(verb)
        and any(child.dep_ == "advmod" and child.lower_ in _HABITUALLY for child in verb.lefts)
        and not any(child.dep_ in AUXILIARY for child in verb.lefts)
    )


def _is_general(verb: Token) -> bool:
    """ "Most people peel carrots", "everyone plays an instrument"."""
    return verb.tag_ in _PRESENT and any(
        child.dep_ == "nsubj" and child.lower_ in _EVERYBODY and (child.lower_ != "people" or _is_bare(child))
        for child in verb.lefts
    )


def _is_aside(verb: Token) -> bool:
    """A general truth in a sentence in the past: "dough rises faster in summer, so I checked mine"."""
    subjects = [child for child in verb.lefts if child.dep_ == "nsubj"]
    if verb.tag_ not in _PRESENT or not subjects or is_imperative(verb):
        return False
    # "We put", "I cut" and "they spread" are also the past.
    if verb.tag_ == "VBP" and subjects[0].pos_ == "PRON" and subjects[0].lower_ != "you":
        return False
    return any(
        token.tag_ == "VBD" and token.dep_ in _CLAUSES and is_verb(token) and token.i != verb.i for token in verb.sent
    )


def _is_reported(verb: Token) -> bool:
    """ "According to my barber, his cousin shaved a president"."""
    return any(
        left.lower_ == "according" and left.dep_ == "case" for child in verb.children for left in child.lefts
    ) or any(child.lower_ == "according" for child in verb.lefts)


def _is_bare(noun: Token) -> bool:
    return all(child.lower_ in {"most", "many", "some", "other"} for child in noun.lefts)


def _tells_past(verb: Token) -> bool:
    return verb.tag_ in _PAST and tells_far_past(verb)


def tells_far_past(verb: Token) -> bool:
    """Whether the clause is about a far past; in "back in the nineties" the words after "back" decide."""
    open_ = [*verb.children, *([verb.head] if is_fronted(verb) else [])]
    while open_:  # without recursion: "back back back …" can go on
        child = open_.pop()
        if child.lower_ == "back" and child.dep_ == "advmod":
            open_.extend(child.rights)
        elif _is_far(child):
            return True
    return False


def _is_once(child: Token) -> bool:
    """ "He once lost it", "we had a boat once"."""
    if child.lower_ != "once" or child.dep_ != "advmod" or child.head.tag_ not in _PAST:
        return False
    is_last = child.i == child.sent.end - 2 and child.head.lemma_.lower() == "have"
    return is_last or child.i in {child.head.i - 1, child.head.i - 2}


def _is_far(child: Token) -> bool:
    """ "Two years ago", "in the nineties", "as a child", "when I was six"."""
    if child.dep_ == "advcl":
        states = [left for left in child.lefts if left.dep_ == "cop" and left.tag_ == "VBD"]
        when = any(left.lower_ == "when" for left in child.lefts)
        return when and bool(states) and (child.lower_ in _YOUTH or _is_age(child))
    if _is_once(child):
        return True
    if child.lemma_.lower() in _SEASONS and any(left.lower_ == "last" for left in child.lefts):
        return _NOW.search(child.doc[child.sent.start :].text) is not None
    if child.lower_ in {"ago", "before", "earlier"}:
        times = _LONG_TIMES if child.lower_ == "ago" else _LONG_TIMES | _SEASONS
        return any(time.lemma_.lower() in times for time in child.children)
    if child.dep_ in {"obl", "ROOT"}:
        case = {left.lower_ for left in child.lefts if left.dep_ == "case"}
        if "for" in case and child.lower_ in {"years", "decades"}:
            return not any(left.dep_ == "nummod" for left in child.lefts)
        return ("as" in case and child.lemma_.lower() in _YOUTH) or (
            ("during" in case and child.lower_ == "war")
            or (
                "in" in case
                and (
                    _YEAR.fullmatch(child.text) is not None
                    or child.lower_ in {"childhood", "youth"}
                    or child.lower_.endswith(("ties", "0s", "0's"))
                    or (child.lower_ == "days" and any(left.lower_ == "those" for left in child.lefts))
                )
            )
        )
    return False


def _is_age(predicate: Token) -> bool:
    return predicate.pos_ == "NUM" or (
        predicate.lower_ == "old" and any(child.lemma_.lower() in _LONG_TIMES for child in predicate.lefts)
    )


def _is_fiction(child: Token) -> bool:
    return (
        child.dep_ == "obl"
        and child.lower_ in FICTIONS
        and any(left.dep_ == "case" and left.lower_ == "in" for left in child.lefts)
    )


def _has(noun: Token, determiner: str) -> bool:
    return any(child.dep_ == "det" and child.lower_ == determiner for child in noun.lefts)
