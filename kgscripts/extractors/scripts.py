"""The extractor of what written scripts say: steps with tools, participants and changes, their order, and needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.scripts.format import NeedKind, Script, Step, StepParticipant, StepTool
from kgscripts.corpora.scripts.reader import FORMAT, Place, written_script
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.text.lexicon import role_of, word_list
from schemas.changes import Level
from schemas.records import (
    Action,
    Argument,
    EventMention,
    Importance,
    Measure,
    MeasureKind,
    Need,
    Record,
    Role,
    StateChange,
    Tool,
    WrittenScript,
    WrittenStep,
)

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class ScriptExtractor(Extractor):
    """Gives what people write in scripts; other texts have nothing of it."""

    name = "scripts"
    rules = "3"
    task = "what written scripts say"
    gives = (EventMention, StateChange, Need, WrittenScript, WrittenStep)
    licence = "Apache-2.0"

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        return [list(_records(item)) if item.document.format == FORMAT else [] for item in documents]


def _records(item: ParsedDocument) -> Iterator[Record]:
    script, places = written_script(item.document.text, item.document.name)
    yield from _needs(script, places)
    if script.also:
        name = places["scenario"].span
        yield WrittenScript(also=script.also, start=name.start, end=name.end)
    written = list(_steps(script, places))
    starts = {written_step.step.id: written_step.place["name"].span.start for written_step in written}
    following = script.must_precede()
    actions = actions_of(script)
    for written_step in written:
        step = written_step.step
        event = _event(step, actions[step.id], written_step.place)
        yield event
        yield from (_change(step, number, event) for number in range(len(step.changes)))
        yield WrittenStep(
            name=step.name,
            wordings=step.wordings,
            importance=written_step.importance,
            conditions=written_step.conditions,
            variants=written_step.variants,
            left_out_of=written_step.without,
            parts=step.steps,
            before=sorted(starts[id] for id in following.get(step.id, ())),
            instead_of=starts[step.instead_of] if step.instead_of else None,
            start=event.start,
            end=event.end,
        )


@frozen
class _Written:
    """A step where it stands: in the script itself, or in a variant of it."""

    step: Step
    place: Place
    without: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[str, ...]:
        """When it is done, with the first word."""
        said = {"if": self.step.if_, "unless": self.step.unless}
        return tuple(f"{first} {words}" for first, words in said.items() if words)

    @property
    def importance(self) -> Importance:
        """Nothing that only a variant has is essential."""
        return (
            max(self.step.importance, Importance.USUAL, key=list(Importance).index)
            if self.variants
            else self.step.importance
        )


def _steps(script: Script, places: Place) -> Iterator[_Written]:
    for number, step in enumerate(script.steps):
        without = tuple(variant.name for variant in script.variants if step.id in variant.without)
        yield _Written(step, places["steps"][number], without=without)
    for number, variant in enumerate(script.variants):
        for own, step in enumerate(variant.steps):
            yield _Written(step, places["variants"][number]["steps"][own], variants=(variant.name,))


def _needs(script: Script, places: Place) -> Iterator[Need]:
    for number, need in enumerate(script.needs):
        span = places["needs"][number]["thing"].span
        role = role_of(need.thing) if need.kind is NeedKind.TOOL else None
        yield Need(
            lemma=need.thing,
            role=role,
            amount=need.amount,
            instead=need.instead,
            optional=need.optional,
            start=span.start,
            end=span.end,
        )


def actions_of(script: Script) -> dict[str, Action]:
    """The action of each step by its id. Where several would have the same, the rest of the name is the object."""
    actions = {step.id: action_of(step) for step in script.all_steps()}
    times = Counter(actions.values())
    for step in script.all_steps():
        if times[actions[step.id]] > 1:
            verb, _, rest = step.name.lower().partition(" ")
            actions[step.id] = Action(predicate=verb, object=rest)
    return actions


def _event(step: Step, action: Action, place: Place) -> EventMention:
    tools, participants = [], []
    for number, tool in enumerate(step.tools):
        span = place["tools"][number]["thing"].span
        tools.append(Tool(lemma=tool.thing, role=tool.role, start=span.start, end=span.end))
    for number, participant in enumerate(step.participants):
        span = place["participants"][number]["thing"].span
        participants.append(Argument(lemma=participant.thing, role=participant.role, start=span.start, end=span.end))
    name = place["name"].span
    return EventMention(
        action=action,
        start=name.start,
        end=name.end,
        words=step.name,
        participants=participants,
        tools=tools,
        measures=[Measure(kind=MeasureKind.DURATION, words=step.duration)] if step.duration else (),
    )


def _change(step: Step, number: int, event: EventMention) -> StateChange:
    change = step.changes[number]
    return StateChange(
        entity=change.entity,
        attribute=change.attribute,
        before=change.before,
        after=change.after,
        action=event.action,
        start=event.start,
        end=event.end,
        mentioned=None,
        probability=1.0,
        level=Level.CERTAIN,
    )


def action_of(step: Step) -> Action:
    """The action that the name of a step says: its first word is the verb, its object the first thing in it that is
    acted on, and its place the next thing behind a preposition. Where the step does not say what is acted on, the words
    up to the first preposition are the object.
    """
    words = [word.lower() for word in _WORD.findall(step.name)]
    verb, rest = words[0], words[1:]
    prepositions = word_list("prepositions", "particles", "particles and prepositions")
    placed = _first(rest, [item for item in step.participants if item.role is Role.PATIENT])
    particle = ""
    if len(rest) > 1 and rest[0] in word_list("particles", "particles and prepositions") and _follows(placed, 1, rest):
        particle, rest = rest[0], rest[1:]
        placed = None if placed is None else (placed[0] - 1, placed[1])
    until = next((number for number, word in enumerate(rest) if word in prepositions), len(rest))
    articles = word_list("articles", "possessives")
    if placed is None:
        thing, behind = " ".join(word for word in rest[:until] if word not in articles), until
    else:
        thing, behind = placed[1], placed[0] + 1
    others: list[StepParticipant | StepTool] = [*step.participants, *step.tools]
    place = _first(rest[behind:], [item for item in others if item.thing != thing])
    preposition = ""
    if place is not None:
        between = rest[behind : behind + place[0]]
        preposition = next((word for word in reversed(between) if word in prepositions), "")
    return Action(
        predicate=verb,
        particle=particle,
        object=thing,
        preposition=preposition,
        prepositional_object=place[1] if place is not None and preposition else "",
    )


def _first(words: Sequence[str], things: Sequence[StepParticipant | StepTool]) -> tuple[int, str] | None:
    """The first of some things that words name, with the place of its last word."""
    named = []
    for item in things:
        head = item.thing.lower().split()[-1]
        places = [number for number, word in enumerate(words) if word.startswith(head[: max(3, len(head) - 2)])]
        named += [(place, item.thing) for place in places[:1]]
    return min(named, default=None)


def _follows(placed: tuple[int, str] | None, first: int, words: Sequence[str]) -> bool:
    """Whether the thing that is acted on comes right behind the word before `first`, with articles only between."""
    if placed is None:
        return False
    named = len(placed[1].split())
    articles = word_list("articles", "possessives")
    return all(word in articles for word in words[first : placed[0] - named + 1])
