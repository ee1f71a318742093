"""The extractor of sentences, as the parser splits them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgscripts.extractors.protocol import PARSE, Extractor, Parse, ParsedDocument
from schemas.records import Record, Sentence


class SentenceExtractor(Extractor):
    """Gives the sentences of a document; evidence lies within them."""

    name = "sentences"
    rules = "2"
    task = "sentence segmentation"
    requires = (PARSE,)
    gives = (Sentence,)
    licence = "Apache-2.0"

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        return [[sentence for parse in document.parses for sentence in _sentences(parse)] for document in documents]


def _sentences(parse: Parse) -> Iterator[Sentence]:
    for sentence in parse.doc.sents:
        words = [token for token in sentence if not token.is_space]
        if words:
            last = words[-1]
            yield Sentence(start=parse.offset + words[0].idx, end=parse.offset + last.idx + len(last))
