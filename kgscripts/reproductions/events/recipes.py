"""Evaluation of actions, tools and foods on recipes that others tagged: the Recipe Flow Graph corpus (Yamakata, Mori
and Carroll 2020).

The text of a recipe is read as one step, and what is found is compared by characters:

- *actions in an event*: share of the actions of the cook (``Ac``) whose first token lies within an event;
- *actions that begin an event*: share of them with whose first token an event begins;
- *events with an action*: share of the events that hold the first token of an action (``Ac``, ``Ac2``, ``Af``, ``At``);
- *tool recall* and *precision*: of the tools of a recipe (``T``), as types, by the lemma of their last word; levels of
  heat and parts of things (`NO_TOOLS`), which are tagged too, count on neither side;
- *duration recall* and *precision*: of the durations (``D``) of actions with which an event begins, by the action and
  by the numbers and times of the words, without words such as "about" (`HEDGES`);
- *quantity recall* and *precision*: of the quantities (``Q``) of the foods of a recipe (``F``), as types, by the last
  word of the food and the words of the quantity without those; tagged phrases with "all", "some" and the like
  (`NO_MEASURES`) are not asked for;
- *targets that are objects*: share of the foods (``F``) with an edge ``t`` (target) to an action with which an event
  begins, that are an object of one of these events: their last word lies in its span and is its object's lemma.

The reader learns from ``train``, which is left out; choices were made on ``dev``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from spacy.language import Language

from kgscripts.evaluation.counting import Matches, example, named, of_extractor
from kgscripts.evaluation.result import Evaluation, Example
from kgscripts.extractors.events.events import Text, events_of_texts
from kgscripts.extractors.protocol import Parse
from kgscripts.reproductions.corpora.recipe_flow import TaggedPhrase, TaggedRecipe, read_recipes
from kgscripts.text.passages import parse_passages
from kgscripts.titles.plain import singular
from schemas.errors import InputError
from schemas.provenance import Exposure
from schemas.records import EventMention, MeasureKind, Passage, PassageKind

DATASET = "Recipe Flow Graphs"
NO_TOOLS = frozenset(
    {"heat", "low", "high", "medium", "setting", "side", "top", "inside", "around", "half", "space", "rest", "it"}
)
"""Last words of phrases with the tag of tools that are no things."""
HEDGES = frozenset(
    {"a", "an", "the", "of", "to", "or", "and", "about", "around", "approximately", "up", "at", "least", "for", "in"}
    | {"further", "another", "additional", "more", "extra", "longer", "large", "small", "big", "generous"}
)
"""Words of measures that are not compared."""
NO_MEASURES = frozenset({"all", "any", "each", "every", "first", "most", "no", "other", "some", "time"})
"""Words of phrases with a tag of measures that say nothing about how much or how long."""
_DEVELOPMENT_SPLITS = ("dev",)
_ACTIONS = frozenset({"Ac", "Ac2", "Af", "At"})


def read_splits(folder: Path) -> dict[str, list[TaggedRecipe]]:
    """The recipes of each ``*.conllu`` file of a folder, by the name of the file, which is that of the split; without
    ``train``, from which the reader learns.

    Raises InputError for a folder without such files, and for files of another format.
    """
    files = sorted(file for file in folder.glob("*.conllu") if file.stem != "train")
    if not files:
        message = "no .conllu files to measure on"
        raise InputError(message, where=str(folder), remedy="name the folder of the Recipe Flow Graph corpus")
    return {file.stem: read_recipes(file) for file in files}


def score_recipes(nlp: Language, recipes: list[TaggedRecipe], split: str) -> Evaluation:
    """The scores described above."""
    inside, beginning, holding, tools, targets, durations, quantities = (Matches() for _ in range(7))
    examples: list[Example] = []
    for recipe, mentions in zip(recipes, _mentions(nlp, recipes), strict=True):
        spans = {(mention.start, mention.end) for mention in mentions}
        begun = {start for start, _ in spans}
        actions = [phrase for phrase in recipe.phrases if phrase.tag == "Ac"]
        every = [phrase for phrase in recipe.phrases if phrase.tag in _ACTIONS]
        starts = {phrase.start for phrase in actions}
        inside.add({phrase.start for phrase in actions if _holder(spans, phrase)}, starts)
        beginning.add(begun & starts, starts)
        holding.add(spans, {span for span in spans if any(_holder([span], phrase) for phrase in every)})
        gold = {_head(phrase) for phrase in recipe.phrases if phrase.tag == "T"} - NO_TOOLS
        named_tools = _found_tools(mentions)
        tools.add(named_tools, gold)
        _count_targets(targets, recipe, mentions)
        timed = {(of.start, words) for of, words in _measures(recipe, "D") if of.tag == "Ac"}
        durations.add(_found_durations(mentions, starts), {item for item in timed if item[0] in begun})
        foods = {_head(phrase) for phrase in recipe.phrases if phrase.tag == "F"}
        measured = {(_head(of), words) for of, words in _measures(recipe, "Q") if of.tag == "F"}
        quantities.add(_found_quantities(mentions, foods), measured)
        examples.append(example(recipe.text, sorted(gold), sorted(named_tools), where=f"tools of {recipe.name}"))
    values = {
        "actions in an event": inside.recall,
        "actions that begin an event": beginning.recall,
        "events with an action": holding.precision,
        **named("tool", tools.scores("recall", "precision")),
        "targets that are objects": targets.recall,
        **named("duration", durations.scores("recall", "precision")),
        **named("quantity", quantities.scores("recall", "precision")),
    }
    exposure = Exposure.DEVELOPMENT if split in _DEVELOPMENT_SPLITS else Exposure.UNSEEN
    size = {"recipes": len(recipes), "actions": inside.gold, "tools": tools.gold, "targets": targets.gold}
    size |= {"durations": durations.gold, "quantities": quantities.gold}
    return of_extractor(DATASET, split, values, exposure=exposure, items=size, examples=examples)


def _mentions(nlp: Language, recipes: Iterable[TaggedRecipe]) -> Iterator[list[EventMention]]:
    """The events of each recipe."""
    pieces: dict[str, list[Parse]] = defaultdict(list)
    whole = {recipe.name: recipe for recipe in recipes}
    for piece in parse_passages(nlp, ((recipe.text, recipe.name) for recipe in whole.values())):
        passage = Passage(kind=PassageKind.STEP, start=0, end=len(whole[piece.context].text))
        pieces[piece.context].append(Parse(passage, piece.doc, piece.offset))
    for read in events_of_texts([Text(pieces[name]) for name in whole]):
        yield [mention for event in read.events for mention in event.mentions]


def _holder(spans: Iterable[tuple[int, int]], phrase: TaggedPhrase) -> bool:
    return any(start <= phrase.start and phrase.first_end <= end for start, end in spans)


def _head(phrase: TaggedPhrase) -> str:
    return singular(phrase.words[-1].lower())


def _found_tools(mentions: Iterable[EventMention]) -> set[str]:
    named = (tool for mention in mentions for tool in mention.tools if not tool.inferred)
    return {singular(tool.lemma.rsplit(" ", 1)[-1]) for tool in named} - NO_TOOLS


def _count_targets(matches: Matches, recipe: TaggedRecipe, mentions: Iterable[EventMention]) -> None:
    objects: dict[int, set[str]] = defaultdict(set)
    for mention in mentions:
        objects[mention.start].add(mention.action.object.rsplit(" ", 1)[-1])
    for phrase in recipe.phrases:
        if phrase.tag != "F" or phrase.edge != "t" or phrase.to is None:
            continue
        action = recipe.phrases[phrase.to]
        if action.tag == "Ac" and action.start in objects:
            right = _head(phrase) in objects[action.start]
            matches.add({phrase.start} if right else set(), {phrase.start})


def _measures(recipe: TaggedRecipe, tag: str) -> Iterator[tuple[TaggedPhrase, frozenset[str]]]:
    """What the measures of a tag are of, with the words of each that are compared."""
    for phrase in recipe.phrases:
        words = _compared(" ".join(phrase.words))
        if phrase.tag == tag and phrase.to is not None and words and not words & NO_MEASURES:
            yield recipe.phrases[phrase.to], words


def _found_durations(mentions: Iterable[EventMention], starts: Set[int]) -> set[tuple[int, frozenset[str]]]:
    return {
        (mention.start, _compared(measure.words))
        for mention in mentions
        for measure in mention.measures
        if measure.kind is MeasureKind.DURATION and mention.start in starts
    }


def _found_quantities(mentions: Iterable[EventMention], foods: Set[str]) -> set[tuple[str, frozenset[str]]]:
    quantities = {
        (singular(measure.thing.rsplit(" ", 1)[-1]), _compared(measure.words))
        for mention in mentions
        for measure in mention.measures
        if measure.kind is MeasureKind.QUANTITY
    }
    return {(thing, words) for thing, words in quantities if thing in foods}


def _compared(words: str) -> frozenset[str]:
    """The numbers and words of a measure that are compared, "minutes" as "minute"."""
    return frozenset(singular(word) for word in re.findall(r"[\d/.½⅓⅔¼¾⅛]+|[a-z]+", words.lower())) - HEDGES
