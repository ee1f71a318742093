"""Finds the words that a person types in the graph; if they are not there, an error lists similar ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from attrs import define, evolve, field

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.scripts.names import ACTION_PARTS, action_of_row
from kgscripts.text.lexicon import is_tool, role_of
from kgscripts.titles.keys import title_key
from schemas.corrections import NEEDS, NO_SCENARIO, Correction, CorrectionKind, plain_words
from schemas.errors import InputError
from schemas.graph_types import RELATION_TYPES
from schemas.records import Action, Document, EventMention, Passage, PassageKind
from schemas.script_graph import StoredGraph
from schemas.vocabulary import node_id


def read_action(words: str) -> str | None:
    """The label of the action that the extractor `events` reads in the words; None if it reads none or several."""
    text = f"{words[:1].upper()}{words[1:]}."
    passage = Passage(kind=PassageKind.STEP, start=0, end=len(text))
    document = Document(name="words", format="text", text=text, passages=[passage])
    (parses,) = parse_documents([document], None)
    (records,) = EXTRACTORS.open("events").read([ParsedDocument(document, tuple(parses))])
    labels = [plain_words(record.action.label) for record in records if isinstance(record, EventMention)]
    return labels[0] if len(labels) == 1 else None


_ARTICLES = re.compile(r"\b(?:the|an?|my|your|his|her|our|their|some) ")
_MOST_NEAR = 5


def _loosely(correction: Correction) -> tuple[str, ...]:
    """The key of a correction; it does not depend on articles or on the name that is used for the scenario."""
    kind, *words = correction.key
    names = (title_key(word) or plain_words(word) if word == correction.scenario else word for word in words)
    found = [_ARTICLES.sub("", name) for name in names]
    # Of two that are linked, either may come first.
    return (kind, *(sorted(found) if kind in ("step", "thing") else found))


def _renamed(correction: Correction, known: Correction) -> Correction:
    """The correction, with the words of a known correction of the same thing."""
    if correction.kind is CorrectionKind.SAME_THING:
        return correction
    names = ["step", "other", "thing"]
    if correction.kind is not CorrectionKind.ABOUT:
        names.append("scenario")
    return evolve(correction, **{name: getattr(known, name) for name in names})


@define(slots=False)
class GraphWords:
    """The words of a graph. `corrections` are those of the graph: what they reject or rename can still be named."""

    graph: StoredGraph
    corrections: Sequence[Correction] = ()
    _steps: dict[str, _Steps] = field(factory=dict, init=False)

    def of_correction(self, correction: Correction) -> Correction:
        """The correction with the words of the graph.

        Raises
        ------
        InputError
            If something is not in the graph, or could be several steps.
        """
        for known in self.corrections:
            if _loosely(known) == _loosely(correction):
                return _renamed(correction, known)
        changes: dict[str, str] = {}
        if correction.kind is CorrectionKind.ABOUT:
            changes["scenario"] = self._given_scenario(correction.scenario)
        elif correction.relation == NEEDS:
            changes |= self._need(correction)
        elif correction.scenario:
            scenario = self._scenario(correction.scenario)
            changes["scenario"] = scenario["label"]
            steps = self._steps_of(scenario)
            is_new = correction.kind is CorrectionKind.ADD
            changes["step"] = (
                steps.find_or_name(correction.step)
                if is_new and not correction.relation
                else steps.find(correction.step)
            )
            if correction.kind in (CorrectionKind.SAME_STEP, CorrectionKind.DIFFERENT_STEP):
                changes["other"] = steps.find(correction.other)
            elif is_new and correction.relation in ("USES", "CHANGES"):
                changes["other"] = _ARTICLES.sub("", correction.other)
            elif correction.relation:
                changes["other"] = self._end(correction.relation, steps, changes["step"], correction.other)
        if correction.kind is CorrectionKind.SAME_THING:
            self._thing(("Tool", "Entity"), correction.other)
        elif correction.kind is CorrectionKind.TOOL_ROLE:
            self._thing(("Tool",), correction.thing)
        found: Correction = evolve(correction, **changes)  # type: ignore[arg-type]
        if correction.withdrawn and found.key not in [known.key for known in self.corrections]:
            words = correction.step or correction.thing or correction.other
            raise InputError(
                f"there is no such correction to withdraw ({correction.kind} {words})",
                remedy="`kgscripts correct DIR --list` prints the corrections",
            )
        return found

    def _scenario(self, name: str) -> dict[str, Any]:
        found = self.graph.select("Scenario", ["id", "label", "alternative_labels"])
        rows: list[dict[str, Any]] = found.to_pylist()
        wanted = plain_words(name)
        for row in rows:
            if wanted in map(plain_words, (row["label"], *row["alternative_labels"])):
                return row
        key = title_key(name)
        for row in rows:
            if key and key == title_key(row["label"]):
                return row
        raise unknown(f"there is no scenario {name!r}", name, [row["label"] for row in rows])

    def _given_scenario(self, name: str) -> str:
        """The name of the scenario of a text: that of the graph, of the list, or as it is."""
        if name in ("", NO_SCENARIO):
            return name
        try:
            return str(self._scenario(name)["label"])
        except InputError:
            return resolve(name)

    def _steps_of(self, scenario: dict[str, Any]) -> _Steps:
        identifier = scenario["id"]
        if identifier not in self._steps:
            self._steps[identifier] = _Steps(self.graph, identifier, scenario["label"])
        return self._steps[identifier]

    def _end(self, relation: str, steps: _Steps, step: str, words: str) -> str:
        if relation == "CLOSE_MATCH":
            return plain_words(self._scenario(words)["label"])
        ((_, end),) = RELATION_TYPES[relation].ends
        if end == "SubEvent":
            return steps.find(words)
        starts = steps.ids_of(step)
        ends = self.graph.select(relation, ["to_id"], {"from_id": starts})["to_id"]
        labels = self.graph.select(end, ["label"], {"id": ends})["label"].to_pylist()
        if words not in map(plain_words, labels):
            raise unknown(f"{step!r} has no {relation} {words!r}", words, labels)
        return words

    def _need(self, correction: Correction) -> dict[str, str]:
        """The words of a need; what is added without a role gets one if it is a tool by its name."""
        scenario = self._scenario(correction.scenario)
        other, role = _ARTICLES.sub("", correction.other), correction.role
        if correction.kind is CorrectionKind.REJECT:
            ends = self.graph.select(NEEDS, ["to_id"], {"from_id": [scenario["id"]]})["to_id"]
            labels = [
                label
                for kind in ("Tool", "Entity")
                for label in self.graph.select(kind, ["label"], {"id": ends})["label"].to_pylist()
            ]
            if other not in map(plain_words, labels) and not correction.withdrawn:
                raise unknown(f"{scenario['label']!r} does not need {other!r}", other, labels)
        elif not role and not correction.withdrawn and is_tool(other):
            role = role_of(other).value
        return {"scenario": scenario["label"], "other": other, "role": role}

    def _thing(self, types: Iterable[str], name: str) -> None:
        labels = [label for kind in types for label in self.graph.select(kind, ["label"])["label"].to_pylist()]
        if name not in map(plain_words, labels):
            raise unknown(f"there is no {' or '.join(map(str.lower, types))} {name!r}", name, labels)


@define(slots=False)
class _Steps:
    """The steps of a scenario with their actions."""

    graph: StoredGraph
    scenario: str
    label: str

    @cached_property
    def _labels(self) -> dict[str, str]:
        """The label of each step by its id."""
        rows = self.graph.select("SubEvent", ["id", "label"], {"scenario": self.scenario}).to_pylist()
        return {row["id"]: row["label"] for row in rows}

    @cached_property
    def _names(self) -> dict[str, tuple[str, str]]:
        """The label of each step, and the one that `show` prints, by its id."""
        return self.graph.names("SubEvent", self._labels)

    @cached_property
    def _actions(self) -> list[tuple[str, Action]]:
        """Each action with its step."""
        found = self.graph.select("EXPRESSED_AS", ["from_id", "to_id"], {"from_id": self._labels})
        pairs = found.to_pylist()
        rows = self.graph.select("Action", ["id", *ACTION_PARTS], {"id": found["to_id"]}).to_pylist()
        actions = {row["id"]: action_of_row(row) for row in rows}
        return [(pair["from_id"], actions[pair["to_id"]]) for pair in pairs if pair["to_id"] in actions]

    def ids_of(self, label: str) -> set[str]:
        """The steps that have this action."""
        return {step for step, action in self._actions if plain_words(action.label) == label}

    def find(self, words: str) -> str:
        """The label of the action that the words name; they are those of an action, or the label of a step.

        Raises
        ------
        InputError
            If there is none, or several steps are meant.
        """
        ways: tuple[Callable[[str], Collection[str]], ...] = (self._by_action, self._by_label, self._by_head)
        for typed in dict.fromkeys((words, _ARTICLES.sub("", words))):
            for way in ways:
                found = sorted(way(typed))
                if len(found) == 1:
                    return found[0]
                if found:
                    raise InputError(
                        f"{words!r} could be {len(found)} steps of {self.label!r}",
                        remedy=f"name one of them: {', '.join(found[:_MOST_NEAR])}",
                    )
        every = [*self._labels.values(), *(action.label for _, action in self._actions)]
        raise unknown(f"{self.label!r} has no step {words!r}", words, every)

    def find_or_name(self, words: str) -> str:
        """The label of the action of a step that the words name, or else of the action that a text with these words
        would give, or else the words without articles.
        """
        plain = _ARTICLES.sub("", words)
        for typed in dict.fromkeys((words, plain)):
            if found := self._by_action(typed) or self._by_label(typed):
                return min(found)
        return read_action(words) or plain

    def _by_action(self, words: str) -> set[str]:
        return {words for _, action in self._actions if plain_words(action.label) == words}

    def _by_label(self, words: str) -> set[str]:
        return {self._leader(step) for step, both in self._names.items() if words in map(plain_words, both)}

    def _by_head(self, words: str) -> set[str]:
        """The leading actions of the steps of which an action has this predicate, particle and object."""
        heads = {step for step, action in self._actions if plain_words(" ".join(filter(None, action.key[:3]))) == words}
        return {self._leader(step) for step in heads}

    def _leader(self, step: str) -> str:
        """The action from which the step has its id."""
        actions = sorted((action.label, action) for owner, action in self._actions if owner == step)
        leading = (label for label, action in actions if node_id("SubEvent", label, self.scenario, *action.key) == step)
        return plain_words(next(leading, actions[0][0]))


def unknown(message: str, words: str, labels: Iterable[str]) -> InputError:
    """The error that says what is not there, with the labels that are similar to the words."""
    known = sorted({plain_words(label): label for label in labels}.items())
    near = get_close_matches(plain_words(words), [key for key, _ in known], _MOST_NEAR, 0.5)
    shared = [key for key, _ in known if set(key.split()) & set(words.lower().split())]
    names = dict(known)
    listed = list(dict.fromkeys([*near, *shared]))[:_MOST_NEAR]
    return InputError(
        message,
        remedy=f"near ones are: {', '.join(names[key] for key in listed)}" if listed else "check the spelling",
    )
