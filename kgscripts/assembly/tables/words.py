"""Words and names that corrections give or read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgscripts.assembly.tables.links import leading_of
from kgscripts.text.lexicon import word_list
from kgscripts.text.verb_objects import verb_objects
from kgscripts.titles.plain import singular
from schemas.corrections import OF_THINGS, Correction, plain_words
from schemas.records import Action

THINGS_READ = """
    SELECT DISTINCT lower(name) AS name FROM (
        SELECT UNNEST(participants).lemma AS name FROM event_mention_as_read
        UNION ALL SELECT UNNEST(tools).lemma FROM event_mention_as_read
        UNION ALL SELECT UNNEST(step.tools).lemma FROM (SELECT UNNEST(steps) AS step FROM decomposition_as_read)
        UNION ALL SELECT lemma FROM need_as_read
        UNION ALL SELECT entity FROM state_change_as_read
    )
"""


def _named(values: str) -> str:
    return f"list_transform({values}, lambda item: struct_update(item, lemma := thing(item.lemma)))"


RENAMED = {
    "event_mention": f"{_named('participants')} AS participants, {_named('tools')} AS tools",
    "decomposition": (
        f"list_transform(steps, lambda step: struct_update(step, tools := {_named('step.tools')})) AS steps"
    ),
    "need": "thing(lemma) AS lemma",
    "state_change": "thing(entity) AS entity",
}
"""The kinds of records that name things, and their columns with the names."""


def names_of_things(correction: Correction) -> tuple[str, str]:
    """The two names of a correction that links things."""
    return correction.thing, correction.other


def leading_names(corrections: Sequence[Correction]) -> dict[str, str]:
    """The name of every thing that a correction joins with another: that of the latest correction. The oldest come
    first."""
    return leading_of(corrections, OF_THINGS, names_of_things)


_PARTICLES = word_list("particles", "particles and prepositions")
_PREPOSITIONS = word_list("prepositions", "prepositions of labels")
_MOSTLY_WITH_OBJECT = 0.5
_ANY_WORDS = re.compile(r"\.\.\.|…")
_DIGITS = re.compile("[0-9a-f]{8,64}")


def action_of(words: str) -> Action:
    """The action that words in the form of an action's label name: verb, particle, object, preposition and its noun.

    A word such as "on" behind the verb is its particle if nothing but a phrase follows ("turn on"), or if the verb
    mostly has an object with it ("put on hat", unlike "sit on chair"). The label of the action is these words.
    """
    verb, *rest = words.split()
    particle = ""
    if rest and rest[0] in _PARTICLES:
        behind = rest[1] if len(rest) > 1 else ""
        mostly = verb_objects().transitivity(verb, rest[0]) >= _MOSTLY_WITH_OBJECT
        if not behind or behind in _PREPOSITIONS or rest[0] not in _PREPOSITIONS or mostly:
            particle, rest = rest[0], rest[1:]
    # The last word is a noun, also if it looks like a preposition.
    place = next((place for place, word in enumerate(rest[:-1]) if word in _PREPOSITIONS), len(rest))
    return Action(
        predicate=verb,
        particle=particle,
        object=" ".join(rest[:place]),
        preposition="".join(rest[place : place + 1]),
        prepositional_object=" ".join(rest[place + 1 :]),
    )


def label_of(words: str) -> str:
    """The label of the action that a text with these words would give, if they are a verb, its particle, and nouns
    without articles: a particle at the end stands behind the verb, and nouns are in the singular.
    """
    verb, *rest = words.split()
    if len(rest) > 1 and rest[-1] in _PARTICLES:
        rest = [rest[-1], *rest[:-1]]
    return " ".join([verb, *(word if word in _PARTICLES | _PREPOSITIONS else singular(word) for word in rest)])


def spans_of(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a text has a passage with these words, in any case and spacing; "..." stands for any words between."""
    parts = [
        re.compile(r"\s+".join(map(re.escape, part.split())), re.IGNORECASE)
        for part in _ANY_WORDS.split(words)
        if part.strip()
    ]
    end = 0
    while parts:
        start = None
        # Part by part, since one pattern for all of them could take time without bound.
        for part in parts:
            match = part.search(text, end)
            if match is None:
                return
            start, end = match.start() if start is None else start, match.end()
        if start is not None:
            yield start, end


def names_source(words: str, name: str, digest: str) -> bool:
    """Whether the words of a correction name a source: its name, that of its file, or eight or more digits of its
    digest."""
    name = plain_words(name)
    return name == words or name.startswith(f"{words}#") or bool(_DIGITS.fullmatch(words) and digest.startswith(words))
