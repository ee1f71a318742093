"""What an instruction waits for is a state and no event: "cook until browned", "once the butter has melted"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import is_noun
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.tools.carried_tools import is_in_hand
from kgscripts.text.syntax import is_passive, lemma
from schemas.records import DiscardReason

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNTIL = frozenset({"until", "till", "'til"})
_AFTER = frozenset({"once", "when", "after", "as", "if"})
_WITHIN = frozenset({"conj", "xcomp", "acl", "acl:relcl", "ccomp"})
_DOERS = frozenset({"you", "i", "we", "they", "he", "she", "one"})


def discard_results(frames: list[Frame]) -> None:
    """Discard the states of an instruction's time clauses; an implement that tests one is a tool of the main event.

    After "once" and "when" only what happens to things is a state ("once the butter has melted"), and not what somebody
    does ("when you add the eggs").
    """
    by_verb = {frame.verb.i: frame for frame in frames}
    for frame in frames:
        clause = _clause(frame.verb)
        implements = [noun for noun in frame.agents if is_noun(noun) and is_in_hand(noun) and _is_any(noun)]
        if clause is not None and (_marker(clause) in _UNTIL or (_marker(clause) in _AFTER and _happens(frame))):
            main = next((by_verb[above.i] for above in clause.ancestors if above.i in by_verb), None)
            with_what = (phrase.head for phrase in frame.phrases if phrase.preposition == "with")
            implements += [noun for noun in with_what if is_noun(noun) and is_in_hand(noun)]
        elif implements:  # "until it is golden and a skewer comes out clean"
            main = next((by_verb[above.i] for above in frame.verb.ancestors if above.i in by_verb), None)
        else:
            continue
        frame.reason = frame.reason or DiscardReason.STATIVE
        if main is not None:
            main.instruments += implements


def _is_any(noun: Token) -> bool:
    """ "A skewer", as opposed to what is worked on: "your blanket", "the balls"."""
    return noun.tag_ == "NN" and not any(child.dep_ in {"nmod:poss", "poss"} for child in noun.lefts)


def _clause(verb: Token) -> Token | None:
    """The head of the adverbial clause that the verb belongs to, if it is within one."""
    while verb.dep_ in _WITHIN and verb.head.i != verb.i:
        if verb.dep_ == "conj" and _marker(verb) in _UNTIL:
            return verb  # "for an hour, or until it is golden"
        verb = verb.head
    return verb if verb.dep_ == "advcl" else None


def _marker(clause: Token) -> str:
    return next((child.lower_ for child in clause.lefts if child.lower_ in _UNTIL | _AFTER), "")


def _happens(frame: Frame) -> bool:
    """Whether the verb says what happens to a thing, by itself or as a passive."""
    if is_passive(frame.verb) or frame.verb.tag_ == "VBN":
        return True
    return bool(frame.agents) and not frame.objects and not any(lemma(noun) in _DOERS for noun in frame.agents)
