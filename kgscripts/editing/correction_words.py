"""Finds the words that a person types in the graph; if they are not there, an error lists similar ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from attrs import define, evolve, field

from kgscripts.assembly.tables.words import label_of, leading_names
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.scripts.names import ACTION_PARTS, action_of_row
from kgscripts.text.lexicon import is_tool, role_of
from kgscripts.titles.keys import title_key
from schemas.corrections import (
    NEEDS,
    NO_SCENARIO,
    OF_SCENARIOS,
    OF_STEPS,
    OF_THINGS,
    Correction,
    CorrectionKind,
    plain_words,
)
from schemas.errors import InputError
from schemas.graph_types import RELATION_TYPES
from schemas.records import Action
from schemas.script_graph import StoredGraph
from schemas.vocabulary import node_id

_ARTICLES = re.compile(r"\b(?:the|an?|my|your|his|her|our|their|some) ")
_MOST_NEAR = 5
_SHOW = "`kgscripts show DIR` lists the scenarios"
_Form = Callable[[str], str]
_Way = Callable[[_Form, str], Collection[str]]


def without_articles(words: str) -> str:
    """Words as they are compared, without articles."""
    return _ARTICLES.sub("", plain_words(words))


def _activity(name: str) -> str:
    """What all names of an activity have in common."""
    return title_key(name) or plain_words(name)


def _loose(words: str, of: Correction) -> str:
    """The form in which words of the correction `of` are found among other corrections: articles, plurals and the name
    that is used for a scenario do not matter."""
    if words == of.scenario or of.kind in OF_SCENARIOS:
        return _activity(words)
    return (
        without_articles(words)
        if of.kind is CorrectionKind.ABOUT or not words
        else label_of(without_articles(words) or words)
    )


def _loosely(correction: Correction) -> tuple[str, ...]:
    """The key of a correction in loose words."""
    kind, *words = correction.key
    loose = [_loose(word, correction) for word in words]
    # Of two that are linked, either may come first.
    return (kind, *(sorted(loose) if kind in ("step", "thing", "scenario") else loose))


def _renamed(correction: Correction, known: Correction) -> Correction:
    """The correction, with the words of a known correction of the same thing."""
    column = "thing" if correction.kind in OF_THINGS else "scenario"
    if column == "thing" or (correction.kind in OF_SCENARIOS and correction.other):
        one, other = getattr(known, column), known.other
        if _loose(getattr(correction, column), correction) != _loose(one, known):
            one, other = other, one  # the first name is the one that counts
        return evolve(correction, **{column: one, "other": other})
    names = ["step", "other", "thing"]
    if correction.kind is not CorrectionKind.ABOUT:
        names.append("scenario")
    return evolve(correction, **{name: getattr(known, name) for name in names})


@define(slots=False)
class GraphWords:
    """The words of a graph. `corrections` are those of the graph: what they reject or rename can still be named.

    `taken` has the words that name something by other words of it, with these.
    """

    graph: StoredGraph
    corrections: Sequence[Correction] = ()
    taken: dict[str, str] = field(factory=dict, init=False)
    _steps: dict[str, _Steps] = field(factory=dict, init=False)

    def of_correction(self, correction: Correction) -> Correction:
        """The correction with the words of the graph.

        Raises
        ------
        InputError
            If something is not in the graph, or could be several steps.
        """
        if correction.kind is not CorrectionKind.ABOUT and correction.kind not in OF_SCENARIOS:
            correction = evolve(correction, scenario=self._told(correction.scenario, correction.scenario))
        wanted = _loosely(correction)
        for known in self.corrections:
            if _loosely(known) == wanted:
                result = _renamed(correction, known)
                is_step = result.kind is CorrectionKind.ADD and not (result.relation or result.withdrawn or result.name)
                if is_step and (known.name or not self._steps_of(self._scenario(result.scenario)).ids_of(result.step)):
                    result = evolve(result, name=known.name if result.step == correction.step else correction.step)
                return result
        changes: dict[str, str] = {}
        if correction.kind is CorrectionKind.ABOUT:
            changes["scenario"] = self._given_scenario(correction.scenario)
        elif correction.kind in OF_SCENARIOS:
            changes |= self._of_scenarios(correction)
        elif correction.relation == NEEDS:
            changes |= self._need(correction)
        elif correction.scenario:
            scenario = self._scenario(correction.scenario)
            changes["scenario"] = scenario["told"]
            steps = self._steps_of(scenario)
            is_new = correction.kind is CorrectionKind.ADD
            if is_new and not correction.relation:
                changes |= steps.find_or_name(correction)
            else:
                changes["step"] = steps.find(correction.step)
            if correction.kind in OF_STEPS:
                changes["other"] = steps.find(correction.other)
            elif is_new and correction.relation in ("USES", "CHANGES"):
                changes["other"] = _ARTICLES.sub("", correction.other)
            elif correction.relation:
                changes["other"] = self._end(correction.relation, steps, changes["step"], correction.other)
        if correction.kind in OF_THINGS:
            changes["other"] = self._thing(("Tool", "Entity"), correction.other)
            changes["thing"] = _ARTICLES.sub("", correction.thing)  # it can be a new name
            if not OF_THINGS[correction.kind]:
                changes["thing"] = self._thing(("Tool", "Entity"), correction.thing)
        elif correction.kind is CorrectionKind.TOOL_ROLE:
            changes["thing"] = self._thing(("Tool",), correction.thing)
        result = evolve(correction, **changes)  # type: ignore[arg-type]
        if correction.withdrawn and result.key not in [known.key for known in self.corrections]:
            words = correction.step or correction.thing or correction.other or correction.scenario
            raise InputError(
                f"there is no such correction to withdraw ({correction.kind} {words})",
                remedy="`kgscripts correct DIR --list` prints the corrections",
            )
        return result

    def _scenario(self, name: str) -> dict[str, Any]:
        rows = list(self.graph.rows("Scenario", ["id", "label", "alternative_labels"]))
        wanted, key = plain_words(name), _activity(name)
        ways: tuple[Callable[[dict[str, Any]], bool], ...] = (
            lambda row: wanted == plain_words(row["label"]),
            lambda row: wanted in map(plain_words, row["alternative_labels"]),
            lambda row: key == _activity(row["label"]),
        )
        for way in ways:
            if scenario := next(filter(way, rows), None):
                names = {item.name: item.scenario for item in self.corrections if item.kind in OF_SCENARIOS}
                # The name without corrections, so that the correction stays right if the other name is withdrawn.
                return scenario | {"told": names.get(scenario["label"], scenario["label"])}
        raise unknown(f"there is no scenario {name!r}", name, [row["label"] for row in rows])

    def _of_scenarios(self, correction: Correction) -> dict[str, str]:
        """The names of a correction that links scenarios."""
        one = self._scenario(correction.scenario)
        if correction.other:
            other = self._scenario(correction.other)
            if other["id"] == one["id"] and not correction.withdrawn:
                raise InputError(f"{correction.scenario!r} and {correction.other!r} name one scenario", remedy=_SHOW)
            return {"scenario": one["told"], "other": other["told"]}
        key = _activity(correction.name)
        for row in self.graph.rows("Scenario", ["id", "label"]) if correction.name else ():
            if row["id"] != one["id"] and key == _activity(row["label"]):
                raise InputError(
                    f"there is a scenario {row['label']!r} already",
                    remedy=f'join both: kgscripts correct DIR same-scenario "{row["label"]}" "{one["label"]}"',
                )
        return {"scenario": one["told"]}

    def _given_scenario(self, name: str) -> str:
        """The name of the scenario of a text: that of the graph, of the list, or as it is."""
        if name in ("", NO_SCENARIO):
            return name
        return self._told(name) or resolve(name)

    def _told(self, name: str, otherwise: str = "") -> str:
        """The name of a scenario of the graph without corrections."""
        try:
            return str(self._scenario(name)["told"])
        except InputError:
            return otherwise

    def _steps_of(self, scenario: dict[str, Any]) -> _Steps:
        identifier = scenario["id"]
        if identifier not in self._steps:
            self._steps[identifier] = _Steps(self.graph, identifier, scenario["label"], self.taken)
        return self._steps[identifier]

    def _end(self, relation: str, steps: _Steps, step: str, words: str) -> str:
        if relation == "CLOSE_MATCH":
            return plain_words(self._scenario(words)["told"])
        ((_, end),) = RELATION_TYPES[relation].ends
        if end == "SubEvent":
            return steps.find(words)
        starts = steps.ids_of(step)
        ends = self.graph.select(relation, ["to_id"], {"from_id": starts})["to_id"]
        return _among(self.graph.labels(end, ends).values(), words, f"{step!r} has no {relation} {words!r}")

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
            if not correction.withdrawn:
                other = _among(labels, correction.other, f"{scenario['label']!r} does not need {other!r}")
        elif not role and not correction.withdrawn and is_tool(other):
            role = role_of(other).value
        return {"scenario": scenario["told"], "other": other, "role": role}

    def _thing(self, types: Iterable[str], name: str) -> str:
        """The name of a thing in the graph, or one that a correction joined with another."""
        labels = [label for kind in types for label in self.graph.labels(kind).values()]
        joined = leading_names([item for item in self.corrections if not item.withdrawn])
        return _among([*labels, *joined], name, f"there is no {' or '.join(map(str.lower, types))} {name!r}")


def _among(labels: Iterable[str], words: str, message: str) -> str:
    """The label that the words name, with or without articles; else the error with this message."""
    labels = list(labels)
    known = set(map(plain_words, labels))
    for typed in (words, _ARTICLES.sub("", words)):
        if typed in known:
            return typed
    raise unknown(message, words, labels)


@define(slots=False)
class _Steps:
    """The steps of a scenario with their actions. Finding adds to `taken` what is taken instead of given words."""

    graph: StoredGraph
    scenario: str
    label: str
    taken: dict[str, str] = field(factory=dict)

    @cached_property
    def _labels(self) -> dict[str, str]:
        """The label of each step by its id."""
        return {step: label for step, (label, *_) in self._names.items()}

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        """By the id of each step all names that `show` prints of it, its label first."""
        columns = ("id", "label", "label_text", "wordings")
        rows = self.graph.rows("SubEvent", columns, {"scenario": self.scenario})
        return {row["id"]: (row["label"], row["label_text"], *(row["wordings"] or ())) for row in rows}

    @cached_property
    def _actions(self) -> list[tuple[str, Action, str]]:
        """Each action with its step, and as a person would write it."""
        pairs = self.graph.select("EXPRESSED_AS", ["from_id", "to_id"], {"from_id": self._names})
        rows = self.graph.rows("Action", ["id", "label_text", *ACTION_PARTS], {"id": pairs["to_id"]})
        actions = {row["id"]: (action_of_row(row), row["label_text"]) for row in rows}
        return [(pair["from_id"], *actions[pair["to_id"]]) for pair in pairs.to_pylist() if pair["to_id"] in actions]

    def ids_of(self, label: str) -> set[str]:
        """The steps that have this action."""
        return {step for step, action, _ in self._actions if plain_words(action.label) == label}

    def find(self, words: str) -> str:
        """The label of the action that the words name; they are those of an action, or a name of a step.

        Raises
        ------
        InputError
            If there is none, or several steps are meant.
        """
        if label := self._named(words, (self._by_action, self._by_text, self._by_name, self._by_head)):
            if without_articles(words) not in {without_articles(name) for name in self._names_of(label)}:
                self.taken[words] = label
            return label
        every = [*self._labels.values(), *(action.label for _, action, _ in self._actions)]
        raise unknown(f"{self.label!r} has no step {words!r}", words, every)

    def find_or_name(self, correction: Correction) -> dict[str, str]:
        """The `step` of a correction that adds one: the label of the action that its words name, or of the one that a
        text with these words would give. A new step is shown in the words that are given, its `name`.
        """
        words = correction.step
        if named := self._named(words, (self._by_action, self._by_text, self._by_name)):
            return {"step": named}
        label = label_of(without_articles(words))
        is_known = correction.withdrawn or self.ids_of(label)
        return {"step": label, "name": correction.name or ("" if is_known or label == words else words)}

    def _named(self, words: str, ways: Iterable[_Way]) -> str | None:
        """The action that the first of the ways finds, with or without articles."""
        for form in (plain_words, without_articles):
            for way in ways:
                labels = sorted(way(form, form(words)))
                if len(labels) > 1:
                    raise InputError(
                        f"{words!r} could be {len(labels)} steps of {self.label!r}",
                        remedy=f"name one of them: {', '.join(labels[:_MOST_NEAR])}",
                    )
                if labels:
                    return labels[0]
        return None

    def _by_action(self, form: _Form, words: str) -> set[str]:
        return {plain_words(action.label) for _, action, _ in self._actions if form(action.label) == words}

    def _by_text(self, form: _Form, words: str) -> set[str]:
        return {plain_words(action.label) for _, action, text in self._actions if form(text) == words}

    def _by_name(self, form: _Form, words: str) -> set[str]:
        return {self._naming(step) for step, names in self._names.items() if words in map(form, names)}

    def _by_head(self, form: _Form, words: str) -> set[str]:
        """The leading actions of the steps of which an action has this predicate, particle and object."""
        return {self._leader(step) for step, action, _ in self._actions if form(_head(action)) == words}

    def _names_of(self, label: str) -> Iterator[str]:
        """The names of an action: its label, its text, and the name of a step that is called so."""
        for step, action, text in self._actions:
            if plain_words(action.label) == label:
                yield from (label, text)
                if self._naming(step) == label:
                    yield from self._names[step][:2]

    def _naming(self, step: str) -> str:
        """The action from which the step has its label; of a step with another label, the one from which it has its
        id."""
        named = self._labels[step]
        labels = sorted(action.label for owner, action, _ in self._actions if owner == step and action.label == named)
        return plain_words(labels[0]) if labels else self._leader(step)

    def _leader(self, step: str) -> str:
        """The action from which the step has its id."""
        actions = sorted((action.label, action) for owner, action, _ in self._actions if owner == step)
        leading = (label for label, action in actions if node_id("SubEvent", label, self.scenario, *action.key) == step)
        return plain_words(next(leading, actions[0][0]))


def _head(action: Action) -> str:
    """Predicate, particle and object."""
    return " ".join(filter(None, action.key[:3]))


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
