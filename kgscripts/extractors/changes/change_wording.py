"""Whether the words of a step contradict a predicted state change."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import field, frozen

from kgscripts.extractors.changes.change_words import head
from kgscripts.text.lexicon import is_a, word_list
from kgscripts.text.porter import stem
from schemas.changes import Change

_PLACES = word_list("attributes of place", "storages")
_AWAY = word_list("prepositions of leaving")
_PREPOSITIONS = word_list("prepositions of changes")
_WET = word_list("liquids", "wet things")
"""Things that are wet already."""
_LADEN = word_list("values of the laden")
"""Values that a thing does not get when something is taken off it or out of it."""
_IF = word_list("beginnings of unreal states")
"""Words that begin a clause with a state that the step does not bring about."""
_NOT = word_list("negations of values")
_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_MARK = re.compile(r"[^\W\d_]+|[,;:.!?]")
_WORDS_BETWEEN = 3
"""The most words between a preposition, or a negation, and its noun or adjective."""


@frozen
class Wording:
    """The words of a step in lower case, and their stems in the same order."""

    text: str
    words: tuple[str, ...] = field(init=False)
    stems: tuple[str, ...] = field(init=False)
    own: frozenset[str] = field(init=False)
    """The stems without order."""
    of_main: frozenset[str] = field(init=False)
    """The stems outside of clauses with "when", "if" and the like, and not negated."""

    @words.default
    def _words(self) -> tuple[str, ...]:
        return tuple(_WORD.findall(self.text.lower()))

    @stems.default
    def _stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @own.default
    def _own(self) -> frozenset[str]:
        return frozenset(self.stems)

    @of_main.default
    def _of_main(self) -> frozenset[str]:
        found = set()
        is_main, negated = True, 0
        for word in _WORD_OR_MARK.findall(self.text.lower()):
            if not word.isalpha():
                is_main, negated = True, 0
            elif word in _IF:
                is_main = False
            elif word in _NOT:
                negated = _WORDS_BETWEEN
            else:
                if is_main and not negated:
                    found.add(stem(word))
                negated = max(0, negated - 1)
        return frozenset(found)

    def mentions(self, entity: str) -> bool:
        """Whether the step has the head of the entity."""
        return stem(head(entity)) in self.own

    def speaks_against(self, change: Change) -> bool:
        """Whether the words of the step contradict the change."""
        of_entity, after = stem(head(change.entity)), place_names(change.after)
        if is_a(head(change.entity), "time") or (change.after == "wet" and head(change.entity) in _WET):
            return True
        if any(said & self.own and not said & self.of_main for said in (frozenset({of_entity}), after)):
            return True
        if self._says_reverse(change) or (change.after in _LADEN and self._only_away({of_entity})):
            return True
        if not _is_place(change, change.after) or not after:
            return False
        is_away = change.after.split(" ")[0] not in {*_AWAY, "outside"} and self._only_away(after)
        return is_away or of_entity in after or not after & self.own

    def _says_reverse(self, change: Change) -> bool:
        """ "Wash the dirty dog" has the value before, "dry the dog" the value after; "roughen" and "unfold" are derived
        from a value."""
        words = " ".join(self.words)
        if f"{change.after} {change.entity}" in words:
            return True
        after, before = distinct_stems(change.after), distinct_stems(change.before)
        if after & self.own:
            return False
        if {f"{word}en" for word in before} & self.own or {f"un{word}" for word in after} & self.own:
            return True
        says_before = before & self.own and f"{change.before} {change.entity}" not in words
        return bool(says_before) and not _is_place(change, change.before)

    def _only_away(self, names: Iterable[str]) -> bool:
        """Whether the step has one of these stems, only after "off", "out of" or "from"."""
        before = [self._preposition(place) for place, word in enumerate(self.stems) if word in names]
        return bool(before) and all(word in _AWAY for word in before)

    def _preposition(self, place: int) -> str:
        """The last preposition within a few words before a word; "" if there is none."""
        for earlier in range(place - 1, max(-1, place - 2 - _WORDS_BETWEEN), -1):
            if self.words[earlier] in _PREPOSITIONS:
                is_out_of = self.words[max(0, earlier - 1) : earlier + 1] == ("out", "of")
                return "out" if is_out_of else self.words[earlier]
        return ""


def distinct_stems(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))


def place_names(value: str) -> frozenset[str]:
    """The stems of the words of a value, without prepositions."""
    return frozenset(stem(word) for word in value.split() if word not in _PREPOSITIONS)


def has_unknown_place(change: Change, text: frozenset[str]) -> bool:
    """Whether the value before is a place that a text with these stems does not mention."""
    names = place_names(change.before)
    return _is_place(change, change.before) and bool(names) and not names & text


def _is_place(change: Change, value: str) -> bool:
    first, _, rest = value.partition(" ")
    return head(change.attribute) in _PLACES or (bool(rest) and first in _PREPOSITIONS)
