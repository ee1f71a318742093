"""Evaluation of the reader on labelled passages: ``data/reader.unseen.txt``, or a file of the same form.

Words are compared by their place. *Event* counts predicates, whatever their reality; *happens* those that enter a
graph; *reality* is the share of the events found that have the right one. *Role* counts pairs of an event and a thing
with its role, *pronoun* the nouns that pronouns and left-out objects stand for, *place before* the places where work
goes on; *needed* and *condition* count words. The calibration error of an event is the mean distance of its probability
from the share that is right, over ten bins (Naeini et al. 2015).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from attrs import field, frozen

from kgscripts.evaluation.calibration import calibration
from kgscripts.evaluation.counting import Matches, named
from kgscripts.evaluation.lists import list_path
from kgscripts.evaluation.result import Evaluation, Role, System, shares
from kgscripts.extractors.changes.words import head, noun_phrase
from kgscripts.extractors.events.frames import Thresholds
from kgscripts.models.reader.labels import CONDITION, CONDITIONAL, HAPPENS, NEEDED, PLACE_BEFORE, REFERENT
from kgscripts.models.reader.reader import Reader
from kgscripts.models.reader.readings import ReadEvent, Reading, Thing
from kgscripts.reproductions.reader.gold import LabelledText, labelled_passages
from kgscripts.reproductions.reader.passages import read_passages
from schemas.provenance import Exposure

DATASET = "kgscripts labelled passages"
_LEAST = Thresholds()


@frozen
class _Counts:
    of: Mapping[str, Matches] = field(factory=lambda: defaultdict(Matches))
    reality: Matches = field(factory=Matches)
    probabilities: list[float] = field(factory=list)
    are_events: list[bool] = field(factory=list)

    def add(self, gold: LabelledText, reading: Reading) -> None:
        events = {event.word: event for event in reading.events if event.probability >= _LEAST.event}
        self.of["event"].add(events.keys(), gold.words.keys())
        happening = {word for word, event in events.items() if event.happens >= _LEAST.happens}
        self.of["happens"].add(happening, {word for word, label in gold.words.items() if label in HAPPENS})
        both = {word: event for word, event in events.items() if word in gold.words}
        right = {word for word, event in both.items() if event.label == gold.words[word]}
        self.reality.add(right, both.keys())
        self.probabilities.extend(event.probability for event in reading.events)
        self.are_events.extend(event.word in gold.words for event in reading.events)
        predicted = {
            (word, thing.word, thing.label) for word, event in both.items() for thing in event.parts(_LEAST.role)
        }
        known = {(word, thing, label) for word, event in both.items() for thing, label in gold.pairs[word].items()}
        names = {REFERENT: "pronoun", PLACE_BEFORE: "place before"}
        for name in (*names.values(), "role"):
            self.of[name].add(
                *({pair for pair in pairs if names.get(pair[2], "role") == name} for pairs in (predicted, known))
            )
        for name, shares_of in ((NEEDED, reading.needed), (CONDITION, reading.condition)):
            words = {word for word, share in enumerate(shares_of) if share >= _LEAST.role}
            self.of[name].add(words, set(gold.flags.get(name, ())))

    def values(self) -> dict[str, float]:
        values: dict[str, float] = {}
        for name, matches in self.of.items():
            values |= named(name, matches.scores("precision", "recall")) if matches.gold else {}
        error = calibration(self.probabilities, self.are_events).error
        return {**values, "reality right": self.reality.recall, "event calibration error": error}


def evaluate_agreement() -> Evaluation:
    """The same figures of the second labels of 298 passages that ship, given independently, against the first; and
    precision and recall of the changes of 290 events, a change being an attribute of a thing, by its head.

    Passages whose sentences were mended since are left out.
    """
    folder = Path(str(resources.files("kgscripts.reproductions.reader") / "data"))
    second = {_content(text): text for text in labelled_passages([folder / "second" / "labels.txt"])}
    changed = {_content(text): text for text in labelled_passages([folder / "second" / "changes.txt"])}
    counts, changes = _Counts(), Matches()
    passages = 0
    for gold in labelled_passages(sorted(folder.glob("*.txt"))):
        if (other := changed.get(_content(gold))) is not None:
            changes.add(_changes(other), _changes(gold))
        if (other := second.get(_content(gold))) is not None:
            counts.add(gold, _as_reading(other))
            passages += 1
    figures = {**counts.values(), **named("change", changes.scores("precision", "recall"))}
    return Evaluation(
        task="reader",
        dataset="kgscripts labelled passages, labelled twice",
        split="train",
        exposure=Exposure.DEVELOPMENT,
        items={"passages": passages, "events": counts.of["event"].gold},
        systems=[System(name="second labels", role=Role.BASELINE, figures=shares(figures))],
    )


def _changes(text: LabelledText) -> set[tuple[int, str, str]]:
    return {
        (word, head(noun_phrase(change.thing)), change.attribute)
        for word, changes in text.changes.items()
        for change in changes
    }


def _content(text: LabelledText) -> tuple[str, ...]:
    return (text.text.title, *text.text.all_words)


def _as_reading(text: LabelledText) -> Reading:
    """Labels as what a reader says, without a doubt."""
    events = tuple(
        ReadEvent(
            word=word,
            labels={label: 1.0},
            conditional=float(word in text.flags.get(CONDITIONAL, ())),
            things=tuple(Thing(thing, role, 1.0) for thing, role in text.pairs.get(word, {}).items()),
        )
        for word, label in sorted(text.words.items())
    )
    words = range(text.text.words)
    needed, condition = ([float(word in text.flags.get(flag, ())) for word in words] for flag in (NEEDED, CONDITION))
    return Reading(events, needed, condition)


def evaluate_reader(reader: Reader, name: str, path: Path | None = None) -> Evaluation:
    """The scores described above, by register too, of a reader of this name.

    Raises InputError with the line for what is no labelled passage.
    """
    file = path or list_path("reader.unseen.txt")
    passages, gold = read_passages(file), labelled_passages([file])
    whole, by_register = _Counts(), defaultdict[str, _Counts](_Counts)
    readings: Sequence[Reading] = reader.read([text.text for text in gold])
    for passage, text, reading in zip(passages, gold, readings, strict=True):
        whole.add(text, reading)
        by_register[passage.register].add(text, reading)
    figures = list(shares(whole.values()))
    for register, counts in sorted(by_register.items()):
        if (happens := counts.of["happens"]).gold:
            figures += shares(named("happens", happens.scores("precision", "recall")), part=register)
    return Evaluation(
        task="reader",
        dataset=DATASET if path is None else path.name,
        split="unseen" if path is None else "given",
        exposure=Exposure.UNSEEN if path is None else Exposure.DEVELOPMENT,
        items={"passages": len(gold), "events": whole.of["event"].gold},
        systems=[System(name=name, source=name, figures=figures)],
    )
