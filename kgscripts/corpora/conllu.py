"""The texts of CoNLL-U treebanks (https://universaldependencies.org/format.html), with their sentences.

`kgscripts.text.conllu` reads the annotation, for training and evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, text_lines, too_long
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

_COLUMNS = 10
_WORD = re.compile(r"[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
_COMMENT = re.compile(r"#\s*(newdoc|newpar)\b(?:\s+id\s*=\s*(.*))?")

Block = list[tuple[int, str]]
"""The numbered lines of a sentence."""


def read_conllu_texts(source: Source) -> Iterator[Document | Discard]:
    """Yield a document for each ``# newdoc``; its passages are its paragraphs (``# newpar``) and its sentences.

    The text has the words as they are written: a multiword token instead of its words, and no space after
    ``SpaceAfter=No``. A sentence with a line that is not CoNLL-U is a discard.
    """
    name, paragraphs, size = "", [list[str]()], 0
    for block in _blocks(source):
        if isinstance(block, Discard):
            yield block
            continue
        comments = [comment for _, line in block if (comment := _COMMENT.fullmatch(line.strip()))]
        if opening := next((comment for comment in comments if comment[1] == "newdoc"), None):
            yield from _document(source, name, paragraphs)
            name, paragraphs, size = (opening[2] or f"line {block[0][0]}").strip(), [[]], 0
        elif comments:
            paragraphs.append([])
        sentence = _sentence(source, block)
        if isinstance(sentence, Discard):
            yield sentence
        elif sentence:
            size += len(sentence.encode("utf-8", "replace")) + 2
            if size > MAX_RECORD_BYTES:
                yield source.discard(DiscardReason.TOO_LONG, block[0][0], too_long("a document"))
                paragraphs, size = [[]], 0
            else:
                paragraphs[-1].append(sentence)
    yield from _document(source, name, paragraphs)


def _blocks(source: Source) -> Iterator[Block | Discard]:
    block: Block = []
    size = 0
    for number, line in text_lines(source):
        if isinstance(line, Discard):
            yield line
        elif line.strip():
            size += len(line)
            if size <= MAX_RECORD_BYTES:
                block.append((number, line))
        else:
            yield from _whole(source, block, size)
            block, size = [], 0
    yield from _whole(source, block, size)


def _whole(source: Source, block: Block, size: int) -> Iterator[Block | Discard]:
    if size > MAX_RECORD_BYTES:
        yield source.discard(DiscardReason.TOO_LONG, block[0][0] if block else 1, too_long("a sentence"))
    elif block:
        yield block


def _sentence(source: Source, block: Block) -> str | Discard:
    """The text of a sentence; "" of a block of comments."""
    text = ""
    inside = 0
    for number, line in block:
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        is_range = _RANGE.fullmatch(columns[0])
        if len(columns) != _COLUMNS or not columns[1] or not (is_range or _named(columns[0])):
            return source.discard(DiscardReason.MALFORMED, number, f"{line[:80]!r} is no line of CoNLL-U")
        if _EMPTY_NODE.fullmatch(columns[0]) or (not is_range and int(columns[0]) <= inside):
            continue
        inside = int(is_range[2]) if is_range else inside
        text += columns[1] + ("" if "SpaceAfter=No" in columns[9].split("|") else " ")
    return " ".join(text.split())


def _named(number: str) -> bool:
    return bool(_WORD.fullmatch(number) or _EMPTY_NODE.fullmatch(number))


def _document(source: Source, name: str, paragraphs: Sequence[Sequence[str]]) -> Iterator[Document]:
    """The document of paragraphs of sentences: a blank line between paragraphs, a space between sentences."""
    passages: list[Passage] = []
    start = 0
    for sentences in filter(None, paragraphs):
        end = start + sum(map(len, sentences)) + len(sentences) - 1
        passages.append(Passage(kind=PassageKind.PARAGRAPH, start=start, end=end))
        for sentence in sentences:
            passages.append(Passage(kind=PassageKind.SENTENCE, start=start, end=start + len(sentence)))
            start += len(sentence) + 1
        start = end + 2
    if passages:
        text = "\n\n".join(" ".join(sentences) for sentences in paragraphs if sentences)
        yield Document(name=source.label(name or "1"), format="conllu", text=text, passages=passages)
