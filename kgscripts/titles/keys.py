"""The key that titles of the same activity share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kgscripts.text.lexicon import is_a, word_list
from kgscripts.titles.plain import kinds, leading_nouns, leading_verbs, plain_title, singular, word_class, word_pairs

_IN_ING = word_class("verb_in_ing")
"""Verbs whose base form ends in *-ing*."""

_SILENT_E_KEPT = word_class("silent_e_kept")
_CONSONANT_DOUBLED = word_class("consonant_doubled")
"""Verbs of several syllables with the stress on the last."""

_PREFIX = re.compile(r"(?:un|re|out|over)(?=[^aeiou])")
_CLOSED_SYLLABLE = re.compile(r"[^aeiou]*(?:[aeiou]|qu[aeiou]|y)[^aeiouwxy]")


def gerund(verb: str) -> str:
    """The *-ing* form of a lower-case verb; a word that already has this form is returned as it is (*baking*).

    The spelling is American where it differs (*canceling*). Every word is treated as a verb.
    """
    if not verb.isalpha() or (verb.endswith("ing") and len(verb) > 4 and verb not in _IN_ING):
        return verb
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb not in _SILENT_E_KEPT:
        return verb[:-1] + "ing"
    if verb.endswith("ic"):
        return verb + "king"
    if verb in _CONSONANT_DOUBLED or _CLOSED_SYLLABLE.fullmatch(_PREFIX.sub("", verb, count=1)):
        return verb + verb[-1] + "ing"
    return verb + "ing"


_WORD = re.compile(r"[^\W_]+(?:[-'&.][^\W_]+)*[+#]*")
_DETERMINERS = word_list(
    "articles", "possessives", "words for one's own", "near demonstratives", "indefinite determiners"
)
_PARTICLES = word_list("particles")
_PLACES = word_class("place_preposition")
_LINKS = word_class("link")
_MATERIAL = word_class("material_preposition")
_ENDS = word_class("end")
"""Words that begin a phrase of manner, time or reason behind an object."""

_NOMINAL = word_pairs("acts.tsv")
_VAGUE = word_class("vague_verb")
"""Verbs that need more than an object to name an activity: "have fun in the sun"."""

_TAKING = word_class("taking_verb")
_LIGHT = word_class("light_verb")


def title_key(title: str) -> str:
    """The key of a title: its verb in *-ing* and the nouns of its object as one word, synonyms by their leading word.

    Titles with the same key mean the same activity: "Planting the apple tree", "How to plant trees: 12 steps". The key
    of a title without words is the title in lower case; "" if it has signs only.
    """
    plain, how_to = plain_title(title)
    verb, rest = _parts(_WORD.findall(plain), how_to)
    if not verb:
        return plain
    noun = _object(rest, verb.partition(" ")[0])
    verb = _leading_verb(verb, noun)
    noun = _general(noun)
    if verb == "making" and len(noun) > 1 and noun[0] in word_class("cooked"):
        verb, noun = _leading_verb(_gerund_of_participle(noun[0]), noun[1:]), noun[1:]
    return " ".join(filter(None, (verb, "".join(noun))))


def _parts(words: list[str], how_to: bool) -> tuple[str, list[str]]:
    """The verb in *-ing* with its particle, and the other words."""
    words = _without_manner(words)
    if not words:
        return "", []
    last = words[-1]
    if not how_to and len(words) > 1 and _names_act(last) and not _is_verb(words[0]):
        return _NOMINAL.get(last, last), words[:-1]
    first, hyphen, second = words[0].rpartition("-")
    verb, rest = first + hyphen + (gerund(second) if second.isascii() else second), words[1:]
    if verb in _LIGHT and len(rest) > 1 and rest[-1] in _NOMINAL:
        return _NOMINAL[rest[-1]], rest[:-1]
    if verb == "giving" and len(rest) > 1 and rest[-1] in ("bath", "wash"):
        return "washing", rest[:-1]
    if rest[:2] == ["rid", "of"]:
        return f"{verb} rid", rest[2:]
    if verb in _TAKING and ("out", "of") in pairwise(rest[1:]):
        return f"{verb} out", rest
    for place in (0, -1):
        if len(rest) > 1 and rest[place] in _PARTICLES and rest[:2] != ["out", "of"]:
            return f"{verb} {rest.pop(place)}", rest
    return verb, rest


def _names_act(word: str) -> bool:
    return word in _NOMINAL or (word.endswith("ing") and len(word) > 4 and word not in word_class("noun"))


def _is_verb(word: str) -> bool:
    return word in word_class("verb") or (word.endswith("ing") and word not in word_class("noun"))


def is_left_out(word: str) -> bool:
    """Whether a word does not change the activity: a determiner, an adverb of manner, an adjective of quality."""
    others = word_class("not_adverb")
    is_adverb = word in word_class("manner") or (word.endswith("ly") and len(word) > 4 and word not in others)
    return is_adverb or word in _DETERMINERS or word in word_class("quality")


def _without_manner(words: list[str]) -> list[str]:
    """The words without those to leave out; if none were left, all are kept."""
    # "Part A" has no determiner.
    kept = [
        word
        for place, word in enumerate(words)
        if not is_left_out(word) or (place and place == len(words) - 1 and word == "a")
    ]
    if kept[:1] == ["and"]:  # of "quickly and safely"
        kept = kept[1:]
    return kept or words


def _object(words: Sequence[str], verb: str) -> list[str]:
    """The nouns of the object, those of phrases behind it first: "oil in a car" is "car oil".

    Phrases of manner, place, time, beneficiary or material are left out, except behind a vague verb.
    """
    all_phrases = verb in _VAGUE
    found: list[str] = []
    phrase: list[str] = []
    preposition = lead = ""
    for word in (*words, ""):
        if word and word not in _PLACES | _LINKS | _ENDS | {"for"}:
            phrase.append(word)
            continue
        nouns = _nouns(phrase)
        if preposition == "of" and len(found) == 1 and found[0] in word_class("measure") and nouns:
            found = nouns
        elif not preposition or not found:
            lead = lead or preposition
            found += nouns
        elif nouns and (all_phrases or not _circumstance(verb, preposition, nouns)):
            found = nouns + found
        if word in _ENDS and found and not all_phrases:
            break
        if not (word == "of" and not phrase):
            preposition = word
        phrase = []
    return [lead, *found] if lead else found


def _nouns(words: Sequence[str]) -> list[str]:
    """Singular nouns, without possessive endings, in leading words."""
    nouns = [singular(word.removesuffix("'s").rstrip("'")) for word in words]
    leading = leading_nouns()
    found: list[str] = []
    place = 0
    while place < len(nouns):
        for length in (2, 1):
            key = tuple(nouns[place : place + length])
            if len(key) == length and key in leading:
                found += leading[key]
                break
        else:
            found.append(nouns[place])
            length = 1
        place += length
    return found


def _circumstance(verb: str, preposition: str, nouns: Sequence[str]) -> bool:
    """Whether a phrase is one of place, time, beneficiary or material, and does not name what is acted upon."""
    if preposition in _MATERIAL and _leading_verb(verb, nouns) == "making":
        return True
    if preposition == "for":
        return nouns[-1] in word_class("beneficiary") or is_a(nouns[-1], "person")
    return preposition in _PLACES and nouns[-1] in word_class("circumstance")


def _general(nouns: list[str]) -> list[str]:
    """An object without the modifiers that only make a kind of it."""
    if not nouns:
        return nouns
    modifiers = kinds().get(nouns[-1], frozenset())
    kept = [noun for noun in nouns[:-1] if noun not in modifiers]
    return [*kept, nouns[-1]]


def _gerund_of_participle(word: str) -> str:
    """ "Mashing" for "mashed": to make mashed potatoes is to mash potatoes."""
    return (word[:-3] + "y" if word.endswith("ied") else word[:-2]) + "ing"


def _leading_verb(verb: str, nouns: Sequence[str]) -> str:
    """The verb that replaces this verb with this object; a verb without an object is not replaced."""
    for synonyms in leading_verbs().get(verb, ()) if nouns else ():
        if not synonyms.heads or not synonyms.heads.isdisjoint((nouns[-1], "".join(nouns))):
            return synonyms.leading
    return verb
