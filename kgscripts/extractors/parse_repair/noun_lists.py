"""Lists of nouns without commas, which parsers read as one compound: "mix flour brown sugar and eggs".

The nouns between a verb and what follows them become its objects, divided as `compounds` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from attrs import field, frozen

from kgscripts.extractors.events.nouns import content_head
from kgscripts.extractors.parse_repair.compounds import (
    DETERMINERS,
    MODIFYING,
    PARTICIPLES,
    Thing,
    divided,
    forms_compound,
    is_food,
    is_known,
    is_measure,
    is_modifier,
    is_of_measure,
    is_plural,
    names_kind,
    singular,
)
from kgscripts.extractors.parse_repair.parse_changes import Change
from kgscripts.text.lexicon import verbs
from kgscripts.text.syntax import objects_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_WITH_IN = frozenset(
    {"add", "pour", "put", "mix", "stir", "throw", "sprinkle", "drop", "fold", "whisk", "toss", "grind"}
)
_CONJUNCTIONS = frozenset({"and", "or", "&"})


@frozen
class _Stretch:
    """The words between a verb and the word after its list, in runs: one before and one after each "and"."""

    runs: list[list[Token]] = field(factory=list)
    conjunctions: list[Token] = field(factory=list)
    command: Token | None = None
    """The verb after the list: "whisk" of "add salt pepper and whisk"."""


def changes_of_list(verb: Token) -> list[Change]:
    """The changes that make the things of the list after a verb its objects; none if the parse has them already."""
    particle = _particle_after(verb)
    stretch = _stretch_after(particle or verb, verb)
    things = _things(stretch)
    if particle is not None and not all(is_food(thing.head) and thing.head.lower_ != "water" for thing in things):
        return []
    if not things or not _is_missed(verb, things, {token.i for run in stretch.runs for token in run}):
        return []
    return [*_as_objects(verb, things, stretch.conjunctions), *_others(verb, stretch)]


def _things(stretch: _Stretch) -> list[Thing]:
    """The members of a list; none if it is not certain that it is one."""
    things: list[Thing] = []
    for run in stretch.runs:
        members = divided(run)
        if members is None:
            return []
        things += members
    if len(things) == 2 and not stretch.conjunctions:  # "chop pita bread": rather one thing than two
        return []
    if things and things[0].tokens[0].lower_ in verbs("action") and not is_food(things[0].tokens[0]):
        return []  # "stir fry the tofu"
    return things if any(is_known(thing.head) for thing in things) else []


def _particle_after(verb: Token) -> Token | None:
    """ "In" of "pour in the milk and the eggs", which parsers read as a preposition."""
    after = verb.nbor(1) if verb.i + 1 < verb.sent.end else None
    return after if after is not None and after.lower_ == "in" and verb.lower_ in _WITH_IN else None


def _stretch_after(before: Token, verb: Token) -> _Stretch:
    runs: list[list[Token]] = [[]]
    conjunctions: list[Token] = []
    command = None
    for token in verb.doc[before.i + 1 : verb.sent.end]:
        if token.lower_ in _CONJUNCTIONS and runs[-1]:
            conjunctions.append(token)
            runs.append([])
        elif not runs[-1] and conjunctions and _is_command(token):
            command = token
            break
        elif _in_list(token):
            runs[-1].append(token)
        else:
            break
    if not runs[-1]:
        runs.pop()
        conjunctions = conjunctions[: max(0, len(runs) - 1)]
    return _Stretch(runs, conjunctions, command)


def _in_list(token: Token) -> bool:
    if token.is_punct or token.is_space:
        return False
    if is_measure(token) or is_of_measure(token):
        return True
    if token.pos_ in {"NOUN", "PROPN", "ADJ"} or token.tag_ in PARTICIPLES or is_food(token):
        return True
    if token.lower_ in verbs("action") and forms_compound(token):  # "roll" of "spring roll" as a verb
        return True
    if names_kind(token) and token.nbor(-1).pos_ in {"NOUN", "PROPN"}:  # "paste" of "bean paste" as a verb
        return token.i + 1 == len(token.doc) or token.nbor(1).pos_ not in {"DET", "PRON", "ADV"}
    return token.pos_ in DETERMINERS and token.tag_ in {"DT", "CD", "PRP$"}


def _is_command(token: Token) -> bool:
    """Whether the word after "and" is a verb: "mix well", "whisk .", "salt the water", not "salt" before a noun."""
    if token.lower_ not in verbs("action") or token.lower_ in MODIFYING:
        return False
    after = token.nbor(1) if token.i + 1 < len(token.doc) else None
    if is_food(token):
        return after is not None and after.pos_ in {"DET", "PRON"}
    return token.tag_ not in PARTICIPLES and (token.tag_ != "NNS" and not token.lower_.endswith("s"))


def _is_missed(verb: Token, things: Sequence[Thing], inside: Set[int]) -> bool:
    """Whether the parse has other objects of the verb among the tokens `inside` the list, objects that are no nouns, or
    an object without its compound. A list goes on behind commas, where the parse is right: "the salt, the oil and"."""
    objects = {content_head(token).i for token in objects_of(verb)}
    if objects & inside:
        objects &= inside
    if {thing.head.i for thing in things} != objects:
        return True
    return any(thing.head.pos_ not in {"NOUN", "PROPN"} or not _is_whole(thing) for thing in things)


def _is_whole(thing: Thing) -> bool:
    """Whether the parse has the words of a thing together; a measure is above its thing ("a pot of water")."""
    inner = [token for token in thing.tokens[:-1] if not is_measure(token)]
    return all(token.head.i != token.i and token.head in thing.tokens for token in inner)


def _as_objects(verb: Token, things: Sequence[Thing], conjunctions: Iterable[Token]) -> Iterator[Change]:
    head = things[0].head
    for thing in things:
        other = thing.head
        yield Change(
            other,
            verb.i if other is head else head.i,
            "obj" if other is head else "conj",
            "NOUN",
            "NNS" if is_plural(other) else "NN",
            None if other.pos_ in {"NOUN", "PROPN"} else singular(other),
        )
        for token in thing.tokens[:-1]:
            yield _within(token, other)
    heads = [thing.head.i for thing in things]
    for conjunction in conjunctions:
        after = next((place for place in heads if place > conjunction.i), heads[-1])
        yield Change(conjunction, after, "cc")


def _others(verb: Token, stretch: _Stretch) -> Iterator[Change]:
    """The words outside of the list that depended on a word in it, the verb included."""
    inside = {token.i for run in stretch.runs for token in run} | {token.i for token in stretch.conjunctions}
    yield from _freed(verb, inside)
    for token in verb.sent:
        goes_on = token.dep_ == "conj" and token.pos_ in {"NOUN", "PROPN"} and token != stretch.command
        if token.i not in inside and token.i != verb.i and token.head.i in inside and not goes_on:
            yield _moved(token, verb, stretch.command)


def _freed(verb: Token, inside: set[int]) -> Iterator[Change]:
    """The head of a verb that was attached to a word of its own list: the head of the topmost such word."""
    above = [token for token in verb.ancestors if token.i in inside]
    if above:
        top = above[-1]
        root = top.head.i == top.i
        yield Change(verb, verb.i if root else top.head.i, "ROOT" if root else top.dep_, "VERB", "VB")


def _within(token: Token, head: Token) -> Change:
    if not is_modifier(token):
        return Change(token, head.i, "compound", "NOUN", "NN", singular(token))
    if is_of_measure(token):
        return Change(token, token.i - 1, "fixed")
    if is_measure(token):
        return Change(token, head.i, "nummod")
    if token.pos_ in DETERMINERS:
        return Change(token, head.i, "nummod" if token.pos_ == "NUM" else "det")
    return Change(token, head.i, "amod", "ADJ", "JJ")


def _moved(token: Token, verb: Token, command: Token | None) -> Change:
    """Attach a word that depended on the list to the verb; the verb after the list is coordinated with it."""
    if command is not None and token.i == command.i:
        return Change(token, verb.i, "conj", "VERB", "VB")
    if token.dep_ in {"nmod", "nmod:desc"}:
        return Change(token, verb.i, "obl")
    return Change(token, verb.i, token.dep_)
