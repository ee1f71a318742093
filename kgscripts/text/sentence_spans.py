"""Where the sentences of texts begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from schemas.records import Passage, PassageKind

if TYPE_CHECKING:
    from spacy.language import Language

_SENTENCE_PARTS = ("tok2vec", "senter")


def sentence_spans(texts: Sequence[tuple[str, Sequence[Passage]]]) -> list[list[tuple[int, int]]]:
    """The first and the last character (excluded) of the sentences in the innermost passages of each text.

    Passages that are sentences are kept; in the others sentences begin where the shipped parser begins them.
    """
    from kgscripts.text.passages import innermost, parse_passages
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
    return [sorted(found) for found in spans]


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
