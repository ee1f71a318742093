"""Repairs of parses of instructions, which parsers trained on newspapers and web texts analyse as noun phrases.

A step is an instruction. Where it begins with an everyday verb and the parser found a noun phrase ("drain tub"), the
first word becomes an imperative and the noun its object; where the parser found an infinitive that is a place ("go to
airport"), that becomes a noun, and a single verb at the end is not an object ("add salt and whisk"). Nouns without
commas between them are separate objects where they name separate things ("mix flour sugar and eggs"). In any text, a
verb after "let" becomes a predicate ("let the tea steep").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.parse_repair.noun_lists import changes_of_list
from kgscripts.extractors.parse_repair.parse_changes import Change, changed
from kgscripts.extractors.parse_repair.sizes import measure_changes, size_changes
from kgscripts.extractors.parse_repair.tool_repairs import tool_changes
from kgscripts.text.lexicon import is_a, verbs
from kgscripts.text.syntax import is_verb, lemma

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_SKIPPED = frozenset({"PUNCT", "SPACE", "NUM", "SYM", "ADV", "CCONJ", "X"})
_SEQUENCE = frozenset({"first", "then", "next", "second", "finally", "now"})
_MODIFIES = frozenset({"compound", "amod"})
_GOING = frozenset({"go", "come", "get", "return", "proceed", "walk", "drive", "head", "run", "travel", "move", "ride"})
_PLACES = frozenset({"in", "into", "on", "onto"})
_LETTING = frozenset({"let", "lets", "letting"})
# Relations of the dependents that stay with a noun when it becomes an object.
_WITHIN_NOUN = frozenset(
    {"det", "compound", "amod", "nummod", "nmod:poss", "poss", "case", "flat", "acl", "acl:relcl", "relcl", "appos"}
    | {"nmod", "prep", "conj", "cc", "goeswith", "nmod:desc"}
)


def repaired(doc: Doc, *, is_step: bool) -> Doc:
    """The repaired parse; the same document where there is nothing to repair."""
    changes = [change for token in doc if token.lower_ in _LETTING for change in _after_let(token)]
    changes += (Change(token, token.head.i, "obl") for token in doc if token.dep_ == "obj" and _has_case(token))
    changes += (change for token in doc if token.dep_ == "compound:prt" for change in _in_vessel(token))
    changes += measure_changes(doc)
    changes += tool_changes(doc)
    if is_step:
        for sentence in doc.sents:
            first = _first(sentence)
            changes += _in_step(first)
            changes += size_changes(sentence)
            changes += _last_command(sentence)
    doc = changed(doc, changes) if changes else doc
    return _with_lists(doc) if is_step else doc


def _with_lists(doc: Doc) -> Doc:
    """The parse with repaired lists after its commands; in a sentence one by one, since a repair may free the next
    verb."""
    open_ = [(sentence.start, sentence.end, _first(sentence).i) for sentence in doc.sents]
    while open_:
        changes: list[Change] = []
        rest = []
        for start, end, first in open_:
            for index in range(start, end):
                found = changes_of_list(doc[index]) if _commands(doc[index], doc[first]) else []
                if found:
                    changes += found
                    rest.append((index + 1, end, first))
                    break
        doc = changed(doc, changes) if changes else doc
        open_ = rest
    return doc


def _has_case(noun: Token) -> bool:
    """Whether a preposition makes an object a phrase: "mix in a bowl with lime"."""
    return any(child.dep_ == "case" and child.lower_ in _PLACES for child in noun.lefts)


def _in_vessel(particle: Token) -> Iterator[Change]:
    """ "In" of "mix in a bowl" is no particle."""
    verb = particle.head
    if particle.lower_ != "in" or particle.i != verb.i + 1 or lemma(verb) not in verbs("combining") | verbs("heating"):
        return
    for noun in verb.rights:
        if noun.dep_ == "obj" and noun.left_edge.i == particle.i + 1 and is_a(lemma(noun), "vessel"):
            yield Change(particle, noun.i, "case")
            yield Change(noun, verb.i, "obl")


def _after_let(verb: Token) -> Iterator[Change]:
    if not is_verb(verb):
        return
    for complement in verb.rights:
        if complement.lower_ not in verbs("action"):
            continue
        if complement.dep_ == "xcomp" and complement.pos_ == "ADJ":
            yield Change(complement, verb.i, "xcomp", "VERB", "VB")
        elif complement.dep_ in {"obj", "xcomp"} and complement.pos_ == "NOUN":
            noun = next((child for child in complement.lefts if child.dep_ == "compound"), None)
            if noun is not None and noun.i == complement.i - 1:
                yield Change(complement, verb.i, "xcomp", "VERB", "VB")
                yield Change(noun, verb.i, "obj", "NOUN", "NN")
                yield from (Change(child, noun.i, child.dep_) for child in complement.lefts if child.i != noun.i)


def _first(sentence: Span) -> Token:
    """The first word of an instruction, after numbers, punctuation and "then"."""
    words = (token for token in sentence if token.pos_ not in _SKIPPED and token.lower_ not in _SEQUENCE)
    return next(words, sentence[0])


def _in_step(first: Token) -> Iterator[Change]:
    if first.dep_ == "ROOT" and is_verb(first):
        if lemma(first) in _GOING:
            yield from _goal_as_noun(first)
    elif first.lower_ in verbs("action") or (first.pos_ == "VERB" and first.tag_ in {"VB", "VBP"}):
        yield from _as_imperative(first)


def _commands(token: Token, first: Token) -> bool:
    return token.lower_ in verbs("action") and (token.i == first.i or token.tag_ in {"VB", "VBP"})


def _last_command(sentence: Span) -> Iterator[Change]:
    """A single verb at the end, which the parser analysed as another object: "add salt and sugar and whisk"."""
    words = [token for token in sentence if token.pos_ not in {"PUNCT", "SPACE"}]
    if len(words) < 3 or words[-2].lower_ != "and":
        return
    last = words[-1]
    command = next((token for token in last.ancestors if is_verb(token)), None)
    if command is None or last.dep_ != "conj" or is_verb(last) or last.lower_ not in verbs("action"):
        return
    if not is_a(last.lower_, "consumable"):
        yield Change(last, command.i, "conj", "VERB", "VB")


def _as_imperative(first: Token) -> Iterator[Change]:
    noun = first
    while noun.dep_ in _MODIFIES and noun.head.i > noun.i:
        noun = noun.head
    if noun.dep_ != "ROOT" or is_verb(noun) or any(child.dep_ in {"cop", "nsubj"} for child in noun.children):
        return
    yield Change(first, first.i, "ROOT", "VERB", "VB")
    if noun.i != first.i:
        yield Change(noun, first.i, "obj")
    for child in noun.children:
        if child.i != first.i and not _stays(child):
            yield Change(child, first.i, "obl" if child.dep_ == "nmod" else child.dep_)


def _stays(child: Token) -> bool:
    if child.dep_ == "nmod":
        return not any(case.dep_ == "case" and case.lower_ != "of" for case in child.lefts)
    return child.dep_ in _WITHIN_NOUN and not (child.dep_ == "conj" and is_verb(child))


def _goal_as_noun(verb: Token) -> Iterator[Change]:
    """ "To" directly followed by a bare infinitive that is a place or a person: "go to airport"."""
    for goal in verb.rights:
        to = goal.nbor(-1) if goal.i > verb.i + 1 else None
        if goal.dep_ not in {"xcomp", "advcl"} or to is None or to.lower_ != "to":
            continue
        head = next((child for child in goal.rights if child.i == goal.i + 1 and child.dep_ == "obj"), goal)
        if is_a(f"{goal.lower_} {head.lower_}" if head.i != goal.i else goal.lower_, "place", "person", "appliance"):
            if head.i != goal.i:
                yield Change(goal, head.i, "compound", "NOUN", "NN")
            yield Change(head, verb.i, "obl", "NOUN", "NN")
            yield Change(to, head.i, "case", "ADP", "IN")
