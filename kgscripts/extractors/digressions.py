"""Parts of a story that are not its own events: memories, what others once did, and what happens in a film or a dream.

A sentence opens such a part ("we had a boat once", "they showed a thriller", "she talked about her knee"). The
sentences after it belong to it, without a word that says so, until one comes back to the story: by its time ("today",
"this one"), its things or its narrator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.extractors.narration import is_narrator
from kgscripts.extractors.openings import (
    CONTRAST,
    Opening,
    acts_on_narrator,
    first_subject,
    has_narrator,
    is_about_another,
    opening_of,
    things_of,
)
from kgscripts.text.lexicon import is_a

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_LONGEST = 4
"""The most sentences of a digression after the one that opens it."""
_AT_BEGINNING = 16
_WAKING = frozenset({"wake", "awake", "awaken", "nudge", "startle"})
_ARTICLES = frozenset({"a", "an", "the", "two", "three"})


def digressions(doc: Doc) -> frozenset[int]:
    """Indices of the tokens in digressions of a story.

    The sentence that opens one belongs to it if it tells of another ("a friend of hers cut her fringe") or is set
    elsewhere ("in my old flat").
    """
    sentences = list(doc.sents)
    if not any(map(is_narrator, doc)):
        return frozenset()  # A story about others has no narrator to come back to.
    found: set[int] = set()
    story: set[str] = set()
    index = 0
    while index < len(sentences):
        sentence = sentences[index]
        opening = opening_of(sentence, story)
        length = None if opening is None else _length(opening, sentence, sentences[index + 1 :][:_LONGEST], story)
        if length is None:
            story |= things_of(sentence)
            length = 0
        else:
            found.update(range(_own_part(opening, sentence, story), sentence.end))
        for other in sentences[index + 1 : index + 1 + length]:
            found.update(range(other.start, other.end))
        index += 1 + length
    return frozenset(found)


def _own_part(opening: Opening | None, sentence: Span, story: set[str]) -> int:
    """The token from which an opening belongs to its digression; its end if it does not."""
    if opening is Opening.ELSEWHERE:
        return sentence.start
    if opening is Opening.SETTING or (opening is Opening.OTHERS and story and is_about_another(sentence)):
        return sentence.start
    if opening is Opening.THOUGHT:
        return next((token.i for token in sentence if token.text == ":"), sentence.end)
    return sentence.end


def _length(opening: Opening, sentence: Span, after: list[Span], story: set[str]) -> int | None:
    """How many of the sentences after an opening belong to it; None if it opens nothing."""
    # At the beginning of a text, only what comes back at once is no story of its own: "My first pie … Today I …".
    reach = after if story else after[:2]
    farthest = None if story else _AT_BEGINNING
    contrast = next((index for index, other in enumerate(reach) if CONTRAST.search(other.text[:farthest])), None)
    if opening is Opening.ELSEWHERE:
        return next((index for index, other in enumerate(after) if not _goes_on(other, story)), len(after))
    if opening is Opening.SETTING or (opening is Opening.PAST and contrast is not None):
        if contrast is None or any(things_of(other) & story for other in after[:contrast]):
            return None
        return contrast
    if opening is Opening.PAST and not story and has_narrator(sentence):
        return None  # The story itself is set in that time.
    if opening is Opening.FICTION and not (after and _begins_plot(after[0], story)):
        return None
    back = next((index for index, other in enumerate(after) if _comes_back(opening, other, story)), None)
    if back is None:
        # Who dozes off and does not wake did not dream.
        return None if opening is Opening.DREAM or not story else len(after)
    return back


def _comes_back(opening: Opening, sentence: Span, story: set[str]) -> bool:
    """Whether the sentence goes on with the story."""
    if opening is Opening.DREAM:
        return any(
            (token.lemma_.lower() in _WAKING and acts_on_narrator(token)) or token.lower_ == "alarm"
            for token in sentence
        )
    if CONTRAST.search(sentence.text):
        return True
    if opening in {Opening.FICTION, Opening.OTHERS}:
        return has_narrator(sentence)
    if opening is Opening.PAST and any(map(acts_on_narrator, sentence)):
        return True
    return bool(things_of(sentence) & story) or _is_of_narrator(sentence)


def _begins_plot(sentence: Span, story: set[str]) -> bool:
    """Whether somebody acts in the sentence whom the story does not know: "a chef", "the detective", "he"."""
    # "A salesman drives", where the parser took the verb for a noun.
    first = first_subject(sentence) or (sentence.root if sentence.root.pos_ == "NOUN" else None)
    if first is None or has_narrator(sentence) or things_of(sentence) & story:
        return False
    if first.pos_ == "PRON":
        return first.lower_ in {"he", "she", "they"} and not any(is_a(thing, "person") for thing in story)
    return first.pos_ == "NOUN" and any(child.lower_ in _ARTICLES for child in first.lefts)


def _is_of_narrator(sentence: Span) -> bool:
    first = first_subject(sentence)
    return first is not None and is_narrator(first)


def _goes_on(sentence: Span, story: set[str]) -> bool:
    """Whether a sentence says more of the things of the one before: "it rolled into a field"."""
    first = first_subject(sentence)
    if first is None or is_narrator(first) or CONTRAST.search(sentence.text) or things_of(sentence) & story:
        return False
    return first.lower_ in {"it", "they"} or any(
        token.lower_ in {"it", "them"} and token.dep_ == "obj" for token in sentence
    )
