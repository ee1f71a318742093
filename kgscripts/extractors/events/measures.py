"""Measures of an event: quantities of its participants ("2 tbsp oil"), sizes of its tools ("a 23 cm tin") and how long
it takes ("for 20 to 25 minutes").

Regular expressions find the words of a measure (`kgscripts.text.amounts`), the parse its thing or its event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from kgscripts.extractors.events.frames import Frame
from kgscripts.extractors.events.nouns import noun_lemma
from kgscripts.text.amounts import AMOUNT, DURATION, PARTITIVES, SIZE, UNITS, has_unit, is_length, is_size
from kgscripts.text.lexicon import foods, is_a, is_tool, word_list
from kgscripts.text.syntax import conjuncts, is_verb, lemma
from schemas.records import Measure, MeasureKind

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SHARE = re.compile(
    r"(?<!\w)(?:remaining|enough|(?:(?:an?|one|two|three)[\s-]+)?(?:half|thirds?|quarters?)|rest|remainder"
    r"|plenty|(?:a\s+)?little(?:\s+(?:bit|more))?|a\s+bit(?:\s+more)?)\b",
    re.IGNORECASE,
)
"""How much without a number: "half of the onions", "the remaining oil"."""
_FARTHEST = 16
"""The most words between a thing and the beginning of its amount."""
_DESCRIBES = frozenset({"DET", "ADJ", "NOUN", "PROPN", "NUM", "ADV", "SYM", "PUNCT", "SPACE", "X"})
_ENDS = frozenset(",;:.!?")
_BETWEEN_NUMBERS = word_list("words between numbers")
_HEDGES = word_list("words before amounts")
_ALTERNATIVE = ("(", "/")

_BEFORE = re.compile(
    r"([\w']*)[\s(,]*(?:\b(?:the|an?|first|last|final|next|only|just|around|over)\s+)*$", re.IGNORECASE
)
_WHEN = word_list("words before no duration")
"""Words before a length of time that is a point in time or a rate: "after 10 minutes", "every 10 minutes"."""
_AWAY = re.compile(
    r"[-’']|\s*(?:before|after|ago|later|earlier|early|late|away|old|prior|apart|at\s+a|per\s+\d+)\b", re.IGNORECASE
)
"""What follows such a length: "10 minutes before serving"."""
_UP_TO = word_list("before and after")
"""With these, it is one of the verb that it follows: "let stand 10 minutes before serving"."""
_ONE_DAY = re.compile(r"(?:an?|one)\s+(?:day|night|week|month|year)s?$", re.IGNORECASE)
_UNTIL = word_list("until")
_WITHIN_NOUN = frozenset({"compound", "amod", "nummod", "nmod:poss", "poss", "nmod:desc"})
_LEAVING = word_list("leaving")
_COMPLEMENTS = frozenset({"xcomp", "ccomp"})
_texts: MutableMapping[Doc, str] = WeakKeyDictionary()


def time_events(doc: Doc, frames: Iterable[Frame]) -> None:
    """Give each event of a parse its durations."""
    of_verb = {frame.verb.i: frame for frame in frames}
    text = _text(doc)
    for match in DURATION.finditer(text):
        span = doc.char_span(match.start(), match.end(), alignment_mode="expand")
        if span is None or not _is_duration(text, match, span.root):
            continue
        frame = _timed(span.root, of_verb)
        if frame is not None:
            frame.durations.append(_plain(match[0]))


def _text(doc: Doc) -> str:
    """The text of a parse; spaCy joins its tokens at each call."""
    if (text := _texts.get(doc)) is None:
        text = _texts[doc] = doc.text
    return text


def _is_duration(text: str, match: re.Match[str], time: Token) -> bool:
    """Whether a length of time says how long something takes, not when or how often it is done."""
    # Only the last words before it, so that time is linear.
    before = _BEFORE.search(text[max(0, match.start() - 40) : match.start()])
    word = before[1].lower() if before else ""
    stands = time.i > 0 and (word == "for" or time.doc[time.left_edge.i - 1].pos_ == "VERB")
    away = _AWAY.match(text, match.end())
    if word in _WHEN or (away and not (stands and away[0].strip() in _UP_TO)):
        return False
    if _ONE_DAY.match(match[0]) and word != "for":  # "one day she baked", "twice a day"
        return False
    return not (time.dep_ in _WITHIN_NOUN and time.head.i > time.i)  # "a 20 minute walk"


def _timed(time: Token, of_verb: dict[int, Frame]) -> Frame | None:
    """The event that takes this time: that of the nearest verb above it, or of the last verb coordinated with that
    one: "simmer" of "cover and simmer for 10 minutes"."""
    path = [above for above in time.ancestors if is_verb(above) or above.dep_ == "advcl"]
    if not any(case.lower_ == "for" for case in time.lefts):  # "cook until it thickens, about 5 minutes"
        ends = [place for place, above in enumerate(path, start=1) if _markers(above) & _UNTIL]
        path = path[max(ends, default=0) :]
    for above in path:
        if _stands_apart(above, time):
            continue
        verbs = [verb for verb in conjuncts(above) if verb.i < time.i] or [above]
        frame = next(filter(None, (_event_of(verb, of_verb) for verb in reversed(verbs))), None)
        if frame is not None:
            return frame
    return None


def _stands_apart(verb: Token, time: Token) -> bool:
    """Whether a clause before the time only describes how: "fry, stirring, for 5 minutes", "in boiling water"."""
    if verb.tag_ != "VBG" or verb.dep_ in {"ROOT", "conj"} or verb.i > time.i:
        return False
    return time.doc[time.left_edge.i - 1].text == "," or "in" in _markers(verb)


def _event_of(verb: Token, of_verb: dict[int, Frame]) -> Frame | None:
    """The event of a verb; that of its complement where it has none: "let it rest" has no event of "let"."""
    frame = of_verb.get(verb.i)
    if frame is None:
        complements = (child.i for child in verb.rights if child.dep_ in _COMPLEMENTS)
        return next((of_verb[place] for place in complements if place in of_verb), None)
    if frame.reason is not None and verb.dep_ == "xcomp" and lemma(verb.head) in _LEAVING:
        return of_verb.get(verb.head.i, frame)  # "leave to rise", which is planned
    return frame


def _markers(verb: Token) -> set[str]:
    """The markers of the clause of a verb; of coordinated verbs the first has them."""
    while verb.dep_ == "conj" and verb.head.i < verb.i:
        verb = verb.head
    return {marker.lower_ for marker in verb.lefts if marker.dep_ in {"mark", "case"}}


def measures_of(frame: Frame, participants: Iterable[Token], tools: Sequence[Token]) -> Iterator[Measure]:
    """The measures of the participants and the tools of an event, in text order, then its durations.

    An antecedent of a pronoun has its measure where it is named.
    """
    nouns = {noun.i: noun for noun in (*participants, *tools) if noun not in frame.stands_for}
    for _, noun in sorted(nouns.items()):
        yield from _measure(noun, is_used=noun in tools)
    for words in dict.fromkeys(frame.durations):
        yield Measure(kind=MeasureKind.DURATION, words=words)


def _measure(noun: Token, *, is_used: bool) -> Iterator[Measure]:
    thing = noun_lemma(noun)
    is_food = thing in foods("food") or is_a(thing, "consumable")
    if is_a(thing, "person", "animal", "time") and not is_food:
        return
    amount = _amount_before(noun, is_food=is_food)
    text = _text(noun.doc)
    end = noun.idx + len(noun)
    behind = SIZE.match(text, end + 1) if amount is None and text[end : end + 1].isspace() else None
    if amount is None and behind is None:
        return
    words = _plain(amount[0] if amount is not None else behind["size"] if behind is not None else "")
    is_part = amount is not None and text[amount.end() : noun.idx].split()[:1] == ["of"]  # "2 feet of rope"
    is_size = not is_part and (is_length(words) or (has_unit(words) and (is_used or is_tool(thing))))
    yield Measure(kind=MeasureKind.SIZE if is_size else MeasureKind.QUANTITY, words=words, thing=thing)


def _amount_before(noun: Token, *, is_food: bool) -> re.Match[str] | None:
    """The amount in the words before a noun that belong to it; the first of several units: "23 cm (9 in)"."""
    doc, text = noun.doc, _text(noun.doc)
    begin = doc[_first(noun)].idx
    for pattern in (AMOUNT, _SHARE):
        matches = [match for match in pattern.finditer(text, begin, noun.idx) if _is_of(match, noun, is_food=is_food)]
        if matches:
            named = [match for match in matches if not text.endswith(_ALTERNATIVE, 0, match.start())]
            return (named or matches)[-1]
    return None


def _is_of(match: re.Match[str], noun: Token, *, is_food: bool) -> bool:
    """Whether an amount before a noun is that of the noun: no other thing stands between them."""
    if "little" in match[0].lower().split() and not is_food:  # "a little house"
        return False
    between = (token for token in noun.doc[_first(noun) : noun.i] if token.idx >= match.end())
    return not any(
        token.pos_ in {"NOUN", "PROPN"}
        and not noun.is_ancestor(token)
        and token.lemma_.lower() not in UNITS | PARTITIVES
        for token in between
    )


def _first(noun: Token) -> int:
    """The place of the first word before a noun that can belong to its amount."""
    first = noun.i
    depth = 0
    for token in reversed(noun.doc[max(noun.sent.start, noun.i - _FARTHEST) : noun.i]):
        depth += (token.text == ")") - (token.text == "(")
        if depth == 0 and not _belongs(token):
            break
        first = token.i
    return first


def _belongs(token: Token) -> bool:
    word = token.lower_
    if word == "of":
        return token.i > 0 and _measures(token.nbor(-1))
    if token.lower_[0].isdigit() or word in _HEDGES or token.tag_ == "PRP$":
        return True
    if word in _BETWEEN_NUMBERS:
        return token.i > 0 and token.nbor(-1).like_num
    if token.pos_ == "VERB":
        return token.dep_ in {"amod", "compound"}
    return token.pos_ in _DESCRIBES and token.text not in _ENDS


def _measures(token: Token) -> bool:
    return token.lemma_.lower() in PARTITIVES | UNITS or is_size(token) or token.pos_ == "NUM"


def _plain(words: str) -> str:
    return " ".join(words.split())
