"""Parses that are given with a text: a spaCy `Doc` is cut into the pieces that kgscripts parses at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kgscripts.text.passages import pieces_of, readable
from schemas.arguments import shown
from schemas.errors import InputError

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NEEDED = {"DEP": "parse", "TAG": "tags", "POS": "parts of speech", "LEMMA": "lemmas"}
_ROOT = "ROOT"


def check_annotated(doc: Doc) -> None:
    """Raise InputError unless a document has a parse, tags, parts of speech and lemmas."""
    if missing := [what for attribute, what in _NEEDED.items() if not doc.has_annotation(attribute)]:
        raise InputError(
            f"the Doc {shown(doc.text)} has no {', no '.join(missing)}",
            remedy="let a tagger, a lemmatizer and a parser, such as those of en_core_web_sm, come before kgscripts",
        )


class GivenParse:
    """A parsed document, of which any piece can be had.

    `text` is that of the document or, of the same length, what is read of it: white space in the place of the rest.
    """

    def __init__(self, doc: Doc, text: str) -> None:
        self._doc = doc
        self._text = text
        self._starts = [token.idx for token in doc]

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, Doc]]:
        """The pieces of a span, each with the character of the document at which it begins."""
        cut = pieces_of(self._text[start:end], lambda first, last: self._cut(start + first, start + last))
        return ((start + offset, piece) for offset, piece in cut)

    def _cut(self, start: int, end: int) -> Doc:
        """The tokens of a span, as the tokenizer gives them for its text without line breaks.

        A word of which only a part lies in the span becomes that part. Words whose head lies outside depend on the
        nearest word above them that lies in the span.
        """
        from spacy.tokens import Doc  # here, since importing spaCy takes long and a build may have nothing to parse

        words = list(self._words(start, end))
        if not words:
            return Doc(self._doc.vocab)
        # What lies between two words is white space: as the tokenizer, the first space belongs to the word before.
        rows: list[_Row] = [_Row(" " * (words[0].start - start))] if words[0].start > start else []
        places: list[int] = []
        for word, following in zip(words, [*words[1:], None], strict=True):
            gap = following.start - word.end if following else 0
            places.append(len(rows))
            rows.append(_Row(word.text, gap > 0, word.token))
            if gap > 1:
                rows.append(_Row(" " * (gap - 1)))
        heads = [max(0, place - 1) for place in range(len(rows))]
        for place, head in zip(places, _heads([word.token for word in words]), strict=True):
            heads[place] = places[head]
        return Doc(
            self._doc.vocab,
            words=[row.text for row in rows],
            spaces=[row.space for row in rows],
            tags=[row.token.tag_ if row.token else "_SP" for row in rows],
            pos=[row.token.pos_ if row.token else "SPACE" for row in rows],
            lemmas=[row.lemma for row in rows],
            morphs=[str(row.token.morph) if row.token else "" for row in rows],
            heads=heads,
            deps=[_relation(row, heads[place] == place) for place, row in enumerate(rows)],
        )

    def _words(self, start: int, end: int) -> Iterator[_Word]:
        for number in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            if self._starts[number] >= end:
                return
            token = self._doc[number]
            first, last = max(start, token.idx), min(end, token.idx + len(token))
            text = self._text[first:last]
            if word := text.strip():
                first += len(text) - len(text.lstrip())
                yield _Word(token, first, first + len(word), readable(word))


@frozen
class _Word:
    """A token, or the part of it from character `start` to `end`."""

    token: Token
    start: int
    end: int
    text: str


@frozen
class _Row:
    """A token of a piece: a word, or white space without a `token`. A `space` may follow it."""

    text: str
    space: bool = False
    token: Token | None = None

    @property
    def lemma(self) -> str:
        """The lemma of the word; a part of a word is its own lemma."""
        return self.token.lemma_ if self.token is not None and len(self.token) == len(self.text) else self.text.lower()


def _relation(row: _Row, is_root: bool) -> str:
    if is_root or row.token is None:
        return _ROOT if is_root else "dep"
    return str(row.token.dep_)


def _heads(tokens: Sequence[Token]) -> list[int]:
    """The place of the head of each token among `tokens`; a root is its own head.

    Of the words of a sentence whose heads all lie outside, the first verb is the root, or else the first word.
    """
    places = {token.i: place for place, token in enumerate(tokens)}
    above: dict[int, int] = {}
    """By index of a token outside, the index of the nearest token above it among `tokens`, or that of its root."""
    indices = [_nearest(token, places, above) for token in tokens]
    orphans: dict[int, list[int]] = {}
    for place, nearest in enumerate(indices):
        if nearest not in places:
            orphans.setdefault(nearest, []).append(place)
    heads = [places.get(nearest, 0) for nearest in indices]
    for own in orphans.values():
        root = next((place for place in own if tokens[place].pos_ == "VERB"), own[0])
        for place in own:
            heads[place] = root
    return heads


def _nearest(token: Token, places: dict[int, int], above: dict[int, int]) -> int:
    """The index of the nearest ancestor that has a place, or of the root of the sentence (its own, if it is that)."""
    passed: list[int] = []
    head = token.head
    while head.i not in places and head.i not in above and head.head.i != head.i:
        passed.append(head.i)
        head = head.head
    nearest = above.get(head.i, head.i)
    above.update(dict.fromkeys(passed, nearest))
    return nearest
