"""Construction of a cloze task from pairs: which words of the concrete side are blanked (KidsCook, section 2.2).

The paper states the filters; two details that it leaves open were inferred from the released templates. First, of the
possible blanks of a pair the five longest are kept, ties in reverse alphabetical order, at each of their occurrences;
with the released whitelist this reproduces the released training templates except for 6 of 45,941 blank tokens.
Second, the meaning of "primarily": `PRIMARILY`, tuned on the training templates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from attrs import evolve

from kgscripts.corpora.pairs.pair import Pair, blank_english

MIN_COUNT = 5
"""The least number of occurrences in concrete sides of a word that may be blanked."""

PRIMARILY = 0.9
"""A word belongs to the concrete side if it occurs in concrete sides whose abstract side lacks it at least this often
per occurrence in an abstract side."""

MAX_BLANKS = 5
"""Maximum number of different blanks per pair."""

# Words that spaCy's list lacks and that are frequent in procedures: "use a knife to", "you need to", "you are going
# to", "like this".
_MORE_STOP_WORDS = frozenset({"use", "need", "going", "like"})


def blankable_words(pairs: Sequence[Pair], *, min_count: int = MIN_COUNT) -> list[str]:
    """The whitelist of words that may be blanked, most frequent first.

    They are purely alphabetic, neither stop words nor numbers, frequent enough, and belong to the concrete side.
    Units of measure are not treated specially.
    """
    concrete, abstract, new = Counter[str](), Counter[str](), Counter[str]()
    for pair in pairs:
        abstract.update(pair.abstract)
        concrete.update(pair.concrete)
        abstract_words = set(pair.abstract)
        new.update(token for token in pair.concrete if token not in abstract_words)
    words = (
        word
        for word, count in concrete.items()
        if count >= min_count and new[word] and new[word] >= PRIMARILY * abstract[word] and _has_content(word)
    )
    return sorted(words, key=lambda word: (-new[word], word))


def with_blanks(pair: Pair, words: Set[str]) -> Pair:
    """The pair with new blanks, possibly none, in which the words may be blanked.

    A word of the abstract side is never blanked. Adjacent words form one blank; longer blanks are preferred.
    """
    abstract_words = set(pair.abstract)
    candidate = [token in words and token not in abstract_words for token in pair.concrete]
    runs = evolve(pair, blanks=candidate).slots
    phrases = sorted({pair.concrete[start:end] for start, end in runs}, key=lambda phrase: (len(phrase), phrase))
    kept = set(phrases[-MAX_BLANKS:])
    blanks = [False] * len(pair.concrete)
    for start, end in runs:
        if pair.concrete[start:end] in kept:
            blanks[start:end] = [True] * (end - start)
    return evolve(pair, blanks=blanks)


def construct_clozes(pairs: Iterable[Pair], words: Set[str]) -> list[Pair]:
    """The pairs with new blanks; pairs without a blank are dropped."""
    return [cloze for pair in pairs if any((cloze := with_blanks(pair, words)).blanks)]


def template_line(cloze: Pair) -> str:
    """A row of a cloze template, without line end: abstract, concrete, and 0 for each blanked token, else 1."""
    marks = ("0" if blank else "1" for blank in cloze.blanks)
    return "\t".join(" ".join(column) for column in (cloze.abstract, cloze.concrete, marks))


def _has_content(word: str) -> bool:
    lexeme = blank_english().vocab[word]
    return lexeme.is_alpha and not lexeme.is_stop and not lexeme.like_num and word not in _MORE_STOP_WORDS
