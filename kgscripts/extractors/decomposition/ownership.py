"""Which abstract event of a pair a concrete step is a part of: by alignment, by its object and by its verb.

An alignment follows the order of the words, so that it also links words that only one side has, and links steps of a
list to neighbouring steps. A step on a thing that the abstract side names belongs to an event on that thing ("add
raisins" is no part of "add kale"); a step of another phase is no part of an event (stirring is no part of adding).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from attrs import frozen

from kgscripts.extractors.decomposition.aligned_events import Event, Side
from kgscripts.models.alignment.lattice import Alignment
from kgscripts.text.lexicon import classes_of, foods, is_tool, verbs, word_list
from schemas.records import Action, EventMention

_GENERIC = word_list("words for anything")
"""Words that may refer to anything that the abstract side names."""

_MIXING = word_list("mixing")
_PEELING = word_list("peeling")
_WAITING = word_list("waiting")
_CLEANING = word_list("cleaning")
_ADDING = word_list("adding")
_UNLIKE_HEATING = word_list("heating or not")
_CERTAIN = 0.5
"""The least posterior at which an alignment alone decides that an unknown word names an abstract thing."""


class Phase(Enum):
    """The kind of work that a verb names."""

    PLACING = "placing"
    MIXING = "mixing"
    HEATING = "heating"
    CUTTING = "cutting"
    PEELING = "peeling"
    CLEANING = "cleaning"
    WAITING = "waiting"
    OTHER = "other"


_FOREIGN: Mapping[Phase, frozenset[Phase]] = {
    Phase.PLACING: frozenset(Phase) - {Phase.PLACING, Phase.OTHER},
    Phase.MIXING: frozenset({Phase.HEATING, Phase.CUTTING, Phase.PEELING, Phase.CLEANING, Phase.WAITING}),
    Phase.HEATING: frozenset({Phase.CUTTING, Phase.PEELING, Phase.CLEANING}),
    Phase.CUTTING: frozenset({Phase.HEATING, Phase.MIXING, Phase.WAITING}),
    Phase.PEELING: frozenset({Phase.HEATING, Phase.MIXING, Phase.WAITING}),
}
"""For each phase, the phases that come before or after it and are no part of it."""


_WORKING = frozenset({Phase.OTHER, Phase.HEATING, Phase.CUTTING, Phase.PEELING})


def phase_of(action: Action) -> Phase:
    """The phase of an action, by its verb."""
    verb = action.predicate
    named = {
        Phase.MIXING: verb in _MIXING,
        Phase.PEELING: verb in _PEELING,
        Phase.PLACING: verb in verbs("placing") or verb in _ADDING,
        Phase.HEATING: verb in verbs("heating") and verb not in _UNLIKE_HEATING,
        Phase.CUTTING: verb in verbs("cutting"),
        Phase.CLEANING: verb in _CLEANING,
        Phase.WAITING: verb in _WAITING,
    }
    return next((phase for phase, is_it in named.items() if is_it), Phase.OTHER)


def same_thing(one: str, other: str) -> bool:
    """Whether nouns with their compounds may name one thing: "rub" and "spice rub", "garlic clove" and "garlic"."""
    first, second = one.split(" "), other.split(" ")
    if first[-1] == second[-1]:
        return len(first) == 1 or len(second) == 1 or first[-2] == second[-2]
    return any(
        long[-1] in foods("head") and long[-2:-1] == short[-1:] for long, short in ((first, second), (second, first))
    )


@frozen
class Owner:
    """The mentions of the abstract event that a step belongs to, and the mean probability of its alignment to it."""

    mentions: tuple[EventMention, ...]
    probability: float


def owner_of(
    abstract: Side, concrete: Side, mention: EventMention, words: Sequence[int], alignment: Alignment
) -> Owner | None:
    """The abstract event to which a concrete mention with these words belongs; None if it belongs to none."""
    mass = [0.0] * len(abstract.events)
    for word in words:
        place = abstract.owners[alignment.path[word]]
        if place is not None:
            mass[place] += alignment.posterior[word]
    if not any(mass):
        return None
    named = {
        whole
        for event in abstract.events
        for whole in event.mentions
        if whole.action.object and _is_named(whole, mention, abstract, concrete, alignment)
    }
    phase = phase_of(mention.action)
    best: tuple[float, int] | None = None
    for place, event in enumerate(abstract.events):
        if any(True for _ in _owned(event, mention, named)):
            alike = phase is not Phase.OTHER and phase is phase_of(event.mentions[0].action)
            rating = mass[place] / len(words) + (1.1 if alike else 0.0) + (0.6 if named & set(event.mentions) else 0.0)
            if mass[place] or named & set(event.mentions):
                best = max(best or (0.0, 0), (round(rating, 4), -place))
    if best is None:
        return None
    event = abstract.events[-best[1]]
    owned = tuple(_owned(event, mention, named))
    return Owner(_aligned(abstract, owned, words, alignment), mass[-best[1]] / len(words))


def is_taking(action: Action) -> bool:
    """Whether a tool is taken in order to use it in the next step."""
    taken = action.predicate in verbs("grasping") or action.predicate == "use"
    return taken and is_tool(action.object) and not action.prepositional_object


def _is_named(whole: EventMention, mention: EventMention, abstract: Side, concrete: Side, alignment: Alignment) -> bool:
    """Whether the step has the same object as an abstract mention."""
    thing = mention.action.object
    if not thing:
        return False
    if same_thing(thing, whole.action.object):
        return True
    known = thing.rsplit(" ", 1)[-1] in foods("food") | foods("head") or classes_of(thing)
    return not known and any(
        alignment.path[word] in abstract.objects[whole] and alignment.posterior[word] >= _CERTAIN
        for word in concrete.objects[mention]
    )


def _owned(event: Event, mention: EventMention, named: set[EventMention]) -> Iterator[EventMention]:
    """The mentions of an abstract event that the step may be a part of."""
    whole, step = event.mentions[0].action, mention.action
    phase, of_step = phase_of(whole), phase_of(step)
    if of_step in _FOREIGN.get(phase, frozenset()):
        return
    if whole.predicate == step.predicate and not says_something(step):
        return
    of_event = [one for one in event.mentions if one in named]
    if of_event:
        yield from of_event
    elif (not named or not whole.object) and _may_be_part(event, step, phase, of_step):
        yield from event.mentions


def _may_be_part(event: Event, step: Action, phase: Phase, of_step: Phase) -> bool:
    """Whether a step whose object the abstract side does not name may be a part of the event."""
    alike = of_step is phase is not Phase.OTHER
    if not event.mentions[0].action.object:
        return alike
    joining = phase in (Phase.PLACING, Phase.MIXING)
    if step.object in _GENERIC:
        return not joining or of_step in (Phase.PLACING, Phase.MIXING) or step.predicate in verbs("grasping")
    if not step.object:
        # "Pour into the bowl" continues the work on an earlier thing; with several things it is not known which.
        return (alike and (phase is Phase.MIXING or len(event.mentions) == 1)) or {phase, of_step} <= _WORKING
    if is_tool(step.object) and step.predicate in verbs("grasping") | {"use", "hold"}:
        return True
    return not joining and step.predicate != "use"


def says_something(step: Action) -> bool:
    """Whether an action is more than a verb."""
    return bool(step.object or step.preposition or step.particle not in {"", "together"})


def _aligned(
    abstract: Side, owned: Sequence[EventMention], words: Sequence[int], alignment: Alignment
) -> tuple[EventMention, ...]:
    """The mentions with whose object the words are aligned most; all mentions, if they are aligned with none."""
    mass = {
        whole: sum(alignment.posterior[word] for word in words if alignment.path[word] in abstract.objects[whole])
        for whole in owned
    }
    highest = max(round(value, 4) for value in mass.values())
    return tuple(whole for whole, value in mass.items() if round(value, 4) == highest)
