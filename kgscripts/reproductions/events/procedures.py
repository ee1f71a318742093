"""Evaluation of events, tools and objects on procedures that others annotated.

Sets are wikiHow-FG (Shirai et al. 2023), EASDRL (Feng et al. 2018), the Wet Lab Protocol corpus (Kulkarni et al. 2018),
MyFixit (Nabizadeh et al. 2020) and PET (Bellan et al. 2022), in the form of one JSON object a line. Each text is read
as a build reads it, step by step:

- *action recall*: share of the annotated actions with whose first word an event begins;
- *action precision*: share of the events that begin with the first word of an action, of any kind;
- *tool recall* and *precision*: of the tools of a text, as types, by the lemma of their last word;
- *object_right*: of the actions that are found and have annotated objects, the share with one of them;
- of PET, *activity recall* and *precision*: the words that name an activity, as often as a text has them. Four language
  models are compared by their released answers.

The last fifth of each file is never trained on, and is the split ``test``; of a held-back file, name the split ``all``.
A second system is the reader by the output layer of the set itself, which follows the annotation of the set.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.building.reading import parse_documents
from kgscripts.evaluation.counting import EXTRACTOR, Matches
from kgscripts.evaluation.result import Evaluation, Role, System, shares
from kgscripts.extractors.events.events import JudgedEvent, Text, events_of_texts
from kgscripts.models.reader.reader import Reader
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import load
from kgscripts.text.lexicon import is_a
from kgscripts.titles.plain import singular
from schemas.errors import InputError
from schemas.input_files import open_input
from schemas.provenance import Exposure
from schemas.records import Document, EventMention, Passage, PassageKind

TEST, ALL = "test", "all"
_EXPOSURE = Exposure.DEVELOPMENT
"""Nothing of ``test`` was trained on, but what the reader learns from was chosen in view of its scores."""
SPLITS = (TEST, ALL)


@frozen(kw_only=True)
class Scheme:
    """What a set calls actions, all that counts as one, tools that are to be found, all that count, and objects."""

    actions: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    every_tool: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()


_EASDRL = frozenset({"essential", "optional", "exclusive"})
SCHEMES: Mapping[str, Scheme] = {
    "wikihow-fg": Scheme(
        actions=frozenset({"Ae"}),
        every=frozenset({"Ae", "Ae2", "Ai"}),
        tools=frozenset({"T"}),
        every_tool=frozenset({"T"}),
        objects=frozenset({"Targ"}),
    ),
    "easdrl": Scheme(actions=_EASDRL, every=_EASDRL, objects=frozenset({"object"})),
    "wet-lab": Scheme(
        actions=frozenset({"Action"}),
        every=frozenset({"Action"}),
        tools=frozenset({"Device"}),
        every_tool=frozenset({"Device", "Location"}),
        objects=frozenset({"Acts-on"}),
    ),
    "myfixit": Scheme(),
}
PET, ANSWERS = "pet.jsonl", "pet-predictions.jsonl"

_BEFORE: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {
    "rules of 0.2.0, held-back half": {
        "wikihow-fg": (0.87, 0.96, 0.61, 0.88, 0.73),
        "easdrl": (0.64, 0.78, None, None, 0.81),
        "wet-lab": (0.72, 0.84, 0.38, 0.35, 0.74),
        "myfixit": (None, None, 0.50, 0.40, None),
    },
    "verbs and their objects of en_core_web_sm, held-back half": {
        "wikihow-fg": (0.88, 0.85, None, None, None),
        "easdrl": (0.90, 0.45, None, None, None),
        "wet-lab": (0.76, 0.62, None, None, None),
    },
}
_METRICS = ("action recall", "action precision", "tool recall", "tool precision", "object_right")


@frozen
class Annotated:
    """An annotated text: the characters with which actions begin, the heads of the objects of each, and tools."""

    id: str
    domain: str
    title: str
    text: str
    actions: frozenset[int]
    every: frozenset[int]
    objects: Mapping[int, frozenset[str]]
    tools: frozenset[str]
    every_tool: frozenset[str]


@frozen
class Found:
    """What a system finds in a text: the characters with which events begin, the heads of their objects, and tools."""

    objects: Mapping[int, frozenset[str]]
    tools: frozenset[str]


@frozen
class _Counts:
    action: Matches = field(factory=Matches)
    event: Matches = field(factory=Matches)
    tool: Matches = field(factory=Matches)
    every_tool: Matches = field(factory=Matches)
    target: Matches = field(factory=Matches)

    def add(self, gold: Annotated, answer: Found) -> None:
        starts = set(answer.objects)
        self.action.add(starts, gold.actions)
        self.event.add(starts, gold.every)
        self.tool.add(answer.tools, gold.tools)
        self.every_tool.add(answer.tools, gold.every_tool)
        for start, heads in gold.objects.items():
            if start in starts:
                self.target.add({start} if heads & answer.objects[start] else set(), {start})

    def values(self) -> dict[str, float]:
        # An event that the set annotates, but not as an action of its own kind, is no error: precision counts `every`.
        of_all = (
            (self.action, "action recall", self.action.recall),
            (self.action, "action precision", self.event.precision),
            (self.tool, "tool recall", self.tool.recall),
            (self.tool, "tool precision", self.every_tool.precision),
            (self.target, "object_right", self.target.recall),
        )
        return {metric: value for asked, metric, value in of_all if asked.gold}


def evaluate_procedures(
    folder: Path, spacy_model: str | None, split: str = TEST, model: str = "default"
) -> list[Evaluation]:
    """The scores described above of each set in a folder.

    Raises ModelError for what is no reader, and InputError for a folder without such sets and for lines that are not of
    this form.
    """
    reader = load("reader", model)
    files = [file for name in SCHEMES if (file := folder / f"{name}.jsonl").is_file()]
    if not files and not (folder / PET).is_file():
        remedy = f"name a folder with {', '.join(f'{name}.jsonl' for name in SCHEMES)}"
        raise InputError("no annotated procedures", where=str(folder), remedy=remedy)
    evaluations = [_evaluate(file, spacy_model, split, reader) for file in files]
    return [*evaluations, _processes(folder, spacy_model, reader)] if (folder / PET).is_file() else evaluations


def _evaluate(file: Path, spacy_model: str | None, split: str, reader: Reader) -> Evaluation:
    name, texts = file.stem, read_annotated(file)
    if split == TEST and name in _OWN:  # no other is trained on
        texts = texts[len(texts) - len(texts) // 5 :]
    systems = [_system(EXTRACTOR, texts, _of_build(spacy_model, texts, reader), source=EXTRACTOR)]
    if name in _OWN:
        remark = "follows the annotation of the set, which a build does not"
        systems.append(_system("reader, own layer of the set", texts, _of_layer(name, texts, reader), remark=remark))
    for system, figures in _BEFORE.items():
        values = {metric: value for metric, value in zip(_METRICS, figures.get(name, ()), strict=False) if value}
        if values:
            systems.append(System(name=system, role=Role.PUBLISHED, figures=shares(values)))
    size = {"texts": len(texts), "actions": sum(len(text.actions) for text in texts)}
    return Evaluation(task="procedures", dataset=name, split=split, exposure=_EXPOSURE, items=size, systems=systems)


def _system(
    name: str, texts: Sequence[Annotated], answers: Sequence[Found], source: str = "", remark: str = ""
) -> System:
    whole, by_domain = _Counts(), defaultdict[str, _Counts](_Counts)
    for gold, answer in zip(texts, answers, strict=True):
        whole.add(gold, answer)
        by_domain[gold.domain].add(gold, answer)
    figures = list(shares(whole.values()))
    if len(by_domain) > 1:
        for domain, counts in sorted(by_domain.items()):
            figures += shares(counts.values(), part=domain)
    return System(name=name, figures=figures, source=source, remark=remark)


def read_annotated(file: Path) -> list[Annotated]:
    """The texts of a file. Raises InputError with the line for what is none."""
    texts = []
    with open_input(file) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                texts.append(_annotated(json.loads(line)))
            except (KeyError, ValueError, TypeError, IndexError) as error:
                remedy = "use the files of annotated procedures as they are"
                message = f"no annotated procedure: {error!r}"
                raise InputError(message, where=f"{file}:{number}", remedy=remedy) from error
    return texts


def _annotated(record: Mapping[str, Any]) -> Annotated:
    scheme = SCHEMES[record["set"]]
    text = record.get("text") or "\n".join(record["steps"])
    spans: Sequence[tuple[str, int, int]] = record.get("spans", ())
    objects: dict[int, set[str]] = defaultdict(set)
    for label, one, other in record.get("links", ()):
        if label in scheme.objects and spans[other][0] in scheme.every:
            objects[spans[other][1]].add(_head(text[spans[one][1] : spans[one][2]]))

    def starts(labels: frozenset[str]) -> frozenset[int]:
        return frozenset(start for label, start, _ in spans if label in labels)

    def tools(labels: frozenset[str]) -> frozenset[str]:
        heads = {_head(text[start:end]) for label, start, end in spans if label in labels}
        return frozenset(head for head in heads if not _is_no_tool(head))

    # Lists of tools have more than a text tells: only those that it names can be found in it.
    toolbox = frozenset(
        head for tool in record.get("tools", ()) if (head := _head(tool)) and head in set(map(singular, _words(text)))
    )
    return Annotated(
        id=record["id"],
        domain=record["domain"],
        title=record.get("title") or "",
        text=text,
        actions=starts(scheme.actions),
        every=starts(scheme.every),
        objects={start: frozenset(heads) for start, heads in objects.items()},
        tools=tools(scheme.tools) or toolbox,
        every_tool=tools(scheme.every_tool) or toolbox,
    )


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()


def _head(words: str) -> str:
    """The lemma of the last word of a phrase."""
    named = _words(words)
    return singular(named[-1]) if named else ""


def _is_no_tool(head: str) -> bool:
    """Whether a word names what is used up, or nothing that can be told: supplies, and pronouns."""
    return head in {"it", "them", "one", "this", "these"} or is_a(head, "consumable")


def _events_of(spacy_model: str | None, texts: Sequence[Annotated], reader: Reader) -> list[Sequence[JudgedEvent]]:
    """What a build reads: each line is a step."""
    documents = [
        Document(
            name=text.id,
            format="text",
            text=text.text,
            title=text.title,
            passages=[
                Passage(kind=PassageKind.STEP, start=line.start(), end=line.end())
                for line in re.finditer(r"[^\n]*\S[^\n]*", text.text)
            ],
        )
        for text in texts
    ]
    parses = parse_documents(documents, spacy_model)
    read = events_of_texts([Text(parsed, text.title) for parsed, text in zip(parses, texts, strict=True)], reader)
    return [each.events for each in read]


def _of_build(spacy_model: str | None, texts: Sequence[Annotated], reader: Reader) -> list[Found]:
    read = _events_of(spacy_model, texts, reader)
    return [_found([mention for event in events for mention in event.mentions]) for events in read]


def _found(mentions: Iterable[EventMention]) -> Found:
    objects: dict[int, set[str]] = defaultdict(set)
    tools: set[str] = set()
    for mention in mentions:
        objects[mention.start].add(singular(mention.action.object.rsplit(" ", 1)[-1]))
        tools.update(singular(tool.lemma.rsplit(" ", 1)[-1]) for tool in mention.tools if not tool.inferred)
    return Found(
        {start: frozenset(heads) for start, heads in objects.items()},
        frozenset(tool for tool in tools if not _is_no_tool(tool)),
    )


_OWN: Mapping[str, tuple[frozenset[str], frozenset[str], frozenset[str]]] = {
    "wikihow-fg": (frozenset({"Ae", "Ae2", "Ai"}), frozenset({"T"}), frozenset({"I Targ", "T Targ"})),
    "easdrl": (frozenset({"action"}), frozenset(), frozenset({"object"})),
    "wet-lab": (
        frozenset({"Action"}),
        frozenset({"Device"}),
        frozenset({"Reagent Acts-on", "Device Acts-on", "Location Acts-on"}),
    ),
}
"""Set -> its labels of actions, tools and objects."""
_LEAST = 0.5


def _of_layer(name: str, texts: Sequence[Annotated], reader: Reader) -> list[Found]:
    """What the layer of the set says, by the words that it was trained on."""
    from kgscripts.reproductions.reader.gold import words_of_lines

    actions, tools, objects = _OWN[name]
    words = [words_of_lines(text.text) for text in texts]
    titled = [ReaderText(text.title, words_of_text.sentences) for text, words_of_text in zip(texts, words, strict=True)]
    readings = reader.read(titled, name)
    answers = []
    for words_of_text, reading in zip(words, readings, strict=True):
        named = [word for sentence in words_of_text.sentences for word in sentence]
        events: dict[int, frozenset[str]] = {}
        used = set()
        for event in reading.events:
            if sum(event.labels[label] for label in actions) >= _LEAST:
                things = (thing for thing in event.parts(_LEAST) if thing.label in objects)
                events[words_of_text.starts[event.word]] = frozenset(_head(named[thing.word]) for thing in things)
            if sum(event.labels[label] for label in tools) >= _LEAST:
                used.add(_head(named[event.word]))
        answers.append(Found(events, frozenset(tool for tool in used if not _is_no_tool(tool))))
    return answers


def _processes(folder: Path, spacy_model: str | None, reader: Reader) -> Evaluation:
    """The scores of PET."""
    records = [json.loads(line) for line in (folder / PET).read_text(encoding="utf-8").splitlines()]
    gold = {record["id"]: _activities(record["mentions"]) for record in records}
    answers: dict[str, dict[str, Counter[str]]] = defaultdict(dict)
    if (folder / ANSWERS).is_file():
        for line in (folder / ANSWERS).read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)
            answers[answer["model"]][answer["id"]] = _activities(answer["mentions"])
    # PET has no scheme of spans; that of any set does, since only its texts are read here.
    texts = [_annotated({**record, "set": "myfixit"}) for record in records]
    read = _events_of(spacy_model, texts, reader)
    extracted = {
        text.id: Counter(event.frame.verb.lower_ for event in events if event.mentions)
        for text, events in zip(texts, read, strict=True)
    }
    systems = [System(name=EXTRACTOR, source=EXTRACTOR, figures=shares(_activity_scores(gold, extracted)))]
    systems += [
        System(
            name=name, role=Role.BASELINE, figures=shares(_activity_scores(gold, answered)), remark="released answers"
        )
        for name, answered in answers.items()
    ]
    size = {"texts": len(gold), "activities": sum(each.total() for each in gold.values())}
    return Evaluation(task="procedures", dataset="pet", split=ALL, exposure=_EXPOSURE, items=size, systems=systems)


def _activities(mentions: Iterable[Sequence[Any]]) -> Counter[str]:
    """The first words of activities."""
    return Counter(named[1].lower().split()[0] for named in mentions if named[0].lower() == "activity")


def _activity_scores(gold: Mapping[str, Counter[str]], answers: Mapping[str, Counter[str]]) -> dict[str, float]:
    right = sum((expected & answers.get(id, Counter())).total() for id, expected in gold.items())
    return {
        "activity recall": right / max(1, sum(each.total() for each in gold.values())),
        "activity precision": right / max(1, sum(each.total() for each in answers.values())),
    }
