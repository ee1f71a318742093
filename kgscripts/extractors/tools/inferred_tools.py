"""Tools that an instruction does not name, since a step before does: "Heat the oil in a pan. Add the onions. Stir."

What is worked on stays in its vessel, on its surface or in its machine until it is taken out, something else is named,
or the work goes on elsewhere. Later events that add to it, or act on it without naming a place, are done there too.
Wherever the words leave open which place is meant, nothing is inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attrs import frozen

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.tools.inferred_verbs import (
    BAKING,
    BAKING_PLACES,
    BLENDERS,
    BLENDING,
    EMPTYING,
    ENDING,
    FRYING,
    HOT_PLACES,
    KEEPING_OUT,
    MIXING,
    OVENS,
    POURING,
    SIMMERING,
    STIRRING,
)
from kgscripts.extractors.tools.tools import role_in, tools_of
from kgscripts.extractors.tools.work_frames import (
    INTO,
    NO_CONTENT,
    OUT_OF,
    begins_elsewhere,
    head,
    heads_in,
    is_adding,
    is_from_heat,
    is_further,
    is_made_into,
    is_new,
    is_no_place,
    may_hold,
    objects_of_event,
    preposition_before,
)
from kgscripts.text.lexicon import is_a, role_of, verbs
from kgscripts.text.syntax import lemma
from schemas.records import Tool, ToolRole

if TYPE_CHECKING:
    from spacy.tokens import Token

MOST_EVENTS = 6
"""The most events after the one that names a place, of those that may be done there."""
_ONTO = frozenset({"to", "into", "in", "onto", "on", "over", "on top of"})
_FATS = frozenset({"oil", "butter", "ghee", "margarine", "lard", "fat", "dripping", "spray", "shortening"})
_ALL = frozenset({"mixture", "ingredient", "everything", "content", "all", "top", "side", "mix"})
_MADE = frozenset({"sauce", "soup", "batter", "dough", "stew", "curry", "gravy", "liquid", "chili", "custard", "paste"})
"""Names of what becomes of the things in a vessel."""


@frozen
class _Place:
    """A place that the text has named: its tool, and its noun."""

    tool: Tool
    noun: str

    @property
    def head(self) -> str:
        return head(self.noun)


@dataclass(slots=True)
class WorkPlace:
    """The place in which the thing under work is, as the events of a text follow each other.

    `contents` are the heads of the nouns in it; `oven` is the oven or grill that the text has named.
    """

    place: _Place | None = None
    oven: _Place | None = None
    contents: set[str] = field(default_factory=set)
    events: int = 0

    def leave(self) -> None:
        """The thing is no longer there."""
        self.place, self.events = None, 0
        self.contents.clear()

    def follow(self, frame: Frame, offset: int) -> list[Tool]:
        """The inferred tools of the next event, whose parse begins at character `offset`."""
        if begins_elsewhere(frame):
            self.leave()
        places = [
            (noun, preposition_before(frame, noun))
            for noun in (*tools_of(frame), *frame.handled)
            if role_of(noun_lemma(noun)) is not ToolRole.INSTRUMENT and not is_no_place(noun)
        ]
        sources = [item for item in places if is_a(noun_lemma(item[0]), "heat_source")]
        vessels = [item for item in places if item not in sources and may_hold(*item)]
        for noun, preposition in vessels:
            self._enter(frame, noun, preposition, offset)
        found: list[Tool] = []
        if not vessels:
            self.events += 1
            if self.events > MOST_EVENTS:
                self.leave()
            if not sources or lemma(frame.verb) in BAKING | SIMMERING:
                found = [item.tool for item in self._places(frame)]
        for noun, preposition in sources:
            off = preposition in OUT_OF or (frame.particle is not None and frame.particle.lower_ == "off")
            self.oven = None if off else _held(frame, noun, offset)
        named = {noun_lemma(noun) for noun, _ in places}
        return [tool for tool in found if tool.lemma not in named]

    def _enter(self, frame: Frame, noun: Token, preposition: str, offset: int) -> None:
        """Note a vessel or a surface that an event names."""
        name = noun_lemma(noun)
        same = self.place is not None and self.place.noun == name and not is_new(noun)
        before = self.contents.copy() if same else set()
        self.leave()
        verb = lemma(frame.verb)
        done = verb in EMPTYING if preposition == "" else verb in ENDING - POURING
        if preposition in INTO and not done and name != "machine" and head(name) not in KEEPING_OUT:
            self.place = _held(frame, noun, offset)
            self.contents = before | set(heads_in(frame)) - {self.place.head}

    def _places(self, frame: Frame) -> Iterator[_Place]:
        """The places of an event that names none."""
        verb, nouns = lemma(frame.verb), objects_of_event(frame)
        if set(nouns) & NO_CONTENT or (self.place is not None and self.place.head in nouns):
            return
        if self._happens_to_others(frame) or (verb == "turn" and frame.particle is not None):
            return
        if verb in BAKING:
            yield from self._baked_in(verb)
            return
        if self.place is None:
            return
        known = all(noun in self.contents | _ALL | _MADE for noun in nouns) and not is_made_into(frame)
        if is_adding(frame):
            if self._takes(frame, nouns):
                yield self.place
            return
        if verb in ENDING or (verb in verbs("cutting") and known):
            if not is_from_heat(frame):
                self.leave()
            return
        if not self._suits(verb):
            if verb in SIMMERING | BLENDING | MIXING:
                self.leave()
            return
        if known or self._is_fried(verb):
            self.contents.update(nouns)
            yield self.place
        elif verb in SIMMERING | MIXING | BLENDING:
            self.leave()

    def _baked_in(self, verb: str) -> Iterator[_Place]:
        if self.place is not None and self.place.head in BAKING_PLACES:
            yield self.place
        else:
            self.leave()
        if self.oven is not None and self.oven.head in OVENS[verb]:
            yield self.oven

    def _takes(self, frame: Frame, nouns: list[str]) -> bool:
        """Whether a thing is added to the contents; if it is one of them, or added to another thing, it leaves."""
        goals = {
            head(noun_lemma(content_head(item.head)))
            for item in frame.phrases
            if item.preposition in _ONTO and is_noun(item.head)
        }
        others = goals - self.contents - _ALL - _MADE
        again = set(nouns) & (self.contents | {"mixture"}) and not any(map(is_further, frame.objects))
        if others or again:
            self.leave()
            return False
        self.contents.update(nouns)
        return bool(nouns or goals) or any(item.preposition == "with" for item in frame.phrases)

    def _happens_to_others(self, frame: Frame) -> bool:
        """Whether a thing does it that is not among the contents: "the pan heats up", "the tea turns brown"."""
        doers = (noun_lemma(noun) for noun in frame.agents if is_noun(noun))
        return any(not is_a(name, "person") and head(name) not in self.contents | _MADE for name in doers)

    def _suits(self, verb: str) -> bool:
        """Whether a verb can be done in the place."""
        assert self.place is not None
        if self.place.head in BLENDERS:
            return verb in BLENDING | {"mix", "combine"}
        if verb in SIMMERING:
            hot = self.place.head in HOT_PLACES
            return hot and not any(word in self.place.noun.split() for word in BAKING_PLACES - HOT_PLACES)
        return verb in STIRRING | MIXING

    def _is_fried(self, verb: str) -> bool:
        return verb in FRYING and self.contents <= _FATS and self.events <= 2


def _held(frame: Frame, noun: Token, offset: int) -> _Place:
    start, name = offset + noun.idx, noun_lemma(noun)
    tool = Tool(lemma=name, role=role_in(frame, noun), start=start, end=start + len(noun), inferred=True)
    return _Place(tool, name)
