"""The texts themselves: one pass over all records writes their tables and gathers what is to be counted."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from attrs import define, field

from kgscripts.assembly.columns import Lists, lists
from kgscripts.assembly.names import Integers, Numbering
from kgscripts.assembly.passages import Span, parents, passage_id
from kgscripts.assembly.shards import ACTION_PARTS
from kgscripts.assembly.store import RecordStore
from kgscripts.corpora.scenarios import is_listed, scenario_of
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind, Role
from schemas.script_graph import ScriptGraphWriter
from schemas.tables import table_schema
from schemas.vocabulary import node_id

_MENTION = PassageKind.MENTION.value
ROLES = tuple(sorted(role.value for role in Role))
_ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}


def _integers() -> array[int]:
    return array("q")


@define
class Decompositions:
    """The concrete steps of abstract events, one row a step; rows of tools point to the row of their step."""

    abstract: array[int] = field(factory=_integers)
    """Mention of the abstract event."""
    concrete: array[int] = field(factory=_integers)
    """Mention of the step."""
    extractor: array[int] = field(factory=_integers)
    position: array[float] = field(factory=lambda: array("d"))
    """Relative position among the steps of the abstract event: 0 first, 1 last."""
    log_probability: array[float] = field(factory=lambda: array("d"))
    tool_step: array[int] = field(factory=_integers)
    tool_tool: array[int] = field(factory=_integers)


@define
class Instances:
    """What the texts hold, as numbers: of sources and mention passages by ascending id, of names as they came.

    Lists of one length belong together; `participant_mention` and `tool_mention` count mentions.
    """

    sources: list[dict[str, Any]] = field(factory=list)
    """Rows of the table Source, without order; number = place in this list."""
    source_scenario: array[int] = field(factory=_integers)
    """Number of the scenario, or -1."""
    passages: list[str] = field(factory=list)
    """Ids of the mention passages, ascending."""
    scenarios: Numbering[str] = field(factory=Numbering)
    actions: Numbering[tuple[str, ...]] = field(factory=Numbering)
    entities: Numbering[str] = field(factory=Numbering)
    tools: Numbering[str] = field(factory=Numbering)
    extractors: Numbering[tuple[str, int]] = field(factory=Numbering)
    """Digest of the reader and place of the extractor in it."""
    mention_source: array[int] = field(factory=_integers)
    mention_action: array[int] = field(factory=_integers)
    mention_passage: array[int] = field(factory=_integers)
    mention_extractor: array[int] = field(factory=_integers)
    mention_position: array[float] = field(factory=lambda: array("d"))
    """Relative position in its source: 0 first, 1 last."""
    mention_score: array[float] = field(factory=lambda: array("d"))
    participant_mention: array[int] = field(factory=_integers)
    participant_entity: array[int] = field(factory=_integers)
    participant_role: array[int] = field(factory=_integers)
    tool_mention: array[int] = field(factory=_integers)
    tool_tool: array[int] = field(factory=_integers)
    steps: Decompositions = field(factory=Decompositions)


def integers(values: array[int]) -> Integers:
    """The same numbers for NumPy."""
    return np.frombuffer(values, np.int64) if values else np.empty(0, np.int64)


def numbers(values: array[float]) -> npt.NDArray[np.float64]:
    """The same numbers for NumPy."""
    return np.frombuffer(values, np.float64) if values else np.empty(0, np.float64)


def write_instances(
    store: RecordStore, writer: ScriptGraphWriter, names: dict[str, str], discard: Callable[[Discard], None]
) -> Instances:
    """Write Passage, WITHIN and NEXT, hand every discard of a source to `discard`, and gather the rest."""
    found = Instances()
    with ExitStack() as stack:
        write = {name: stack.enter_context(writer.table(name)) for name in ("Passage", "WITHIN", "NEXT")}
        for batch in store.batches():
            rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in write}
            _Batch(batch).read_into(found, names, rows, discard)
            for name, tuples in rows.items():
                schema = table_schema(name)
                columns = zip(*tuples, strict=True) if tuples else [[] for _ in schema]
                arrays = [pa.array(column, item.type) for column, item in zip(columns, schema, strict=True)]
                write[name](pa.RecordBatch.from_arrays(arrays, schema=schema))
    return found


class _Batch:
    """A batch of records, taken apart."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._plain = {name: batch[name].to_pylist() for name in ("digest", "reader", "format", "title", "scenario")}
        self._texts: list[str] = batch["text"].to_pylist()
        self._passages = lists(batch["passages"])
        self._sentences = lists(batch["sentences"])
        self._events = lists(batch["events"])
        self._discards = lists(batch["discards"])
        self._decompositions = lists(batch["decompositions"])
        self._action_parts = list(zip(*(self._events.fields[part] for part in ACTION_PARTS), strict=True))

    def read_into(
        self,
        found: Instances,
        names: dict[str, str],
        rows: dict[str, list[tuple[Any, ...]]],
        discard: Callable[[Discard], None],
    ) -> None:
        """Take in every source of the batch."""
        for row, digest in enumerate(self._plain["digest"]):
            name = names[digest]
            source = self._source(found, row, name)
            mentions = _spans(self._events, row, _MENTION)
            within = parents({*_spans(self._passages, row), *_spans(self._sentences, row), *mentions})
            ids = {span: passage_id(digest, span) for span in within}
            first = len(found.passages)
            places: dict[Span, int] = {}
            for span, identifier in sorted(ids.items(), key=lambda item: item[1]):
                start, end, kind = span
                rows["Passage"].append((identifier, kind, start, end, self._texts[row][start:end], source))
                outer = within[span]
                rows["WITHIN"].append((identifier, source if outer is None else ids[outer]))
                if kind == _MENTION:
                    places[span] = first + len(places)
                    found.passages.append(identifier)
            told = [ids[span] for span in dict.fromkeys(mentions)]
            rows["NEXT"] += sorted(pairwise(told))
            first_mention = len(found.mention_source)
            self._mentions(found, row, [places[span] for span in mentions])
            self._steps(found, row, first_mention)
            for i in self._discards.rows(row):
                fields = {field: values[i] for field, values in self._discards.fields.items()}
                discard(Discard(**fields | {"where": name}))
            label = self._plain["scenario"][row]
            if label and not is_listed(label):
                discard(Discard(reason=DiscardReason.UNKNOWN_SCENARIO, where=name, detail=f"{label}; kept as it is"))

    def _source(self, found: Instances, row: int, name: str) -> str:
        """Take in a source's own row; its id."""
        plain = {key: values[row] for key, values in self._plain.items()}
        document = Document(
            name=name,
            format=plain["format"],
            text=self._texts[row],
            title=plain["title"],
            scenario=plain["scenario"],
            passages=[Passage(kind=kind, start=start, end=end) for start, end, kind in _spans(self._passages, row)],
        )
        scenario = scenario_of(document)
        identifier = node_id("Source", document.title or scenario, plain["digest"])
        found.source_scenario.append(found.scenarios.number(scenario) if scenario else -1)
        found.sources.append(
            {
                "id": identifier,
                "name": name,
                "digest": plain["digest"],
                "title": document.title or None,
                "scenario_label": document.scenario or None,
                "format": document.format,
                "characters": len(document.text),
            }
        )
        return identifier

    def _mentions(self, found: Instances, row: int, passages: list[int]) -> None:
        events = self._events.rows(row)
        fields = self._events.fields
        participants, tools = fields["participants"], fields["tools"]
        reader = self._plain["reader"][row]
        source = len(found.sources) - 1
        last = max(1, len(events) - 1)
        for place, i in enumerate(events):
            mention = len(found.mention_source)
            found.mention_source.append(source)
            found.mention_action.append(found.actions.number(self._action_parts[i]))
            found.mention_passage.append(passages[place])
            found.mention_extractor.append(found.extractors.number((reader, fields["extractor"][i])))
            found.mention_position.append(place / last)
            found.mention_score.append(fields["score"][i])
            for j in participants.rows(i):
                found.participant_mention.append(mention)
                found.participant_entity.append(found.entities.number(participants.fields["lemma"][j]))
                found.participant_role.append(_ROLE_NUMBERS[participants.fields["role"][j]])
            for j in tools.rows(i):
                found.tool_mention.append(mention)
                found.tool_tool.append(found.tools.number(tools.fields["lemma"][j]))

    def _steps(self, found: Instances, row: int, first_mention: int) -> None:
        """Take in the decompositions of a source whose mentions are numbered from `first_mention`."""
        fields = self._decompositions.fields
        steps = fields["steps"]
        tools = steps.fields["tools"]
        reader = self._plain["reader"][row]
        for i in self._decompositions.rows(row):
            extractor = found.extractors.number((reader, fields["extractor"][i]))
            within = steps.rows(i)
            last = max(1, len(within) - 1)
            for place, j in enumerate(within):
                for k in tools.rows(j):
                    found.steps.tool_step.append(len(found.steps.abstract))
                    found.steps.tool_tool.append(found.tools.number(tools.fields["lemma"][k]))
                found.steps.abstract.append(first_mention + fields["event"][i])
                found.steps.concrete.append(first_mention + steps.fields["event"][j])
                found.steps.extractor.append(extractor)
                found.steps.position.append(place / last)
                found.steps.log_probability.append(steps.fields["log_probability"][j])


def _spans(column: Lists, row: int, kind: str | None = None) -> list[Span]:
    fields = column.fields
    return [(fields["start"][i], fields["end"][i], kind or fields["kind"][i]) for i in column.rows(row)]
