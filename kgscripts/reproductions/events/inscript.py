"""Evaluation of event and participant heads on the labels of InScript (Modi et al., LREC 2016).

InScript labels nearly every verb: `ScrEv_…` (an event of the script), `RelNScrEv` (related to it), `Evoking` (the whole
scenario: "took a bath"), `UnrelEv` (any other, including states: "was", "wanted"), `Unclear`. The extractor does not
know the scenario, so that it cannot distinguish script events from others, and it deliberately discards negated,
hypothetical, planned and stative clauses, which InScript labels too. So each class is reported separately:

- event head precision: share of the extracted predicates that are a gold event head of any class;
- script event head precision: the same, counting only ScrEv, RelNScrEv and Evoking as correct;
- recall of ScrEv heads, of script event heads (the three classes) and of all event heads;
- event head F1 (all classes) and, to see what the parse finds before anything is discarded, recall of all heads
  by extracted and discarded predicates together; the F1 of participants likewise;
- of the pronouns that are the object of a verb and have a noun before them in their coreference chain, the share
  resolved to a noun of the chain, and the precision of those resolved (`kgscripts.reproductions.events.marked_texts`).

A predicate matches a gold head if it begins at the same character. Participant heads (`ScrPart_…`, `NPart`) are nouns:
pronouns and possessives, half of the labels, are ignored on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve
from spacy.language import Language
from spacy.tokens import Doc, Token

from kgscripts.corpora.inscript import PRONOUNS, GoldStory
from kgscripts.evaluation.counting import Matches, example, named, of_extractor
from kgscripts.evaluation.result import Evaluation, Example, Role, System, shares
from kgscripts.extractors.events.events import events_of_docs
from kgscripts.extractors.events.frames import Frame
from kgscripts.extractors.events.participants import participants_of
from kgscripts.reproductions.events.marked_texts import count_pronouns
from schemas.provenance import Exposure

DATASET = "InScript"
_DEVELOPMENT_SPLITS = ("train", "val")
"""The rules were developed on train, and val was scored before the last changes (docs/measurements/evaluation.md)."""
_SUPERVISED = "trained on InScript's labels; assigns script labels to given heads, so it is another task"
_ZERO_SHOT = "without InScript's labels for training; assigns script labels to given heads, so it is another task"
PUBLISHED = tuple(
    System(
        name=name,
        role=Role.PUBLISHED,
        figures=shares({"event label micro F1": events, "participant label micro F1": participants}),
        remark=remark,
    )
    for name, events, participants, remark in (
        ("SSP (coli-saar)", 0.788, 0.93, _SUPERVISED),
        ("Zhai et al. 2022", 0.681, 0.744, _ZERO_SHOT),
    )
)
_SCRIPT_CLASSES = ("ScrEv", "RelNScrEv", "Evoking")
_PARTICIPANT_CLASSES = ("ScrPart", "NPart")


def inscript_scores(nlp: Language, stories: Sequence[GoldStory], split: str) -> Evaluation:
    """The scores described above for the extractor on the parses of `nlp`."""
    docs = nlp.pipe(story.document.text for story in stories)
    return score_parses(zip(stories, docs, strict=True), split)


def score_parses(parsed: Iterable[tuple[GoldStory, Doc]], split: str) -> Evaluation:
    """The same for existing parses."""
    every, script, core, detected, participants, mentioned, pronouns = (Matches() for _ in range(7))
    examples: list[Example] = []
    stories, docs = zip(*parsed, strict=True)
    for story, doc, events in zip(stories, docs, events_of_docs(docs), strict=True):
        judged = [(event.frame, event.reason) for event in events]
        extracted = [frame for frame, reason in judged if reason is None]
        heads = {frame.verb.idx for frame in extracted}
        gold_script = _gold_events(story, _SCRIPT_CLASSES)
        gold_every = _gold_events(story, ("",))
        every.add(heads, gold_every)
        script.add(heads, gold_script)
        core.add(heads, _gold_events(story, ("ScrEv",)))
        detected.add({frame.verb.idx for frame, _ in judged}, gold_every)
        gold_participants = _gold_participants(story)
        participants.add(set(_participant_heads(extracted)), gold_participants)
        mentioned.add(set(_participant_heads(frame for frame, _ in judged)), gold_participants)
        count_pronouns(pronouns, story, doc, [frame for frame, _ in judged])
        examples.append(_example(story, gold_script, heads))
    exposure = Exposure.DEVELOPMENT if split in _DEVELOPMENT_SPLITS else Exposure.UNSEEN
    values = {
        "event head precision": every.precision,
        "script event head precision": script.precision,
        "ScrEv head recall": core.recall,
        "script event head recall": script.recall,
        "event head recall": every.recall,
        "event head F1": every.f1,
        "event head recall, discards included": detected.recall,
        "event head precision, discards included": detected.precision,
        **named("participant head", participants.scores()),
        "participant head F1, discards included": mentioned.f1,
        "pronoun object_right": pronouns.recall,
        "pronoun object precision": pronouns.precision,
    }
    size = {"stories": len(examples), "event heads": every.gold}
    evaluation = of_extractor(DATASET, split, values, exposure=exposure, items=size, examples=examples)
    return evolve(evaluation, systems=[*evaluation.systems, *PUBLISHED])


def _example(story: GoldStory, gold: set[int], heads: set[int]) -> Example:
    words = {word.start: story.document.text[word.start : word.end] for word in story.words}
    both = [[words[start] for start in sorted(words) if start in starts] for starts in (gold, heads)]
    title = f"script events of {story.document.title or story.document.name}"
    return example(story.document.text, *both, where=title)


def _gold_events(story: GoldStory, classes: tuple[str, ...]) -> set[int]:
    return {word.start for word in story.words if word.is_event_head and word.event.startswith(classes)}


def _gold_participants(story: GoldStory) -> set[int]:
    text = story.document.text
    return {
        word.start
        for word in story.words
        if word.is_participant_head
        and word.participant.startswith(_PARTICIPANT_CLASSES)
        and text[word.start : word.end].lower() not in PRONOUNS
    }


def _participant_heads(frames: Iterable[Frame]) -> Iterator[int]:
    for frame in frames:
        yield from (tool.idx for tool in frame.tools)
        nouns: list[Token | None] = [*frame.nouns()] or [None]
        for participant in (candidate for noun in nouns for candidate in participants_of(frame, noun, frame.tools)):
            if participant.noun not in frame.stands_for:
                yield participant.noun.idx
