"""Evaluation of merged steps on actions of recipes that people aligned (Donatelli et al. 2021).

The dish is the scenario. Its recipes are read as plain texts. The steps of an action are those of the shortest mention
that holds its first token: a mention of several actions ("add salt and pepper") can have several steps. A pair is an
action of the first recipe that the annotators judged, and an action of the second one:

- *recall*: the share of the aligned pairs that are in one step; an action that no mention holds counts against it;
- *precision*: the share of the pairs in one step that are aligned;
- *answers that are right*: of the judged actions whose step has an action of the second recipe, the share whose step
  has the aligned one. An action is aligned with one action at most, also where the other recipe repeats a step:
  precision counts the other pairs as wrong, this share does not. It is large if everything is merged.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from kgscripts.corpora.ara import Dish
from kgscripts.corpora.recipe_flow import TaggedPhrase
from kgscripts.evaluation.counting import Matches
from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, shares
from kgscripts.evaluation.steps.gold import ReadStep, read_events
from kgscripts.evaluation.steps.rules import GRAPH, MERGED, action_rules
from kgscripts.models.steps.contexts import ActionParts
from kgscripts.models.steps.merger import StepMerger
from schemas.provenance import Exposure

_SHOWN = 50
"""The most characters of an action in an example."""

ARA = "Aligned Recipe Actions"

_Token = tuple[str, int]
"""The name of a recipe and the number of a token."""


@frozen
class _Counts:
    """Pairs of actions in one step, against aligned ones; and judged actions with a pair, against those aligned."""

    pairs: Matches = field(factory=Matches)
    actions: Matches = field(factory=Matches)

    def figures(self, part: str = "") -> tuple[Figure, ...]:
        """The shares that the module describes."""
        values = {"recall": self.pairs.recall, "precision": self.pairs.precision, "F1": self.pairs.f1}
        return shares({**values, "answers that are right": self.actions.precision}, part)


def score_recipes(
    dishes: Sequence[Dish], merger: StepMerger, *, source: str = "", thresholds: Sequence[float] = ()
) -> Evaluation:
    """Evaluate a model, also with other thresholds, and plain rules on dishes; the graph has a part for each dish."""
    texts = iter(read_events([document for dish in dishes for document in dish.documents()]))
    overall: dict[str, _Counts] = defaultdict(_Counts)
    parts: list[Figure] = []
    examples: list[Example] = []
    found = 0
    for dish in dishes:
        events = {name: next(texts) for name in dish.recipes}
        actions = {(name, phrase.token): _read(phrase, events[name]) for name, phrase in _annotated(dish)}
        found += sum(map(bool, actions.values()))
        rules = action_rules([[event.action for event in own] for own in events.values() if own], merger, thresholds)
        for rule, step_of in rules.items():
            steps = {token: frozenset(step_of[action] for action in own) for token, own in actions.items()}
            _count(overall[rule], dish, steps)
            if rule == GRAPH:
                _count(of_dish := _Counts(), dish, steps)
                parts += of_dish.figures(dish.name)
                examples += _examples(dish, steps)
    systems = {rule: System(name=rule, role=Role.BASELINE, figures=own.figures()) for rule, own in overall.items()}
    model, graph = evolve(systems.pop(MERGED), role=Role.MODEL), systems.pop(GRAPH)
    graph = evolve(graph, figures=[*graph.figures, *parts])
    left_out = sum(dish.left_out for dish in dishes)
    return Evaluation(
        task="steps",
        dataset=ARA,
        split="all",
        exposure=Exposure.DEVELOPMENT,
        items={
            "recipes": sum(len(dish.recipes) for dish in dishes),
            "actions": sum(1 for dish in dishes for _ in _annotated(dish)),
            "actions in a mention": found,
            "judged actions": sum(len(dish.alignments) for dish in dishes),
            "aligned pairs": overall[MERGED].pairs.gold,
        },
        systems=[evolve(model, source=source), *systems.values(), graph],
        notes=[f"{left_out} alignments whose tokens are no actions are left out."] if left_out else [],
        examples=examples,
    )


def _annotated(dish: Dish) -> Iterator[tuple[str, TaggedPhrase]]:
    """The actions of all recipes, with the names of these."""
    return ((name, phrase) for name, recipe in dish.recipes.items() for phrase in recipe.actions)


def _read(phrase: TaggedPhrase, events: Sequence[ReadStep]) -> frozenset[ActionParts]:
    """The actions of the shortest mention that holds the first token of an annotated action."""
    holding = [event for event in events if event.start <= phrase.start and phrase.first_end <= event.end]
    if not holding:
        return frozenset()
    shortest = min(holding, key=lambda event: (event.end - event.start, event.start))
    return frozenset(event.action for event in holding if (event.start, event.end) == (shortest.start, shortest.end))


def _count(counts: _Counts, dish: Dish, steps: Mapping[_Token, frozenset[object]]) -> None:
    for item in dish.alignments:
        there = {phrase.token for phrase in dish.recipes[item.other_recipe].actions}
        own = steps[item.recipe, item.action.token]
        found = {token for token in there if own & steps[item.other_recipe, token]}
        gold = {item.other.token} if item.other else set()
        counts.pairs.add(found, gold)
        counts.actions.add({bool(found & gold)} if found else set(), {True})


def _examples(dish: Dish, steps: Mapping[_Token, frozenset[object]]) -> Iterator[Example]:
    """Each judged action in its recipe, with the aligned action and those in one step with it."""
    for item in dish.alignments:
        recipe, other = dish.recipes[item.recipe], dish.recipes[item.other_recipe]
        own = steps[item.recipe, item.action.token]
        found = [phrase for phrase in other.actions if own & steps[item.other_recipe, phrase.token]]
        yield Example(
            system=GRAPH,
            where=f"{item.recipe}, {item.other_recipe}",
            text=_around(recipe.text, item.action),
            gold=[_around(other.text, item.other)] if item.other else [],
            found=[_around(other.text, phrase) for phrase in found],
        )


def _around(text: str, phrase: TaggedPhrase) -> str:
    """An annotated action with the words behind it."""
    return textwrap.shorten(text[phrase.start :], _SHOWN, placeholder=" …")
