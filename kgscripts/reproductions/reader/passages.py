"""Passages with labelled events, from which the reader learns (``data/GUIDELINES.md`` says how they are labelled)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

from attrs import evolve, frozen

from kgscripts.changes.attributes import attributes
from kgscripts.models.reader.labels import EventRole, Reality
from schemas.errors import InputError
from schemas.input_files import open_input

DOMAINS = frozenset(
    {"repair", "cleaning", "garden", "crafts", "first aid", "computers", "laboratory", "cooking", "children and pets"}
    | {"travel and errands", "sport", "building", "business"}
)
REGISTERS = frozenset({"numbered how-to", "manual", "blog", "forum answer", "chat", "story", "habit", "essay"})


@frozen
class Word:
    """A word of a sentence of the passage, by characters of the sentence."""

    sentence: int
    start: int
    end: int


@frozen
class Filler:
    """A thing in a role: the word in the event's sentence, None if it is left out there, and what it stands for."""

    role: EventRole
    word: Word | None
    antecedents: tuple[Word, ...] = ()


@frozen
class LabelledChange:
    """What an event changes: an attribute of a thing, and its values; `sure` unless it is only likely."""

    thing: str
    attribute: str
    before: str
    after: str
    sure: bool


@frozen
class Event:
    """A predicate; `conditional` says that a condition of its sentence must hold.

    `changes` are all that it changes, None where nobody has labelled them.
    """

    word: Word
    reality: Reality
    conditional: bool
    fillers: tuple[Filler, ...]
    changes: tuple[LabelledChange, ...] | None = None


@frozen
class LabelledSentence:
    """A sentence with its events, what it says is needed, and its condition, if it has one."""

    text: str
    events: tuple[Event, ...] = ()
    needs: tuple[Word, ...] = ()
    condition: Word | None = None


@frozen
class LabelledPassage:
    """Sentences in their order."""

    domain: str
    register: str
    title: str
    sentences: tuple[LabelledSentence, ...]


_REALITIES = frozenset(Reality)
_CHANGE = re.compile(
    r"(?P<likely>\? )?(?P<thing>[^|]+?) \| (?P<attribute>[^|]+?) \| (?P<before>[^|]+?) -> (?P<after>[^|]+)"
)
_ROLES = frozenset(EventRole)


def read_passages(path: Path) -> list[LabelledPassage]:
    """The passages of a file.

    Raises InputError with the line for what does not follow the guidelines, and for a file that cannot be read.
    """
    passages: list[LabelledPassage] = []
    heading: tuple[str, str, str] | None = None
    texts: list[tuple[int, str, list[tuple[int, str]]]] = []

    def end() -> None:
        if heading is not None:
            passages.append(_passage(path, heading, texts))

    with TextIOWrapper(open_input(path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, start=1):
        if line.startswith("## "):
            end()
            heading, texts = _heading(path, number, line), []
        elif not line.strip():
            continue
        elif heading is None:
            raise _error(path, number, "a passage begins with ## domain | register | title")
        elif line.startswith(("- ", "! ", "? ", "= ")):
            if not texts:
                raise _error(path, number, "labels stand below their sentence")
            texts[-1][2].append((number, line))
        else:
            texts.append((number, line.strip(), []))
    end()
    return passages


def _heading(path: Path, number: int, line: str) -> tuple[str, str, str]:
    parts = [part.strip() for part in line[3:].split("|", 2)]
    if len(parts) != 3 or parts[0] not in DOMAINS or parts[1] not in REGISTERS:
        raise _error(path, number, "## domain | register | title, of the guidelines' domains and registers")
    return parts[0], parts[1], parts[2]


def _passage(
    path: Path, heading: tuple[str, str, str], texts: Sequence[tuple[int, str, list[tuple[int, str]]]]
) -> LabelledPassage:
    sentences = [text for _, text, _ in texts]
    labelled = [_Sentence(path, sentences, place, lines).read() for place, (_, _, lines) in enumerate(texts)]
    return LabelledPassage(*heading, tuple(labelled))


class _Sentence:
    """Reads the labels of one sentence."""

    def __init__(self, path: Path, sentences: Sequence[str], place: int, lines: Sequence[tuple[int, str]]) -> None:
        self._path, self._sentences, self._place, self._lines = path, sentences, place, lines
        self._number = 0

    def read(self) -> LabelledSentence:
        """The sentence with its labels."""
        events: list[Event] = []
        needs: list[Word] = []
        condition: Word | None = None
        for number, line in self._lines:
            self._number = number
            content = line[2:].strip()
            if line.startswith("- "):
                events.append(self._event(content, events[-1].word.end if events else 0))
            elif line.startswith("= "):
                if not events:
                    raise self._wrong("changes stand below their event")
                events[-1] = evolve(events[-1], changes=(*(events[-1].changes or ()), *self._changes(content)))
            elif line.startswith("! "):
                needs.extend(self._nearest(word, needs[-1].end if needs else 0) for word in content.split())
            else:
                start = self._sentences[self._place].lower().find(content.lower())
                if start < 0:
                    raise self._wrong(f"the sentence does not have the words {content!r}")
                condition = Word(self._place, start, start + len(content))
        if condition is None and any(event.conditional for event in events):
            raise self._wrong("an event has `if`, and the sentence has no line with ?")
        return LabelledSentence(self._sentences[self._place], tuple(events), tuple(needs), condition)

    def _event(self, content: str, after: int) -> Event:
        verb, *rest = content.split()
        if not rest or rest[0] not in _REALITIES:
            raise self._wrong(f"{content!r}: the second word is one of {', '.join(sorted(_REALITIES))}")
        word = self._verb(verb, after)
        conditional = rest[1:2] == ["if"]
        fillers = tuple(self._filler(part, word) for part in rest[2 if conditional else 1 :])
        return Event(word, Reality(rest[0]), conditional, fillers)

    def _changes(self, content: str) -> Iterator[LabelledChange]:
        """The change of a line; none of ``= -``, an event that changes nothing."""
        if content != "-":
            match = _CHANGE.fullmatch(content)
            if match is None or match["attribute"] not in attributes():
                raise self._wrong(f"{content!r} is not THING | ATTRIBUTE | BEFORE -> AFTER, with an attribute of docs")
            yield LabelledChange(
                match["thing"], match["attribute"], match["before"], match["after"], sure=not match["likely"]
            )

    def _filler(self, part: str, verb: Word) -> Filler:
        role, colon, named = part.partition(":")
        if not colon or role not in _ROLES:
            raise self._wrong(f"{part!r}: a role is one of {', '.join(sorted(_ROLES))}, with a colon behind it")
        name, refers, antecedents = named.partition(">")
        if not name and not refers:
            raise self._wrong(f"{part!r} names nothing")
        word = self._nearest(name, verb.start) if name else None
        limit = word.start if word is not None else verb.start
        nouns = tuple(self._before(noun, limit) for noun in antecedents.split("+")) if refers else ()
        return Filler(EventRole(role), word, nouns)

    def _named(self, name: str, what: str = "word") -> list[Word]:
        """Where a word stands in the sentence; one place for ``word#2``."""
        bare, mark, count = name.partition("#")
        words = self._occurrences(bare, self._place)
        if mark:
            words = words[int(count) - 1 : int(count)] if count.isdecimal() and count != "0" else []
        if not words:
            raise self._wrong(f"the sentence does not have the {what} {name!r}")
        return words

    def _occurrences(self, name: str, sentence: int) -> list[Word]:
        matches = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", self._sentences[sentence])
        return [Word(sentence, match.start(), match.end()) for match in matches]

    def _verb(self, name: str, after: int) -> Word:
        words = self._named(name, "verb")
        return next((word for word in words if word.start >= after), words[0])

    def _nearest(self, name: str, to: int) -> Word:
        return min(self._named(name), key=lambda word: abs(word.start - to))

    def _before(self, name: str, limit: int) -> Word:
        for sentence in range(self._place, -1, -1):
            words = self._occurrences(name, sentence)
            earlier = [word for word in words if sentence < self._place or word.end <= limit]
            if earlier:
                return earlier[-1]
        # "Before you open it, let the engine cool": what a pronoun stands for may come behind it.
        if words := self._occurrences(name, self._place):
            return words[0]
        raise self._wrong(f"no sentence so far has the word {name!r}")

    def _wrong(self, what: str) -> InputError:
        return _error(self._path, self._number, what)


def _error(path: Path, number: int, what: str) -> InputError:
    return InputError(what, where=f"{path}:{number}", remedy="data/GUIDELINES.md says how passages are labelled")
