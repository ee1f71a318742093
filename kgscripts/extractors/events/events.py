"""The extractor of events with their tools and participants, by rules over the parse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import frozen

from kgscripts.extractors.events.measures import measures_of, time_events
from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.events.participants import Participant, participants_of, phrase_of_action
from kgscripts.extractors.events.predicates import Frame, frames_of
from kgscripts.extractors.events.wordings import phrase_words, words_of
from kgscripts.extractors.fitted_weights import weights_digest
from kgscripts.extractors.needs import needs_of, needs_of_sentences
from kgscripts.extractors.parse_repair.repairs import repaired
from kgscripts.extractors.pronouns import pronouns
from kgscripts.extractors.pronouns.antecedents import Discourse
from kgscripts.extractors.pronouns.pronouns import resolve_objects, unresolved
from kgscripts.extractors.protocol import PARSE, Extractor, Parse, ParsedDocument
from kgscripts.extractors.realis import asides
from kgscripts.extractors.realis.asides import Asides
from kgscripts.extractors.realis.clauses import letting
from kgscripts.extractors.realis.narration import Narration, narration_of
from kgscripts.extractors.realis.results import discard_results
from kgscripts.extractors.tools.carried_tools import carry_tools
from kgscripts.extractors.tools.inferred_tools import WorkPlace
from kgscripts.extractors.tools.tools import role_in, tools_of
from kgscripts.score_files import read_scores, scores_of_package
from kgscripts.text.lexicon import is_a, verbs, word_list_digests
from kgscripts.text.pipeline import SHIPPED
from kgscripts.text.syntax import is_imperative, lemma
from kgscripts.text.verb_objects import verb_objects, verb_objects_digest
from schemas.provenance import BenchmarkScore, Model
from schemas.records import Action, Argument, Discard, DiscardReason, EventMention, Need, PassageKind, Record, Tool

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_HEADING = re.compile(r"(?i)(?!step\b)(?<!\w)[^\W\d_]{3,}")
"""A word between two passages; "Step 2" is no heading."""
_SIDES = frozenset({PassageKind.ABSTRACT, PassageKind.CONCRETE})
"""The sides of a pair, which tell the same twice: a vessel of one is not there for the other."""
_INSTRUCTIONS = frozenset({PassageKind.STEP}) | _SIDES


class EventExtractor(Extractor):
    """Gives events, one mention for each object of a predicate, what lists say is needed, and discards."""

    name = "events"
    rules = "10"
    task = "event extraction"
    requires = (PARSE,)
    gives = (EventMention, Need, Discard)
    licence = "Apache-2.0"

    @property
    def data(self) -> Mapping[str, str]:
        """See `Extractor`."""
        fitted = {file: weights_digest(file) for file in (pronouns.FILE, asides.FILE)}
        return {**word_list_digests(), "verb_objects.tsv": verb_objects_digest(), **fitted}

    def scores(self, parser: Model | None) -> Sequence[BenchmarkScore]:
        """The scores that ship; they were measured on the parses of the shipped pipeline."""
        return read_scores(scores_of_package(self.name)) if parser is not None and parser.name == SHIPPED else ()

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        return [_read_document(document) for document in documents]


def _read_document(parsed: ParsedDocument) -> list[Record]:
    events: list[EventMention] = []
    needs: list[Need] = []
    discards: list[Discard] = []
    prose: list[Parse] = []
    for passage, parses in groupby(parsed.parses, key=lambda parse: parse.passage):
        if passage.kind is PassageKind.NEEDS:
            needs.extend(needs_of(list(parses), parsed.document.text))
        else:
            prose.extend(parses)
    needs.extend(need for parse in prose for need in needs_of_sentences(parse, parsed.document.text))
    for event in events_of_parses(prose, parsed.document.text):
        events.extend(event.mentions)
        if event.reason is not None:
            discards.append(_discard(event.frame, event.reason, event.parse.offset))
    events.sort(key=lambda event: (event.start, event.end))
    return [*events, *needs, *discards]


@frozen
class JudgedEvent:
    """A frame with its mentions, or with the reason why it is discarded."""

    parse: Parse
    frame: Frame
    reason: DiscardReason | None
    mentions: tuple[EventMention, ...]


def events_of_parses(parses: Iterable[Parse], text: str = "") -> Iterator[JudgedEvent]:
    """The events of a document in text order; a pronoun may refer to the passage before, and a step may go on in the
    vessel of the step before, unless the `text` of the document has a heading between them."""
    parses = list(parses)
    work = WorkPlace()
    end = 0
    discourse = Discourse()
    narration = narration_of(parse.doc for parse in parses)
    for parse in parses:
        is_step = parse.passage.kind in _INSTRUCTIONS
        if end and _HEADING.search(text, end, parse.passage.start):
            work.leave()
        end = parse.passage.end
        for frame, reason in judged_frames(parse.doc, discourse, is_step=is_step, narration=narration):
            follows = reason is None and parse.passage.kind not in _SIDES
            inferred = work.follow(frame, parse.offset) if follows else []
            mentions = tuple(mentions_of(frame, parse.offset, inferred)) if reason is None else ()
            yield JudgedEvent(parse, frame, reason, mentions)


def judged_frames(
    doc: Doc, discourse: Discourse | None = None, *, is_step: bool = False, narration: Narration | None = None
) -> list[tuple[Frame, DiscardReason | None]]:
    """The frames of a parse in text order, each with the reason why it is left out, if it is.

    `discourse` has the nouns of the passages before, to which a pronoun may refer. `narration` says how the text
    tells; without it, the parse is the whole text.
    """
    narration = narration_of([doc]) if narration is None else narration
    doc = repaired(doc, is_step=is_step)
    discourse = discourse or Discourse()
    discourse.enter(doc)
    frames = list(frames_of(doc, narration))
    resolve_objects(frames, discourse)
    carry_tools(frames)
    time_events(doc, frames)
    if is_step:
        discard_results(frames)
    # Steps have no asides: who writes them says what is done.
    of_text = None if is_step else Asides(doc, narration)
    return [(frame, frame.reason or _emptiness(frame) or _aside(frame, of_text)) for frame in frames]


def _aside(frame: Frame, asides: Asides | None) -> DiscardReason | None:
    return DiscardReason.MENTIONED if asides is not None and asides.has(frame.verb) else None


def _emptiness(frame: Frame) -> DiscardReason | None:
    word = lemma(frame.verb)
    nouns = [noun_lemma(noun) for noun in frame.nouns()]
    if word in verbs("stative"):
        eventful = word == "have" and any(
            noun in verbs("light_have") or noun.rsplit(" ", 1)[-1] in verbs("light_have") for noun in nouns
        )
        commanded = word not in {"be", "have", "need", "want"} and nouns and is_imperative(frame.verb)
        return None if eventful or commanded else DiscardReason.STATIVE
    if _is_mistaken(frame):
        return DiscardReason.NO_CONTENT
    if _is_copular(frame) or (word == "take" and nouns and is_a(nouns[0], "time")):
        return DiscardReason.STATIVE
    if word in verbs("vague") and not nouns and frame.particle is None and phrase_of_action(frame, []) is None:
        return DiscardReason.NO_CONTENT
    return None


def _is_mistaken(frame: Frame) -> bool:
    """A noun of a list that the parser took for a verb ("took out the knife fork and brush")."""
    verb = frame.verb
    alone = not frame.objects and not frame.phrases and frame.particle is None
    return alone and verb.tag_ in {"VB", "VBP"} and verb.dep_ != "ROOT" and verb_objects().is_rather_noun(lemma(verb))


def _is_copular(frame: Frame) -> bool:
    """ "Smells delicious", "looked tired", "tastes good"."""
    return lemma(frame.verb) in {"look", "smell", "taste", "sound", "stay", "feel"} and any(
        child.dep_ in {"xcomp", "acomp"} and child.pos_ == "ADJ" for child in frame.verb.rights
    )


def mentions_of(frame: Frame, offset: int, inferred: Sequence[Tool] = ()) -> Iterator[EventMention]:
    """The mentions of a frame whose parse begins at character `offset`: one for each object, or one without.

    `inferred` are tools that an event before names; each mention has them too.

    The object of an action is "it" or "them" if the text has a pronoun that is not resolved.
    """
    used = tools_of(frame)
    phrase = phrase_of_action(frame, used)
    said = phrase_words(phrase)
    for noun in _acted_upon(frame) or (None,):
        tools = [*used, noun] if noun in frame.handled and noun is not None else used
        action = Action(
            predicate=lemma(frame.verb),
            particle=frame.particle.lower_ if frame.particle is not None else "",
            object=noun_lemma(noun) if noun is not None else unresolved(frame),
            preposition=phrase.preposition if phrase else "",
            prepositional_object=noun_lemma(content_head(phrase.head)) if phrase else "",
        )
        mentioned = frame.mention if frame.stands_for else noun
        participants = participants_of(frame, noun, tools)
        start, end = _span_of(frame, [frame.particle, mentioned, phrase.head if phrase else None, *tools])
        yield EventMention(
            action=action,
            words=words_of(frame, noun, action.object),
            phrase=said,
            start=offset + start,
            end=offset + end,
            participants=[_argument(frame, found, offset) for found in participants],
            tools=[
                Tool(
                    lemma=noun_lemma(tool),
                    role=role_in(frame, tool),
                    start=offset + tool.idx,
                    end=offset + tool.idx + len(tool),
                )
                for tool in tools
            ]
            + list(inferred),
            measures=measures_of(frame, (found.noun for found in participants), tools),
        )


def _argument(frame: Frame, participant: Participant, offset: int) -> Argument:
    """The record of a participant; its span is that of the mention, which may be a pronoun."""
    mentioned = frame.mention if participant.noun in frame.stands_for else participant.noun
    start = offset + mentioned.idx
    return Argument(lemma=noun_lemma(participant.noun), role=participant.role, start=start, end=start + len(mentioned))


def _acted_upon(frame: Frame) -> list[Token]:
    """The nouns that are objects of the event, without durations ("wait ten minutes")."""
    return [noun for noun in frame.nouns() if lemma(frame.verb) == "spend" or not is_a(noun_lemma(noun), "time")]


def _span_of(frame: Frame, others: Iterable[Token | None]) -> tuple[int, int]:
    """The span of an event and of what it names. A command begins with its verb, also where a phrase stands before it
    ("in a bowl, mix the eggs"); "let the dough rise" begins with "let"."""
    verb = letting(frame.verb) or frame.verb
    start, end = _span([verb, *others])
    return (verb.idx if is_imperative(verb) else start), max(end, frame.verb.idx + len(frame.verb))


def _span(tokens: Iterable[Token | None]) -> tuple[int, int]:
    present = [token for token in tokens if token is not None]
    return min(token.idx for token in present), max(token.idx + len(token) for token in present)


def _discard(frame: Frame, reason: DiscardReason, offset: int) -> Discard:
    start, end = _span([frame.verb, *(noun for noun in frame.objects if is_noun(noun))])
    detail = " ".join([lemma(frame.verb), *(noun_lemma(noun) for noun in frame.nouns()[:1])])
    return Discard(reason=reason, start=offset + start, end=offset + end, detail=detail)
