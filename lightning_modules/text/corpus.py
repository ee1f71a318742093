"""The corpus reader of the training configuration: whole training documents with the treebank's own tokens."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry


def gold_token_corpus(
    path: Path | str,
    augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
    shuffle: bool = False,
    seed: int = 0,
) -> Callable[[Language], Iterator[Example]]:
    """Examples whose predicted document has the gold tokens and spaces, but neither sentence starts nor tags.

    spaCy's own reader offers gold tokens only together with gold sentences (`gold_preproc`), and then the parser
    never sees a sentence boundary to learn.
    """
    rng = random.Random(seed)

    def read(nlp: Language) -> Iterator[Example]:
        docs = list(DocBin().from_disk(path).get_docs(nlp.vocab))
        if shuffle:
            rng.shuffle(docs)
        for reference in docs:
            predicted = Doc(
                nlp.vocab,
                words=[token.text for token in reference],
                spaces=[bool(token.whitespace_) for token in reference],
            )
            example = Example(predicted, reference)
            yield from augmenter(nlp, example) if augmenter else (example,)

    return read


registry.readers("kgscripts.GoldTokenCorpus.v1", func=gold_token_corpus)
