"""ALTERNATIVE_TO: two steps of a scenario, one of which is done instead of the other.

Two steps are alternatives if the actions that name them differ in one word that names a choice (``data/choices.txt``:
by bus, by car), if at most half as many sources have both as chance would give, and if they are at about the same place
in the script. Statistics alone cannot distinguish alternatives from two wordings of one step: both seldom occur in one
text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

import pyarrow as pa

from kgscripts.assembly.engine import ACTION_PARTS, Engine, Rule, arrow_table
from kgscripts.assembly.step import Step, made_by, tables_in
from kgscripts.assembly.tables.order import by_group
from kgscripts.text.lexicon import word_classes

ActionKey = tuple[str, ...]
"""Predicate, particle, object, preposition and its object; "" if there is none."""

LEAST_SOURCES = 2


def split_by_choice(actions: Sequence[ActionKey], sources: Sequence[int], clusters: Sequence[int]) -> list[int]:
    """The clusters of actions, split where actions of one cluster differ in a choice.

    Actions with the most `sources` come first. Each joins the first part of its cluster from which it does not differ.
    Parts with fewer than `LEAST_SOURCES` sources in total stay with the first part.
    """
    members: dict[int, list[int]] = {}
    for place, number in enumerate(clusters):
        members.setdefault(number, []).append(place)
    result = list(clusters)
    following = max(clusters, default=0) + 1
    for places in members.values():
        parts: list[list[int]] = [[]]
        for place in sorted(places, key=lambda place: (-sources[place], actions[place])):
            if not names_a_choice(actions[place]):
                continue
            for part in parts:
                if not any(differ_in_a_choice(actions[place], actions[other]) for other in part):
                    part.append(place)
                    break
            else:
                parts.append([place])
        for part in parts[1:]:
            if sum(sources[place] for place in part) >= LEAST_SOURCES:
                for place in part:
                    result[place] = following
                following += 1
    return result


def names_a_choice(action: ActionKey) -> bool:
    """Whether some word of an action is a choice; an action without one differs from no other in a choice."""
    return any(map(_choices_of, action))


def differ_in_a_choice(one: ActionKey, other: ActionKey) -> bool:
    """Whether two actions differ in their verb, their object or the noun of their phrase, and the two words are
    choices.

    A phrase that only one of them has does not count. Different verbs need the same object or the same phrase.
    """
    verb, _, thing, *phrase = one
    other_verb, _, other_thing, *other_phrase = other
    same_phrase = phrase == other_phrase or not all((*phrase, *other_phrase))
    if verb != other_verb:
        same = thing == other_thing and (same_phrase if thing else phrase == other_phrase and all(phrase))
        return same and are_choices(verb, other_verb)
    if thing != other_thing:
        return same_phrase and are_choices(thing, other_thing)
    return phrase[0] == other_phrase[0] and are_choices(phrase[1], other_phrase[1])


def are_choices(one: str, other: str) -> bool:
    """Whether two words are of one class, and neither synonyms nor one a kind of the other ("pan", "cake pan")."""
    if f" {one}".endswith(f" {other}") or f" {other}".endswith(f" {one}"):
        return False
    choices, others = _choices_of(one), _choices_of(other)
    return any(label in others and others[label] != choice for label, choice in choices.items())


def are_the_same_choice(one: str, other: str) -> bool:
    """Whether two words are synonyms in some class."""
    return not _choices_of(one).items().isdisjoint(_choices_of(other).items())


def _choices_of(word: str) -> Mapping[str, str]:
    """The meaning of a word, or else of the last word of a compound, in each of its classes."""
    return _choices().get(word) or _choices().get(word.rpartition(" ")[2], {})


@cache
def _choices() -> Mapping[str, Mapping[str, str]]:
    """For each word, by class, the first of its synonyms."""
    synonyms: dict[str, dict[str, str]] = {}
    for label, groups in word_classes("kgscripts.assembly", "choices.txt").items():
        for group in groups:
            words = group.split("/")
            for word in words:
                synonyms.setdefault(word, {})[label] = words[0]
    return synonyms


MOST_STEPS = 300
"""At most this number of steps of a scenario, those with the most support, are compared with each other."""
FARTHEST = 0.25
"""The largest difference of the mean positions of both."""


def usual_steps(least_sources: int, most: int) -> str:
    """SQL: the usual steps that enough sources tell, of each scenario those with the most support."""
    return f"""
        SELECT s.scenario, s.step, s.label
        FROM named_step s JOIN step_total t ON t.key = s.step JOIN step_usual u USING (step)
        WHERE u.usual AND t.support >= greatest(least_support(), {least_sources})
        QUALIFY row_number() OVER (PARTITION BY s.scenario ORDER BY t.support DESC, s.step) <= {most}
    """


_ACTIONS = f"""
    WITH usual AS ({usual_steps(LEAST_SOURCES, MOST_STEPS)})
    SELECT r.scenario, c.label, r.step, {", ".join(f"a.{part}" for part in ACTION_PARTS)}
    FROM (SELECT DISTINCT scenario, step, action FROM realization JOIN usual USING (scenario, step)) r
         JOIN usual u USING (step) JOIN action a USING (action) JOIN scenario c ON c.scenario = r.scenario
    WHERE u.label IN (a.label, concat_ws(' ', a.predicate, nullif(a.particle, ''), nullif(a.object, '')))
    ORDER BY r.scenario, r.step, r.action
"""

_CANDIDATE = pa.schema([("scenario", pa.int32()), ("start", pa.int32()), ("end", pa.int32())])

_PAIRS = Rule(
    "alternative_pair",
    f"""
    SELECT c.scenario, c.start, c."end", coalesce(b."both", 0) AS "both"
    FROM alternative_candidate c
         LEFT JOIN (SELECT c.start, c."end", count(*) AS "both"
                    FROM alternative_candidate c JOIN ordered_mention x ON x.step = c.start
                         JOIN ordered_mention y ON y.step = c."end" AND y.document = x.document
                    GROUP BY ALL) b ON b.start = c.start AND b."end" = c."end"
         JOIN has_sub_event_counted s ON s."end" = c.start JOIN has_sub_event_counted e ON e."end" = c."end"
         JOIN scenario_total n ON n.key = c.scenario
    WHERE 2 * coalesce(b."both", 0) * n.support <= s.support * e.support
          AND abs(s.mean_position - e.mean_position) <= {FARTHEST}
          AND (c.start, c."end") NOT IN (SELECT (start, "end") FROM written_alternative)
    UNION ALL
    SELECT scenario, start, "end", 0 FROM written_alternative
    """,
)
"""The candidates that few sources have together, and those that a written script names; `ordered_mention` has the first
mentions of steps."""


def _find_candidates(tables: Engine) -> None:
    candidates: list[tuple[int, int, int]] = []
    for actions in by_group(tables.rows(_ACTIONS), "scenario"):
        actions_of: dict[int, list[ActionKey]] = {}
        # Who goes by train has chosen.
        chosen = set(actions["label"][0].as_py().split())
        parts = zip(*(actions[part].to_pylist() for part in ACTION_PARTS), strict=True)
        for step, action in zip(actions["step"].to_pylist(), parts, strict=True):
            if not names_a_choice(action):
                continue
            if not any(are_the_same_choice(word, other) for word in action for other in chosen):
                actions_of.setdefault(step, []).append(action)
        scenario = actions["scenario"][0].as_py()
        candidates += [(scenario, *pair) for pair in alternative_steps(actions_of)]
    tables.add("alternative_candidate", arrow_table(candidates, _CANDIDATE))


def steps() -> list[Step]:
    """The table `alternative_pair`: scenario, start, end (steps by ascending number), number of sources with both."""
    made = ("alternative_candidate",)
    return [Step(*made, made, tables_in(_ACTIONS), _find_candidates), made_by(_PAIRS)]


def alternative_steps(told: Mapping[int, Collection[ActionKey]]) -> Iterator[tuple[int, int]]:
    """The pairs of steps, by ascending number, that differ in a choice; `told` has the actions that name each step.

    Time grows with the square of the number of steps, so that actions without a choice are best left out.
    """
    for one, other in combinations(sorted(told), 2):
        if any(differ_in_a_choice(first, second) for first in told[one] for second in told[other]):
            yield one, other
