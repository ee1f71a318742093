"""Small dependency trees built top down, for generated training sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import resources

from kgscripts.text.conllu import Sentence, Word

_FEATS = {
    "NN": "Number=Sing",
    "NNS": "Number=Plur",
    "VBG": "VerbForm=Ger",
    "JJ": "Degree=Pos",
    "CD": "NumForm=Word|NumType=Card",
}
_CLOSED = tomllib.loads(resources.files(__package__).joinpath("closed_classes.toml").read_text(encoding="utf-8"))
IMPERATIVE = "Mood=Imp|VerbForm=Fin"
INFINITIVE = "VerbForm=Inf"
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


def to_sentence(root: Node) -> Sentence:
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
    return Sentence(words)


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


def known(form: str) -> Node:
    """A word of ``closed_classes.toml``, or a punctuation mark."""
    upos, xpos, deprel, lemma, feats = _CLOSED[form]
    return Node(form, upos, xpos, deprel, lemma, feats)


def adverb(form: str) -> Node:
    """An adverb of a verb, an adjective or a number."""
    return Node(form, "ADV", "RB", "advmod")


def particle(form: str) -> Node:
    """The particle of a verb: "up", "together"."""
    return adverb(form) if form in {"together", "aside"} else Node(form, "ADP", "RP", "compound:prt")


def adjective(form: str, deprel: str = "amod") -> Node:
    """An adjective before a noun, or a state."""
    return Node(form, "ADJ", "JJ", deprel)


def digits(number: int, deprel: str = "nummod") -> Node:
    """A number in digits."""
    return Node(str(number), "NUM", "CD", deprel, feats="NumForm=Digit|NumType=Card")


def imperative(verb: str, *after: Node, deprel: str = "conj") -> Node:
    """A verb that instructs, with what is behind it."""
    return Node(verb, "VERB", "VB", deprel, feats=IMPERATIVE, after=list(after))


def to_infinitive(clause: Node) -> Node:
    """An infinitive with its "to"."""
    clause.before.insert(0, known("to"))
    return clause
