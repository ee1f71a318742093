"""More training sentences out of a treebank's: imperatives made of statements, lower case, missing full stops."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kgscripts.text.conllu import Sentence, Word
from kgscripts.text.lexicon import word_classes

_PRONOUNS = frozenset({"i", "you", "we", "they", "he", "she"})
_FINITE = frozenset({"VB", "VBP", "VBZ", "VBD"})
_STATES = word_classes("lightning_modules.learning.text", "words.txt")["verbs of states"]
_LONGEST = 40
_WHITE_SPACE = (" ", "\n", "\n\n", "\t")


def imperatives(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Imperatives made of the statements with a pronoun subject: "We should wash it" gives "Wash it"."""
    for sentence in sentences:
        imperative = imperative_from(sentence)
        if imperative is not None:
            yield imperative


def imperative_from(sentence: Sentence) -> Sentence | None:
    """The sentence without its pronoun subject and modals, its verb an imperative; None where that cannot be done.

    Verbs coordinated with the main verb, without a subject of their own, change with it.
    """
    words = sentence.words
    if len(words) > _LONGEST or any(word.form == "?" or word.upos == "X" for word in words):
        return None
    root = next((index for index, word in enumerate(words) if word.deprel == "ROOT"), None)
    if root is None or words[root].upos != "VERB" or words[root].xpos not in _FINITE:
        return None
    if words[root].lemma in _STATES:
        return None
    subjects = _children(words, root, ("nsubj",))
    auxiliaries = _children(words, root, ("aux",))
    if len(subjects) != 1 or words[subjects[0]].form.lower() not in _PRONOUNS or subjects[0] > root:
        return None
    if any(words[index].xpos != "MD" and words[index].lemma != "do" for index in auxiliaries):
        return None
    if any(word.lemma in {"not", "never"} and word.head == root for word in words):
        return None
    dropped = {*subjects, *auxiliaries}
    dropped |= {index for index in _children(words, root, ("cc",)) if index == 0}
    if any(word.head in dropped and index not in dropped for index, word in enumerate(words)):
        return None
    changed = {root, *_coordinated(words, root)}
    return _rebuilt(words, dropped, changed)


def _children(words: list[Word], head: int, labels: tuple[str, ...]) -> list[int]:
    return [index for index, word in enumerate(words) if word.head == head and word.deprel in labels]


def _coordinated(words: list[Word], root: int) -> Iterator[int]:
    for index in _children(words, root, ("conj",)):
        subjects = _children(words, index, ("nsubj", "nsubj:pass", "aux", "aux:pass", "cop", "expl"))
        if words[index].upos == "VERB" and words[index].xpos in _FINITE and not subjects:
            yield index


def _rebuilt(words: list[Word], dropped: set[int], changed: set[int]) -> Sentence | None:
    kept = [index for index in range(len(words)) if index not in dropped]
    while kept and words[kept[0]].upos == "PUNCT":
        kept.pop(0)
    place = {old: new for new, old in enumerate(kept)}
    if any(words[index].head not in place for index in kept):
        return None
    rebuilt = []
    for index in kept:
        word = replace(words[index], head=place[words[index].head])
        if index in changed:
            word = replace(word, form=word.lemma.lower(), xpos="VB", feats="Mood=Imp|VerbForm=Fin")
        rebuilt.append(word)
    return _capitalised(Sentence(rebuilt)) if len(rebuilt) > 1 else None


def _capitalised(sentence: Sentence) -> Sentence:
    """The sentence with a capital at its beginning."""
    if not sentence.words:
        return sentence
    first = sentence.words[0]
    first = replace(first, form=first.form[:1].upper() + first.form[1:])
    return Sentence([first, *sentence.words[1:]], sentence.starts_document, sentence.starts_paragraph)


def lower_cased(sentence: Sentence) -> Sentence:
    """The sentence in lower case, as people write in messages; tags and lemmas stay."""
    words = [replace(word, form=word.form.lower()) for word in sentence.words]
    return Sentence(words, sentence.starts_document, sentence.starts_paragraph)


def without_final_stop(sentence: Sentence) -> Sentence:
    """The sentence without the full stop at its end, as headings and list items have none."""
    words = sentence.words
    last = len(words) - 1
    if last < 1 or words[last].form != "." or any(word.head == last for word in words):
        return sentence
    before = replace(words[last - 1], space_after=True)
    return Sentence([*words[: last - 1], before], sentence.starts_document, sentence.starts_paragraph)


def with_white_space(sentence: Sentence, rng: random.Random, share: float) -> Sentence:
    """The sentence with line breaks or more spaces after a `share` of its words, as tokens like spaCy's own."""
    words: list[Word] = []
    place: list[int] = []
    for word in sentence.words:
        place.append(len(words))
        words.append(word)
        if word.space_after and rng.random() < share:
            space = rng.choice(_WHITE_SPACE)
            words[-1] = replace(word, space_after=space == " ")
            words.append(Word(space, space, "SPACE", "_SP", "", len(place) - 1, "dep", False))
    moved = [replace(word, head=place[word.head]) for word in words]
    return Sentence(moved, sentence.starts_document, sentence.starts_paragraph)


def grouped(sentences: list[Sentence], rng: random.Random, longest: int = 10) -> Iterator[list[Sentence]]:
    """Consecutive sentences in groups of one to `longest`, short groups more often."""
    start = 0
    while start < len(sentences):
        size = min(rng.randint(1, longest), rng.randint(1, longest))
        yield sentences[start : start + size]
        start += size
