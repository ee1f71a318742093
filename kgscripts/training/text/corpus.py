"""The corpus reader of the training configuration: whole training documents with the treebank's own tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry


def gold_token_corpus(path: Path | str) -> Callable[[Language], Iterator[Example]]:
    """Examples whose predicted document has the gold tokens and spaces, but neither sentence starts nor tags.

    spaCy's own reader offers gold tokens only together with gold sentences (`gold_preproc`), and then the parser
    never sees a sentence boundary to learn.
    """

    def read(nlp: Language) -> Iterator[Example]:
        for reference in DocBin().from_disk(path).get_docs(nlp.vocab):
            words = [token.text for token in reference]
            spaces = [bool(token.whitespace_) for token in reference]
            yield Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)

    return read


registry.readers("kgscripts.GoldTokenCorpus.v1", func=gold_token_corpus)
