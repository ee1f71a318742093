"""Properties of clauses that determine their factuality (`kgscripts.extractors.realis.factuality`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.text.lexicon import is_a, verbs
from kgscripts.text.syntax import OBJECT, is_fronted, is_imperative, lemma, markers_of, objects_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_LETTING = frozenset({"let", "allow", "leave"})
_RECENTLY = frozenset({"sooner", "already", "just", "hardly", "barely", "scarcely"})


def marking_of(verb: Token) -> set[str]:
    """The words that introduce the clause, with the parts of fixed expressions ("in order to")."""
    introducing = [child for child in verb.lefts if child.dep_ in {"mark", "case", "aux", "advmod", "cc"}]
    words = {child.lower_ for child in introducing}
    words.update(part.lower_ for child in introducing for part in child.rights if part.dep_ == "fixed")
    return words


def compares(verb: Token, markers: list[str]) -> bool:
    """ "As if", "as though", "in case"."""
    if "as" not in markers and "in" not in markers and "though" not in markers:
        return False
    words = marking_of(verb)
    return "case" in words or ("as" in words and ("though" in words or "if" in words))


def is_denied_noun(noun: Token) -> bool:
    return any(child.dep_ == "det" and child.lower_ in {"no", "neither"} for child in noun.lefts)


def is_had(auxiliary: Token, verb: Token) -> bool:
    """Whether the auxiliary is the "had" (or "'d") of a past perfect."""
    return auxiliary.lower_ in {"had", "'d", "’d"} and verb.tag_ in {"VBN", "VBD"}


def is_recent(verb: Token) -> bool:
    """ "Had already boiled", "hardly had we pitched the tent": part of the story and no memory."""
    return any(child.dep_ == "advmod" and child.lower_ in _RECENTLY for child in verb.lefts)


def takes_time(governor: Token) -> bool:
    """ "It took me an hour to paint the fence"."""
    return governor.lemma_ == "take" and any(
        is_a(noun.lemma_.lower(), "time") for noun in objects_of(governor, shared=False)
    )


def is_condition(clause: Token) -> bool:
    return clause.dep_ == "advcl" and any(marker.lower_ == "if" for marker in markers_of(clause))


def is_continuation(verb: Token) -> bool:
    """Whether a relative clause continues the story: after a comma, or after "where"."""
    first = verb.left_edge
    before = first.nbor(-1).lower_ if first.i > first.sent.start else ""
    return "," in (before, first.lower_) or first.lower_ == "where"


def tells_of_narrator(verb: Token) -> bool:
    """Whether a relative clause tells what the narrator did: "the pots I gave him", "the podcast that I listened
    to"."""
    return verb.tag_ == "VBD" and any(child.dep_ == "nsubj" and child.lower_ in {"i", "we"} for child in verb.lefts)


def is_cleft(verb: Token) -> bool:
    """ "It was Ann who paid", also with something between: "it was the man on the next chair who paid"."""
    noun = verb.head
    while noun.dep_ == "nmod":
        noun = noun.head
    subjects = {child.lower_ for child in noun.lefts if child.dep_ in {"nsubj", "expl"}}
    return subjects == {"it"} and any(child.dep_ == "cop" and child.tag_ == "VBD" for child in noun.lefts)


def letting(verb: Token) -> Token | None:
    """The verb before an infinitive that lets it happen: "let" of "let the dough rise"."""
    governor = verb.head
    lets = verb.dep_ == "xcomp" and lemma(governor) in _LETTING and governor.i < verb.i
    return governor if lets else None


def is_let(verb: Token) -> bool:
    """Whether an infinitive is what a command lets happen: "allow the soup to cool", "leave to rise", but not "leave
    home to go shopping"."""
    governor = lemma(verb.head)
    if not is_imperative(verb.head):
        return False
    return governor == "allow" or (governor == "leave" and lemma(verb) not in verbs("moving"))


def is_main_clause(verb: Token) -> bool:
    """Whether the parser took a main clause for a relative clause: it has a subject, an object and no relative word.

    Without a comma after an adverbial clause, parsers analyse the main clause as a relative one ("before I left the
    house I made coffee"), and so after a noun at the beginning ("this time we made coffee", "the rest I packed").
    """
    if any(child.tag_ in {"WDT", "WP", "WRB", "WP$"} or child.lower_ == "that" for child in verb.children):
        return False
    if not any(child.dep_ == "nsubj" for child in verb.lefts):
        return False
    if is_fronted(verb):
        return True
    if verb.head.dep_ not in {"obj", "obl", "nmod", "dobj", "pobj"} or verb.head.lower_ in {"time", "day", "way"}:
        return False
    return any(child.dep_ in OBJECT for clause in (verb, *_infinitives(verb)) for child in clause.rights)


def _infinitives(verb: Token) -> list[Token]:
    return [child for child in verb.rights if child.dep_ == "xcomp"]


def shares_auxiliaries(verb: Token) -> bool:
    """Whether a conjunct shares negation and auxiliaries with the verb before: same form, no subject or auxiliary."""
    if verb.tag_ != verb.head.tag_:
        return False
    return not any(child.dep_.startswith(("nsubj", "csubj", "expl", "aux")) for child in verb.lefts)


def continues_perfect(verb: Token) -> bool:
    """Whether a conjunct shares the "had" before: "they had made me wait and then offered the job to him".

    Only verbs whose past is also their participle.
    """
    governor = verb.head
    if governor.dep_ in {"acl:relcl", "relcl"}:
        return False
    if verb.tag_ not in {"VBD", "VBN"} or governor.tag_ != "VBN" or not verb.lower_.endswith("ed"):
        return False
    has_own = any(child.dep_.startswith(("nsubj", "csubj", "expl", "aux")) for child in verb.lefts)
    return not has_own and any(is_had(child, governor) for child in governor.lefts)


def asks(verb: Token) -> bool:
    last = verb.sent[-1]
    return last.lower_ == "?" or (len(verb.sent) > 1 and verb.sent[-2].lower_ == "?")
