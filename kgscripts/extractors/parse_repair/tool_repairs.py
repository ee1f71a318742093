"""Repairs of parses in which a tool is no noun: "with a fire extinguisher".

Small parsers tag nouns that can also be verbs, adverbs or adjectives as such ("warmer"), and take a noun behind the
head of a phrase for a part of something else ("on a beer mat").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.parse_repair.parse_changes import Change
from kgscripts.text.lexicon import is_tool
from kgscripts.text.syntax import lemma

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NOMINAL = frozenset({"obj", "obl", "nmod"})
_BEHIND = frozenset({"advmod", "appos", "obj", "xcomp", "flat", "dep"})
_NAMING = frozenset({"NOUN", "PROPN"})
_OPENING = frozenset({"det", "case", "amod", "nmod:poss", "nummod"})
_MISREAD = frozenset({"VERB", "ADJ", "ADV"})
_PREPOSITIONS = frozenset({"with", "in", "on"})


def tool_changes(doc: Doc) -> Iterator[Change]:
    """The changes of a parse that make the names of tools nouns."""
    for token in doc:
        name = _name(token)
        if name and token.i:
            if token.pos_ in _MISREAD and token.dep_ in _NOMINAL and any(True for _ in token.lefts):
                yield Change(token, token.head.i, token.dep_, "NOUN", "NN" if name == token.lower_ else "NNS", name)
            elif token.tag_ == "NN" and token.lemma_.lower() != token.lower_ == name:
                yield Change(token, token.head.i, token.dep_, "NOUN", "NN", name)  # "sand" for "sander"
            yield from _behind(token, name)


def _name(token: Token) -> str:
    """The lemma of a word that may be the name of a tool; "" for others."""
    word = token.lower_
    if is_tool(word):
        return word
    return word[:-1] if word.endswith("s") and is_tool(word[:-1]) else ""


def _behind(token: Token, name: str) -> Iterator[Change]:
    """A tool behind the noun that the parser took for the head of the phrase: "with a fire extinguisher"."""
    before = token.nbor(-1)
    if before.pos_ not in _NAMING or token.dep_ not in _BEHIND or any(True for _ in token.rights):
        return
    opening = [child for child in before.lefts if child.dep_ in _OPENING]
    used = before.dep_ == "obj" and lemma(before.head) == "use"
    if not used and not any(child.dep_ == "case" and child.lower_ in _PREPOSITIONS for child in opening):
        return
    if not any(child.dep_ == "det" for child in opening):
        return
    if before.head == token:  # "in a waffle iron", where the iron is the object
        if before.dep_ != "compound" or token.dep_ != "obj":
            return
        governor, relation = token.head.i, "obl"
    elif (
        (used or before.dep_ in {"obl", "nmod"})
        and token.head in (before, before.head)
        and not any(True for _ in token.lefts)
    ):
        governor, relation = before.head.i, before.dep_
    else:
        return
    yield Change(token, governor, relation, "NOUN", "NN" if name == token.lower_ else "NNS", name)
    yield Change(before, token.i, "compound")
    yield from (Change(child, token.i, child.dep_) for child in opening)
