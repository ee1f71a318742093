"""Parts of a story that are not its own events: memories, what others once did, and what happens in a film or a dream.

A sentence opens such a part ("we had a boat once", "they showed a thriller", "she talked about her knee"). The
sentences after it belong to it, without a word that says so, until one comes back to the story: by its time ("today",
"this one"), its things or its narrator.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from kgscripts.extractors.realis.narration import is_narrator, subjects_before
from kgscripts.extractors.realis.remoteness import FICTIONS, tells_far_past
from kgscripts.text.lexicon import is_a
from kgscripts.text.syntax import SUBJECT, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_LONGEST = 4
"""The most sentences of a digression after the one that opens it."""
_AT_BEGINNING = 16
_NARRATOR = frozenset({"i", "we", "me", "us", "my", "our", "myself", "ourselves"})
_MEDIA = frozenset(
    {"book", "story", "show", "series", "episode", "play", "game", "article", "song", "television", "tv", "channel"}
    | {"magazine", "newspaper", "poem", "comic", "record"}
)
_TURNING_TO = frozenset({"open", "read", "watch", "switch", "turn", "hear", "listen", "see", "play", "show", "be"})
_TELLING = frozenset({"tell", "talk", "speak", "chat", "ramble", "gossip", "warn"})
_WAKING = frozenset({"wake", "awake", "awaken", "nudge", "startle"})
_SLEEPING = frozenset({"fall", "drift", "doze", "nod"})
_REMINDING = frozenset({"remind", "think"})
_CONTRAST = re.compile(
    r"\b(this (time|one|year|week|month|summer|winter|spring|autumn|fall|season)|today|tonight|nowadays|our own"
    r"|the new \w+|(at|in|on|with|for) (mine|ours))\b|^(mine|ours|now|(so )?yesterday|this morning)\b",
    re.IGNORECASE,
)
"""What brings a story back to its own time."""
_ARTICLES = frozenset({"a", "an", "the", "two", "three"})
_MAIN = frozenset({"ROOT", "conj", "parataxis"})
_ACQUAINTANCES = frozenset({"friend", "colleague", "cousin", "neighbour", "neighbor", "coworker", "acquaintance"})
_PARENTS = frozenset({"parent", "grandparent", "grandmother", "grandfather", "grandma", "grandpa"})
_SCHOOL = frozenset({"school", "college", "kindergarten", "university"})
_OCCASIONS = frozenset(
    {"time", "year", "summer", "winter", "spring", "autumn", "fall", "season", "christmas", "easter", "thanksgiving"}
)
_FORMER = frozenset({"former", "previous", "ex"})
_OTHER_ONE = frozenset({"last", "first", "old"})


class _Opening(StrEnum):
    PAST = "past"
    SETTING = "setting"
    THOUGHT = "thought"
    OTHERS = "others"
    FICTION = "fiction"
    DREAM = "dream"


def digressions(doc: Doc) -> frozenset[int]:
    """Indices of the tokens in digressions of a story.

    The sentence that opens one belongs to it if it tells of another ("a friend of hers cut her fringe") or is set
    elsewhere ("in my old flat").
    """
    sentences = list(doc.sents)
    if not any(token.lower_ in {"i", "we"} for token in doc):
        return frozenset()  # A story about others has no narrator to come back to.
    found: set[int] = set()
    story: set[str] = set()
    index = 0
    while index < len(sentences):
        sentence = sentences[index]
        opening = _opening(sentence)
        length = None if opening is None else _length(opening, sentence, sentences[index + 1 :][:_LONGEST], story)
        if length is None:
            story |= _things(sentence)
            length = 0
        else:
            found.update(range(_own_part(opening, sentence, story), sentence.end))
        for other in sentences[index + 1 : index + 1 + length]:
            found.update(range(other.start, other.end))
        index += 1 + length
    return frozenset(found)


def _own_part(opening: _Opening | None, sentence: Span, story: set[str]) -> int:
    """The token from which an opening belongs to its digression; its end if it does not."""
    if opening is _Opening.SETTING or (opening is _Opening.OTHERS and story and _is_about_another(sentence)):
        return sentence.start
    if opening is _Opening.THOUGHT:
        return next((token.i for token in sentence if token.text == ":"), sentence.end)
    return sentence.end


def _opening(sentence: Span) -> _Opening | None:
    """What kind of digression the sentence opens."""
    if _CONTRAST.search(sentence.text):
        return None
    predicates = [token for token in sentence if is_verb(token)]
    if any(map(_dozes, predicates)):
        return _Opening.DREAM
    if any(map(_is_of_fiction, sentence)):
        return _Opening.FICTION
    if any(map(_thinks_back, predicates)):
        return _Opening.THOUGHT
    if any(map(_tells, predicates)) or _is_about_another(sentence):
        return _Opening.OTHERS
    if any(tells_far_past(token) for token in sentence if token.dep_ in _MAIN):
        return _Opening.PAST
    return _Opening.SETTING if any(map(_sets_elsewhere, sentence)) else None


def _length(opening: _Opening, sentence: Span, after: list[Span], story: set[str]) -> int | None:
    """How many of the sentences after an opening belong to it; None if it opens nothing."""
    # At the beginning of a text, only what comes back at once is no story of its own: "My first pie … Today I …".
    reach = after if story else after[:2]
    farthest = None if story else _AT_BEGINNING
    contrast = next((index for index, other in enumerate(reach) if _CONTRAST.search(other.text[:farthest])), None)
    if opening is _Opening.SETTING or (opening is _Opening.PAST and contrast is not None):
        if contrast is None or any(_things(other) & story for other in after[:contrast]):
            return None
        return contrast
    if opening is _Opening.PAST and not story and _has_narrator(sentence):
        return None  # The story itself is set in that time.
    if opening is _Opening.FICTION and not (after and _begins_plot(after[0], story)):
        return None
    back = next((index for index, other in enumerate(after) if _comes_back(opening, other, story)), None)
    if back is None:
        # Who dozes off and does not wake did not dream.
        return None if opening is _Opening.DREAM or not story else len(after)
    return back


def _comes_back(opening: _Opening, sentence: Span, story: set[str]) -> bool:
    """Whether the sentence goes on with the story."""
    if opening is _Opening.DREAM:
        return any(
            (token.lemma_.lower() in _WAKING and _acts_on_narrator(token)) or token.lower_ == "alarm"
            for token in sentence
        )
    if _CONTRAST.search(sentence.text):
        return True
    if opening in {_Opening.FICTION, _Opening.OTHERS}:
        return _has_narrator(sentence)
    if opening is _Opening.PAST and any(map(_acts_on_narrator, sentence)):
        return True
    return bool(_things(sentence) & story) or _is_of_narrator(sentence)


def _acts_on_narrator(verb: Token) -> bool:
    return any(child.lower_ in {"me", "us"} for child in verb.rights)


def _has_narrator(sentence: Span) -> bool:
    return any(token.lower_ in _NARRATOR for token in sentence)


def _begins_plot(sentence: Span, story: set[str]) -> bool:
    """Whether somebody acts in the sentence whom the story does not know: "a chef", "the detective", "he"."""
    # "A salesman drives", where the parser took the verb for a noun.
    first = _first_subject(sentence) or (sentence.root if sentence.root.pos_ == "NOUN" else None)
    if first is None or _has_narrator(sentence) or _things(sentence) & story:
        return False
    if first.pos_ == "PRON":
        return first.lower_ in {"he", "she", "they"} and not any(is_a(thing, "person") for thing in story)
    return first.pos_ == "NOUN" and any(child.lower_ in _ARTICLES for child in first.lefts)


def _is_of_narrator(sentence: Span) -> bool:
    first = _first_subject(sentence)
    return first is not None and is_narrator(first)


def _first_subject(sentence: Span) -> Token | None:
    return next((token for token in sentence if token.dep_ in SUBJECT and token.dep_ != "expl"), None)


def _things(sentence: Span) -> set[str]:
    return {
        token.lemma_.lower() for token in sentence if token.pos_ == "NOUN" and not is_a(token.lemma_.lower(), "time")
    }


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
    if word == "remind" and not _acts_on_narrator(verb):
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


def _is_about_another(sentence: Span) -> bool:
    """ "A friend of hers cut her own fringe", "a man I know tried this", without the narrator."""
    first = _first_subject(sentence)
    if first is None or not any(child.lower_ in {"a", "an", "one"} for child in first.lefts):
        return False
    known = any(child.lemma_.lower() == "know" for child in first.rights)
    of_someone = first.lemma_.lower() in _ACQUAINTANCES and first.nbor(1).lower_ == "of"
    return known or (of_someone and not _has_narrator(sentence))


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
