"""Small dependency trees built top down, for generated training sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kgscripts.text.conllu import Sentence, Word

_FEATS = {
    "NN": "Number=Sing",
    "NNS": "Number=Plur",
    "VBG": "VerbForm=Ger",
    "JJ": "Degree=Pos",
    "CD": "NumForm=Word|NumType=Card",
}
_NO_SPACE_BEFORE = frozenset({",", ".", "!", ";", ":", "-", "n't"})
_NO_SPACE_AFTER = frozenset({"-"})


@dataclass
class Node:
    """A word with its dependents before and after it; `feats` default to those of the tag."""

    form: str
    upos: str
    xpos: str
    deprel: str
    lemma: str = ""
    feats: str | None = None
    before: list[Node] = field(default_factory=list)
    after: list[Node] = field(default_factory=list)

    def nodes(self) -> Iterator[Node]:
        """All words of the subtree in text order."""
        for child in self.before:
            yield from child.nodes()
        yield self
        for child in self.after:
            yield from child.nodes()


def to_sentence(root: Node, *, starts_document: bool = False) -> Sentence:
    """The tree as an annotated sentence with the spaces that English text has."""
    nodes = list(root.nodes())
    index = {id(node): position for position, node in enumerate(nodes)}
    heads = {id(child): index[id(node)] for node in nodes for child in (*node.before, *node.after)}
    words = []
    for position, node in enumerate(nodes):
        following = nodes[position + 1].form if position + 1 < len(nodes) else ""
        words.append(
            Word(
                form=node.form,
                lemma=node.lemma or node.form.lower(),
                upos=node.upos,
                xpos=node.xpos,
                feats=_FEATS.get(node.xpos, "") if node.feats is None else node.feats,
                head=heads.get(id(node), position),
                deprel=node.deprel if id(node) in heads else "ROOT",
                space_after=following not in _NO_SPACE_BEFORE and node.form not in _NO_SPACE_AFTER,
            )
        )
    return Sentence(words, starts_document=starts_document)


def capitalised(sentence: Sentence) -> Sentence:
    """The sentence with a capital at its beginning."""
    if not sentence.words:
        return sentence
    first = sentence.words[0]
    first = replace(first, form=first.form[:1].upper() + first.form[1:])
    return Sentence([first, *sentence.words[1:]], sentence.starts_document, sentence.starts_paragraph)


def title_cased(sentence: Sentence) -> Sentence:
    """The sentence as a title, each longer word with a capital; tags and lemmas stay."""
    words = [
        replace(word, form=word.form.capitalize()) if index == 0 or len(word.form) > 3 else word
        for index, word in enumerate(sentence.words)
    ]
    return Sentence(words, sentence.starts_document, sentence.starts_paragraph)


def coordinator(word: str) -> Node:
    """A conjunction before a conjunct."""
    return Node(word, "CCONJ", "CC", "cc", feats="")


def punctuation(mark: str) -> Node:
    """A comma or the mark at the end of a sentence."""
    return Node(mark, "PUNCT", "." if mark in ".!" else ",", "punct", feats="")
