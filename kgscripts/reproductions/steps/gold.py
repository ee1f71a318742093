"""Scenarios whose steps people have grouped: DeScript's paraphrase sets, and the event labels of InScript."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs
from attrs import frozen

from kgscripts.building.reading import DocumentReader
from kgscripts.corpora.inscript import read_stories
from kgscripts.extractors.registry import choose
from kgscripts.models.steps.contexts import ActionParts
from kgscripts.reproductions.corpora.grouped_steps import GroupedText, paraphrase_texts
from kgscripts.text.pipeline import describe_pipeline
from schemas.records import Document, EventMention

_DOCUMENTS = 64


@frozen
class GoldStep:
    """A step that people have put into a group, or a mention; `action` is that of its first event, if it has one."""

    group: str
    action: ActionParts | None
    text: str


@frozen
class GoldSteps:
    """One annotation of a scenario. Groups of different annotations are independent of each other."""

    name: str
    steps: Sequence[GoldStep]

    def groups(self) -> dict[ActionParts, str]:
        """The group of most of the steps of each action, the first by alphabet of equal ones."""
        counts: dict[ActionParts, Counter[str]] = defaultdict(Counter)
        for step in self.steps:
            if step.action is not None:
                counts[step.action][step.group] += 1
        return {
            action: min(of_action, key=lambda group: (-of_action[group], group)) for action, of_action in counts.items()
        }


@frozen
class GoldScenario:
    """A scenario with its texts as they are read, and annotations of their steps."""

    scenario: str
    texts: Sequence[Sequence[ActionParts]]
    annotations: Sequence[GoldSteps]


@frozen
class ReadStep:
    """The mention of an event: its action and its place in a text."""

    start: int
    end: int
    action: ActionParts


def read_events(documents: Sequence[Document]) -> list[list[ReadStep]]:
    """The events of each document, as the extractors that ship read them, in text order."""
    chosen = choose(["sentences", "events"], (), describe_pipeline)
    reader = DocumentReader(chosen, strict=True)
    events: list[list[ReadStep]] = []
    for start in range(0, len(documents), _DOCUMENTS):
        block = documents[start : start + _DOCUMENTS]
        records = reader.records(block)
        events += [
            _in_order(record for record in records[document.digest] if isinstance(record, EventMention))
            for document in block
        ]
    return events


def _in_order(mentions: Iterable[EventMention]) -> list[ReadStep]:
    return [
        ReadStep(mention.start, mention.end, attrs.astuple(mention.action))
        for mention in sorted(mentions, key=lambda mention: (mention.start, mention.end))
    ]


def descript_scenarios(path: str | Path) -> list[GoldScenario]:
    """The scenarios of the gold paraphrase sets in a file or folder; each file is an annotation of its own.

    Raises
    ------
    InputError
        As `paraphrase_texts` does.
    """
    return grouped_scenarios(paraphrase_texts(path))


def grouped_scenarios(texts: Sequence[GroupedText]) -> list[GoldScenario]:
    """The scenarios of texts whose steps have groups."""
    read = read_events([text.document for text in texts])
    of_scenario: dict[str, list[Sequence[ActionParts]]] = defaultdict(list)
    annotated: dict[str, dict[str, list[GoldStep]]] = defaultdict(lambda: defaultdict(list))
    for text, events in zip(texts, read, strict=True):
        of_scenario[text.scenario].append([event.action for event in events])
        for place, group in text.groups:
            passage = text.document.passages[place]
            inside = [event for event in events if passage.start <= event.start < passage.end]
            words = text.document.text[passage.start : passage.end]
            step = GoldStep(group, inside[0].action if inside else None, words)
            annotated[text.scenario][text.annotation].append(step)
    return [
        GoldScenario(
            scenario,
            [of_text for of_text in mentions if of_text],
            [GoldSteps(name, steps) for name, steps in annotated[scenario].items()],
        )
        for scenario, mentions in of_scenario.items()
    ]


def inscript_scenarios(directory: Path) -> list[GoldScenario]:
    """The scenarios of InScript; mentions of events that have a script label (ScrEv, but not `other`) are its steps.

    Raises
    ------
    InputError
        As `read_stories` does.
    """
    stories = [story for split in ("train", "val") for story in read_stories(directory / split)]
    read = read_events([story.document for story in stories])
    texts: dict[str, list[list[ActionParts]]] = defaultdict(list)
    steps: dict[str, list[GoldStep]] = defaultdict(list)
    for story, events in zip(stories, read, strict=True):
        scenario = story.document.scenario
        texts[scenario].append([event.action for event in events])
        labels = [(word.start, word.event) for word in story.words if word.is_event_head]
        for event in events:
            inside = [label for start, label in labels if event.start <= start < event.end]
            if inside and inside[0].startswith("ScrEv_") and inside[0] != "ScrEv_other":
                steps[scenario].append(GoldStep(inside[0], event.action, story.document.text[event.start : event.end]))
    return [
        GoldScenario(
            scenario, [of_text for of_text in of_scenario if of_text], [GoldSteps("InScript", steps[scenario])]
        )
        for scenario, of_scenario in texts.items()
    ]
