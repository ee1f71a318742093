"""Rule-based resolution of the object pronouns "it", "them" and "which".

The antecedent of a relative pronoun is the noun that its clause modifies. "Peel the carrots. Slice them": the
antecedent of other object pronouns is the object of the predicate right before, in the same passage or the one before.
Ambiguous pronouns are not resolved: when number or kind do not match, when that predicate has no object or several,
when another matching noun is between them ("pour the batter into the pan and put it …"), after "add" and "put" (what
was added, or what it was added to?), after "take a knife" (what is cut with it?) and in infinitives that modify a noun
("a place to plant it"). `kgscripts evaluate extraction` measures the rule for "it" and "them" on hand-written items.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame
from kgscripts.text.lexicon import is_a, is_tool, verbs
from kgscripts.text.syntax import lemma

if TYPE_CHECKING:
    from spacy.tokens import Token

THIRD_PERSON = frozenset({"it", "them", "him", "her"})
"""The personal pronouns that can be objects and stand for a thing or a person of the text."""

_PLURAL = {"it": False, "them": True}
_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_NO_RIVAL = frozenset({"compound", "flat", "nmod:poss", "poss", "nsubj", "vocative"})
_ADDING = frozenset({"add", "put", "apply"})


def resolve_objects(frames: list[Frame], before: Frame | None) -> None:
    """Set `stands_for` of the frames, in text order, whose object is a pronoun that the rules resolve.

    `before` is the last frame of the preceding passage, if there is one.
    """
    for frame in frames:
        if len(frame.objects) == 1:
            if _is_relative(frame):
                frame.stands_for = content_head(frame.verb.head)
            elif before is not None and frame.objects[0].lower_ in _PLURAL:
                frame.stands_for = _antecedent(frame, before)
        before = frame


def _is_relative(frame: Frame) -> bool:
    """Whether the object is the relative pronoun of a relative clause."""
    return (
        frame.verb.dep_ in {"acl:relcl", "relcl"}
        and is_noun(frame.verb.head)
        and (frame.objects[0].tag_ == "WDT" or frame.objects[0].lower_ in {"that", "which"})
    )


def _antecedent(frame: Frame, before: Frame) -> Token | None:
    pronoun = frame.objects[0]
    plural = _PLURAL[pronoun.lower_]
    if frame.verb.dep_ in {"acl", "acl:relcl", "relcl"} or lemma(before.verb) in _ADDING:
        return None
    nouns = [noun for noun in before.nouns() if not is_a(noun_lemma(noun), "time")]
    if len(nouns) != 1 or not _fits(nouns[0], plural):
        return None
    name = noun_lemma(nouns[0])
    if lemma(before.verb) in verbs("grasping") and is_tool(name) and lemma(frame.verb) not in verbs("moving"):
        return None
    rivals = (noun for noun in _between(before, pronoun) if _fits(noun, plural) and noun_lemma(noun) != name)
    return nouns[0] if not any(_is_rival(noun) for noun in rivals) else None


def _fits(noun: Token, plural: bool) -> bool:
    return (noun.tag_ in _PLURAL_TAGS) == plural and not is_a(noun_lemma(noun), "time", "abstract", "person")


def _between(before: Frame, pronoun: Token) -> Iterator[Token]:
    """The nouns of the preceding predicate and those up to the pronoun."""
    first = min(before.verb.i, *(noun.i for noun in before.objects))
    doc = before.verb.doc
    same = doc is pronoun.doc
    for token in doc[first : pronoun.i if same else len(doc)]:
        if is_noun(token):
            yield token
    if not same:
        yield from (token for token in pronoun.doc[: pronoun.i] if is_noun(token))


def _is_rival(noun: Token) -> bool:
    """Whether a noun is another possible antecedent: not part of a name, an agent, a place or an instrument."""
    if noun.dep_ in _NO_RIVAL:
        return False
    if noun.dep_ not in {"obj", "dobj", "conj"} and is_a(noun_lemma(noun), "place"):
        return False
    case = next((child.lower_ for child in noun.lefts if child.dep_ == "case"), "")
    return case != "with" and not (noun.dep_ == "pobj" and noun.head.lower_ == "with")
