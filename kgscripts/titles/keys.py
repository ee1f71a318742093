"""The key that titles of the same activity share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from kgscripts.text.lexicon import is_a, verbs, word_list
from kgscripts.text.verb_objects import verb_objects
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


_PARTS = re.compile(r"\s+[-–—|]\s+|:\s+")


def plain_activity(title: str) -> tuple[str, bool]:
    """The `plain_title` of the part of a title that tells an activity: "Tulips in October: how to plant bulbs", "Fixing
    a flat - club handout"; of the whole title, if it has one part, or none that does."""
    whole, parts = plain_title(title), _PARTS.split(title)
    if whole[1] and not plain_title(parts[0])[1]:  # "Waffles: how to make them"
        return whole
    for part in parts if len(parts) > 1 else ():
        plain, how_to = plain_title(part)
        first, *rest = plain.split() or [""]
        if how_to or (rest and gerund_is_known(first.rstrip(","))):
            return plain, how_to
    return whole


def activity_words(title: str) -> list[str]:
    """The words of a `plain_title` as the name of an activity, as far as they tell one: with its verbs in *-ing*, or
    with the verb that is meant (`named_thing`). A title that tells none has its words as they are."""
    plain, how_to = plain_activity(title)
    words = plain.split()
    if thing := named_thing(title):
        return [thing[0], *thing[1].split()]
    while (
        how_to and words[1:] and (is_left_out(words[0]) or words[0] == "and")
    ):  # "how to quickly and safely remove it"
        words = words[1:]
    if words and (how_to or words[0].rstrip(",") in word_class("verb") or tells_activity(title) or is_command(title)):
        return _without_clause(verbs_in_ing(words, told=how_to))
    return words


def _without_clause(words: list[str]) -> list[str]:
    """The words of an activity without how or when it is done: "washing your bike" of "… without wrecking it"."""
    end = next((place for place, word in enumerate(words) if place > 1 and word in word_class("clause")), len(words))
    return [*words[: end - 1], words[end - 1].rstrip(",")] if words else words


def verbs_in_ing(words: Sequence[str], *, told: bool = False) -> list[str]:
    """The words with the verb that they begin with in *-ing*, and those that "and" or a comma joins to it: "clean and
    season a wok". A verb in the past is that of its base form if something is `told` ("how I washed my bike"), or if a
    determiner follows ("washed my car").
    """
    result = list(words)
    place = 0
    while place < len(result):
        word = result[place].rstrip(",")
        after = result[place + 1] if place + 1 < len(result) else ""
        head, hyphen, verb = word.rpartition("-")
        is_past = told or after.rstrip(",") in _DETERMINERS
        result[place] = head + hyphen + _in_ing(verb, is_past=is_past) + result[place][len(word) :]
        place += 2 if after in _JOINS else 1
        goes_on = after in _JOINS or result[place - 1].endswith(",")
        if not goes_on or place + 1 >= len(result) or not _may_be_verb(result[place], is_past=is_past):
            return result
    return result


def _in_ing(word: str, *, is_past: bool) -> str:
    if is_past and word in word_pairs("past.tsv"):
        return gerund(word_pairs("past.tsv")[word])
    if is_past and word.isascii() and not _is_base(word):
        if word[:-1] in _SILENT_E_KEPT:
            return gerund(word[:-1])
        if word.endswith("ed") and len(word) > 3:
            return _gerund_of_participle(word)
        if _is_base(singular(word)):  # "how my aunt bakes bread"
            return gerund(singular(word))
    return gerund(word) if word.isascii() else word


def _is_base(word: str) -> bool:
    return word in word_class("verb") or word in verbs("action") or word in verb_objects().uses


def _may_be_verb(word: str, *, is_past: bool) -> bool:
    word = word.rstrip(",")
    return (
        word in word_class("verb") | verbs("action")
        or (word.endswith("ing") and gerund_is_known(word))
        or (is_past and (word.endswith("ed") or word in word_pairs("past.tsv")))
    )


@cache
def _gerunds() -> frozenset[str]:
    return frozenset(map(gerund, word_class("verb") | verbs("action") | verb_objects().uses.keys()))


def gerund_is_known(word: str) -> bool:
    """Whether a word is the *-ing* form of a verb, and no noun in *-ing*."""
    return word.rpartition("-")[2] in _gerunds() and word not in word_class("noun")


def named_thing(title: str) -> tuple[str, str] | None:
    """The verb and the words of a title that names no verb, but what is made or done: "corn soup" (*making*), "laundry"
    (*doing*), "my classic scrambled eggs recipe"; None for others.
    """
    plain, how_to = plain_activity(title)
    words = plain.split()
    while words[1:] and is_left_out(words[0]):
        words = words[1:]
    if how_to or not words or _is_verb(words[0]) or gerund_is_known(words[0]) or not words[0].isascii():
        return None
    head = next((words[place - 1] for place in range(1, len(words)) if words[place] in _PHRASES | _JOINS), words[-1])
    if head in word_class("chore"):
        return "doing", " ".join(words)
    is_made = singular(head) in word_class("dish") or words[0] in word_class("cooked") or _RECIPE.search(title)
    return ("making", " ".join(words)) if is_made else None


def is_command(title: str) -> bool:
    """Whether a title is a verb in its base form with a determiner: "Descale a kettle"."""
    first, *rest = plain_activity(title)[0].split()[:2] or [""]
    return _is_base(first) and bool(rest) and rest[0] in _DETERMINERS


def tells_activity(title: str) -> bool:
    """Whether a title says by its verb that something is done: "how to", "Descaling a kettle", "Washed my car"."""
    plain, how_to = plain_activity(title)
    first, *rest = plain.replace(",", "").split() or [""]
    if how_to or not rest:
        return how_to and bool(plain)
    is_past = first in word_pairs("past.tsv") or (first.endswith("ed") and len(first) > 4)
    if rest[0] in _PARTICLES and len(rest) > 1 and rest[1] in _DETERMINERS:
        del rest[0]
    if rest[0] in _DETERMINERS:
        return is_past or first in _gerunds() or (first.endswith("ing") and _names_act(first) and len(first) > 5)
    return gerund_is_known(first) and first not in _VAGUE and not _PARTICLES.issuperset(rest)


_RECIPE = re.compile(r"\brecipe\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-'&.][^\W_]+)*[+#]*")
_JOINS = frozenset({"and", "&", "or", "then"})
_DETERMINERS = word_list(
    "articles", "possessives", "words for one's own", "near demonstratives", "indefinite determiners"
)
_PARTICLES = word_list("particles")
_PLACES = word_class("place_preposition")
_LINKS = word_class("link")
_MATERIAL = word_class("material_preposition")
_ENDS = word_class("end")
"""Words that begin a phrase of manner, time or reason behind an object."""

_PHRASES = _PLACES | _LINKS | _MATERIAL | _ENDS | {"for", "with", "in"}

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
    plain, how_to = plain_activity(title)
    words = activity_words(title)
    is_act = bool(words) and (how_to or words[0] != plain.split()[0] or named_thing(title) is not None)
    verb, rest = _parts(_WORD.findall(" ".join(words)), is_act)
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
    verb, *rest = verbs_in_ing(words)
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
    object_: list[str] = []
    phrase: list[str] = []
    preposition = lead = ""
    for word in (*words, ""):
        if word and word not in _PLACES | _LINKS | _ENDS | {"for"}:
            phrase.append(word)
            continue
        nouns = _nouns(phrase)
        if preposition == "of" and len(object_) == 1 and object_[0] in word_class("measure") and nouns:
            object_ = nouns
        elif not preposition or not object_:
            lead = lead or preposition
            object_ += nouns
        elif nouns and (all_phrases or not _circumstance(verb, preposition, nouns)):
            object_ = nouns + object_
        if word in _ENDS and object_ and not all_phrases:
            break
        if not (word == "of" and not phrase):
            preposition = word
        phrase = []
    return [lead, *object_] if lead else object_


def _nouns(words: Sequence[str]) -> list[str]:
    """Singular nouns, without possessive endings, in leading words."""
    nouns = [singular(word.removesuffix("'s").rstrip("'")) for word in words]
    leading = leading_nouns()
    result: list[str] = []
    place = 0
    while place < len(nouns):
        for length in (2, 1):
            key = tuple(nouns[place : place + length])
            if len(key) == length and key in leading:
                result += leading[key]
                break
        else:
            result.append(nouns[place])
            length = 1
        place += length
    return result


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
    """ "Mashing" for "mashed": to make mashed potatoes is to mash potatoes; "tying" for "tied"."""
    return (word[:-3] + "y" if word.endswith("ied") else word[:-2]) + "ing"


def _leading_verb(verb: str, nouns: Sequence[str]) -> str:
    """The verb that replaces this verb with this object; a verb without an object is not replaced."""
    for synonyms in leading_verbs().get(verb, ()) if nouns else ():
        if not synonyms.heads or not synonyms.heads.isdisjoint((nouns[-1], "".join(nouns))):
            return synonyms.leading
    return verb
