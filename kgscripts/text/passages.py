"""Parsing a stream of passages of any length and content, with their character offsets.

Sentences are found in passages that are longer than one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from kgscripts.text.pipeline import components_of_kgscripts
from kgscripts.text.plain_words import plain_view
from schemas.records import Passage, PassageKind

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from schemas.records import Passage


Context = TypeVar("Context")

RULES = "2"
"""Version of the code that decides what a pipeline reads: part of the version of each extractor that reads parses."""

MAX_CHARACTERS = 10_000
"""The longest piece that is parsed at once: about five pages."""

MAX_TOKENS = 2_500
"""The most tokens of a piece. 10,000 characters of English have about 2,000, as many brackets 10,000. Sentences are not
longer either, which limits everything that takes more than linear time in their length."""

MAX_WORD = 250
"""Longer words are cut: the tokenizer takes quadratic time in the length of a word."""

_BATCH_SIZE = 32
_TOKENS_A_BATCH = 20_000

# Control characters, line breaks and other spaces: each is replaced by one space, so that offsets stay valid.
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
# Where a long paragraph is split, best first: line or sentence end, other punctuation, space.
_CUTS = (
    re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n"),
    re.compile(r"(?<=[,;:])\s+"),
    re.compile(r"\s+"),
)
_WORD = re.compile(r"\S+")
_VIEW = "kgscripts_view"
"""The key of `Doc.user_data` under which tokens of a plain view have it until they are parsed."""


@dataclass(frozen=True, slots=True)
class ParsedPiece(Generic[Context]):
    """A parsed passage, or a piece of a long one; `doc` begins at character `offset` of the passage."""

    context: Context
    offset: int
    doc: Doc


def parse_passages(nlp: Language, passages: Iterable[tuple[str, Context]]) -> Iterator[ParsedPiece[Context]]:
    """Yield the parse of each text with its context, in order.

    A text is split into paragraphs (a blank line ends a sentence), and paragraphs longer than `MAX_CHARACTERS` or
    `MAX_TOKENS` into several pieces, at sentence ends if possible; words longer than `MAX_WORD` are cut. A token begins
    at character `token.idx + offset` of the original text, and `token.text` equals the text there, except that control
    characters are replaced by spaces. What is parsed is the plain view of the text (`plain_view`). A passage without
    words gives an empty document. Memory is bounded by the number of tokens parsed at once; `doc.tensor` is empty.
    """
    batch: list[ParsedPiece[Context]] = []
    tokens = 0
    for piece in _tokenized(nlp, passages):
        if len(batch) == _BATCH_SIZE or tokens + len(piece.doc) > _TOKENS_A_BATCH:
            yield from _parsed(nlp, batch)
            batch, tokens = [], 0
        batch.append(piece)
        tokens += len(piece.doc)
    yield from _parsed(nlp, batch)


def _parsed(nlp: Language, batch: Sequence[ParsedPiece[Context]]) -> Iterator[ParsedPiece[Context]]:
    docs = nlp.pipe((piece.doc for piece in batch), batch_size=_BATCH_SIZE, disable=components_of_kgscripts(nlp))
    for piece, doc in zip(batch, docs, strict=True):
        # Most of the memory of a document: what the networks computed of each token.
        doc.tensor = doc.tensor[:0].copy()
        if _VIEW in doc.user_data:
            view, original = doc.user_data[_VIEW]
            # If the view cuts a letter into tokens, the text is parsed as it stands.
            doc = view.restored(doc, original) or nlp(nlp.make_doc(original), disable=components_of_kgscripts(nlp))
        yield ParsedPiece(piece.context, piece.offset, doc)


def _tokenized(nlp: Language, passages: Iterable[tuple[str, Context]]) -> Iterator[ParsedPiece[Context]]:
    for text, context in passages:
        for offset, doc in pieces_of(text, partial(_tokens, nlp, text)):
            yield ParsedPiece(context, offset, doc)


def _tokens(nlp: Language, text: str, start: int, end: int) -> Doc:
    view = plain_view(text[start:end])
    doc = nlp.make_doc(readable(view.text if view else text[start:end]))
    if view:
        doc.user_data[_VIEW] = view, readable(text[start:end])
    return doc


def pieces_of(text: str, tokens_of: Callable[[int, int], Doc]) -> Iterator[tuple[int, Doc]]:
    """Yield the pieces of a text that are parsed at once, each with the character at which it begins.

    `tokens_of` gives the tokens from one character to another.
    """
    for start, end in split_text(text):
        yield from _pieces_of_tokens(text, start, end, tokens_of)


def _pieces_of_tokens(
    text: str, start: int, end: int, tokens_of: Callable[[int, int], Doc]
) -> Iterator[tuple[int, Doc]]:
    """The tokens of a span, in two halves if it has too many."""
    doc = tokens_of(start, end)
    if len(doc) <= MAX_TOKENS:
        yield start, doc
        return
    # One more than the half, so that the last character makes no third piece.
    for first, last in _trimmed_spans(text, _pieces(text, start, end, (end - start) // 2 + 1)):
        yield from _pieces_of_tokens(text, first, last, tokens_of)


def readable(text: str) -> str:
    """The text with control characters and line breaks replaced by spaces; its length does not change."""
    return _SURROGATE.sub("\ufffd", _UNREADABLE.sub(" ", text))


def split_text(text: str, limit: int = MAX_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Yield at least one span: paragraphs without surrounding white space, split into pieces of `limit` characters."""
    has_span = False
    for start, end in _paragraphs(text):
        for span in _trimmed_spans(text, _pieces(text, start, end, limit)):
            has_span = True
            yield span
    if not has_span:
        yield 0, 0


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        yield start, blank.start()
        start = blank.end()
    yield start, len(text)


def _pieces(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cut a paragraph into pieces of `limit` characters, and within words that are too long."""
    cuts = [
        cut for word in _WORD.finditer(text, start, end) for cut in range(word.start() + MAX_WORD, word.end(), MAX_WORD)
    ]
    for stop in [*cuts, end]:
        while stop - start > limit:
            cut = _cut(text, start, start + limit)
            yield start, cut
            start = cut
        yield start, stop
        start = stop


def _trimmed_spans(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans without surrounding white space; empty ones are left out."""
    trimmed = (_trimmed(text, start, end) for start, end in spans)
    return ((start, end) for start, end in trimmed if start < end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, limit: int) -> int:
    """The last suitable position for a split in the second half of a window."""
    middle = (start + limit) // 2
    for pattern in _CUTS:
        ends = [match.end() for match in pattern.finditer(text, middle, limit)]
        if ends:
            return ends[-1]
    return limit


def innermost(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that contain no other passage: these are parsed, so that no text is parsed twice. A written script
    is not parsed."""
    return [
        passage
        for passage, following in zip(passages, (*passages[1:], None), strict=True)
        if (following is None or following.end > passage.end or following.start >= passage.end)
        and passage.kind is not PassageKind.SCRIPT
    ]


_SENTENCE_PARTS = ("tok2vec", "senter")


def sentence_spans(texts: Sequence[tuple[str, Sequence[Passage]]]) -> list[list[tuple[int, int]]]:
    """The first and the last character (excluded) of the sentences in the innermost passages of each text.

    Passages that are sentences are kept; in the others sentences begin where the shipped parser begins them.
    """
    from kgscripts.text.pipeline import load_pipeline

    spans: list[list[tuple[int, int]]] = [[] for _ in texts]
    unsplit: list[tuple[str, tuple[int, int]]] = []
    for number, (text, passages) in enumerate(texts):
        for passage in innermost(passages) if passages else ():
            if passage.kind is PassageKind.SENTENCE:
                spans[number].append((passage.start, passage.end))
            else:
                unsplit.append((text[passage.start : passage.end], (number, passage.start)))
    nlp = load_pipeline()
    # The zone: otherwise spaCy's vocabulary would keep the words of a long text.
    with nlp.select_pipes(enable=_SENTENCE_PARTS), _fast_products(nlp), nlp.memory_zone():
        for piece in parse_passages(nlp, unsplit):
            number, start = piece.context
            for sentence in piece.doc.sents:
                words = [token for token in sentence if not token.is_space]
                if words:
                    first = start + piece.offset
                    spans[number].append((first + words[0].idx, first + words[-1].idx + len(words[-1])))
    return [sorted(of_text) for of_text in spans]


@contextmanager
def _fast_products(nlp: Language) -> Iterator[None]:
    """Products of matrices by numpy, which take half the time of those by BLIS.

    Their last bits differ, so parses are not computed with them; where sentences begin does not depend on these.
    """
    ops = nlp.get_pipe("tok2vec").model.ops  # type: ignore[attr-defined]
    before = ops.use_blis
    ops.use_blis = False
    try:
        yield
    finally:
        ops.use_blis = before
