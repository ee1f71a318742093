"""The tables of the lemma corrector, out of treebanks and WordNet's word lists."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from spacy.lookups import Lookups, load_lookups

from kgscripts.text.conllu import Sentence
from kgscripts.text.lemmas import LemmaTables
from schemas.errors import ConfigurationError

_TABLES = ["lemma_index", "lemma_exc", "lemma_rules"]
_CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
_TIMES_SEEN = 2
_AGREEMENT = 0.9


def read_word_lists() -> Lookups:
    """WordNet's base forms, irregular forms and endings, from the package `spacy-lookups-data`.

    Raises
    ------
    ConfigurationError
        if that package is not installed.
    """
    try:
        return load_lookups("en", _TABLES)
    except ValueError as error:
        raise ConfigurationError(
            "training needs word lists that are not installed", remedy="pip install 'kgscripts[train]'"
        ) from error


def lemma_tables(sentences: Iterable[Sentence], word_lists: Lookups) -> LemmaTables:
    """Tables for forms seen at least twice with nine in ten occurrences under one lemma, and for all other words."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word in sentence.words:
            if word.lemma:
                counts[word.upos, word.form][word.lemma] += 1
    forms: dict[str, dict[str, str]] = defaultdict(dict)
    for (pos, form), lemmas in counts.items():
        lemma, times = lemmas.most_common(1)[0]
        if lemmas.total() >= _TIMES_SEEN and times >= _AGREEMENT * lemmas.total():
            forms[pos][form] = lemma
    index, irregular, endings = (word_lists.get_table(name) for name in _TABLES)
    return LemmaTables(
        forms=dict(forms),
        lemmas=sorted({lemma for lemmas in counts.values() for lemma in lemmas}),
        words={pos: sorted(index[pos.lower()]) for pos in _CLASSES},
        irregular={
            pos: {form: bases[0] for form, bases in irregular[pos.lower()].items() if bases} for pos in _CLASSES
        },
        endings={pos: [(old, new) for old, new in endings[pos.lower()] if old] for pos in _CLASSES},
    )
