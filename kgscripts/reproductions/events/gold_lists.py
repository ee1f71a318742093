"""Evaluation of tools and pronouns on the project's own lists (``data/tools.tsv``, ``data/pronouns.tsv``).

``data/tool_sentences.SPLIT.tsv`` names the tool of each of everyday sentences in twelve domains, or none;
``data/tool_roles.SPLIT.tsv`` the role of one thing of each: that of a tool, or *place* for what something is only put
into, onto or taken to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from attrs import frozen
from spacy.language import Language

from kgscripts.evaluation.counting import Matches, example, named, names_agree, of_extractor
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation
from kgscripts.extractors.events.events import events_of_docs
from kgscripts.extractors.events.nouns import noun_lemma
from kgscripts.reproductions.events.list_readers import ListReader
from kgscripts.reproductions.events.marked_texts import SPLIT
from kgscripts.titles.plain import singular
from schemas.provenance import Exposure
from schemas.records import EventMention, Role

TOOLS = "kgscripts tools"
PRONOUNS = "kgscripts pronouns"
_SPLIT = "all"
_EXPOSURE = Exposure.DEVELOPMENT
"""Errors on both lists were looked at while rules and lexicons were written (docs/measurements/evaluation.md)."""


@frozen
class ToolItem:
    """A text and its gold pairs of sub-event and tool."""

    text: str
    pairs: frozenset[tuple[str, str]]


@frozen
class PronounItem:
    """A pronoun at a character of a text; `antecedent` is "" if there is none."""

    text: str
    start: int
    antecedent: str


def tool_items() -> list[ToolItem]:
    """The texts of ``tools.tsv``, each once, with all their pairs; distractors have none."""
    pairs: dict[str, set[tuple[str, str]]] = {}
    for row in list_rows("tools.tsv"):
        tools = [tool for tool in (row["tools"] or "").split(";") if tool]
        pairs.setdefault(row["text"], set()).update((row["sub_event"], singular(tool)) for tool in tools)
    return [ToolItem(text, frozenset(of_text)) for text, of_text in pairs.items()]


def pronoun_items() -> list[PronounItem]:
    """The items of ``pronouns.tsv``."""
    return [
        PronounItem(row["text"], int(row["char_offset"]), row["antecedent"].strip("-"))
        for row in list_rows("pronouns.tsv")
    ]


def tool_scores(reader: ListReader, items: Sequence[ToolItem]) -> Evaluation:
    """Precision, recall and F1 of the tools of each text, and of the pairs of sub-event and tool.

    A step is correct if its predicate, particle and object are; an object without its compound is also correct
    ("sauce" for "tomato sauce").
    """
    tools, pairs = Matches(), Matches()
    examples = []
    for item, mentions in zip(items, reader.mentions([item.text for item in items]), strict=True):
        read_pairs = _pairs(mentions)
        tools.add({tool for _, tool in read_pairs}, {tool for _, tool in item.pairs})
        known = {event for event, _ in item.pairs}
        listed = {(_as_listed(event, known), tool) for event, tool in read_pairs}
        pairs.add(listed, item.pairs)
        examples.append(example(item.text, sorted(map(": ".join, item.pairs)), sorted(map(": ".join, listed))))
    values = named("tool", tools.scores()) | named("sub-event and tool", pairs.scores())
    size = {"texts": len(items), "pairs": pairs.gold}
    return of_extractor(TOOLS, _SPLIT, values, exposure=_EXPOSURE, items=size, examples=examples)


def _pairs(mentions: Iterable[EventMention]) -> set[tuple[tuple[str, str], str]]:
    """((predicate with particle, object), tool) of the events of a text."""
    return {
        ((f"{mention.action.predicate} {mention.action.particle}".strip(), mention.action.object), singular(tool.lemma))
        for mention in mentions
        for tool in mention.tools
    }


def _as_listed(event: tuple[str, str], known: set[str]) -> str:
    """The listed form of a step, with or without the object's compound."""
    predicate, noun = event
    whole = f"{predicate} {noun}".strip()
    head = f"{predicate} {noun.rsplit(' ', 1)[-1]}".strip()
    return head if whole not in known and head in known else whole


def pronoun_scores(nlp: Language, items: Sequence[PronounItem]) -> Evaluation:
    """Precision and recall of pronoun resolution.

    Resolving a pronoun without antecedent is an error.
    """
    counts = Matches()
    examples = []
    docs = nlp.pipe(item.text for item in items)
    for item, events in zip(items, events_of_docs(docs), strict=True):
        answers = {
            ("antecedent", noun_lemma(noun).rsplit(" ", 1)[-1])
            for event in events
            for noun in event.frame.stands_for
            if event.frame.mention.idx == item.start
        }
        gold = {("antecedent", item.antecedent.rsplit(" ", 1)[-1])} if item.antecedent else set()
        counts.add(answers, gold)
        where = f"pronoun at character {item.start}"
        examples.append(example(item.text, [noun for _, noun in gold], [noun for _, noun in answers], where=where))
    values = named("pronoun", counts.scores("precision", "recall"))
    size = {"pronouns": len(items)}
    return of_extractor(PRONOUNS, _SPLIT, values, exposure=_EXPOSURE, items=size, examples=examples)


SENTENCES = "kgscripts tool sentences"
ROLES = "kgscripts tool roles"
FRAMES = ("use", "using", "with", "in_on", "took")
"""How a sentence names its tool; `NO_TOOL` are the sentences that name none."""
NO_TOOL = "none"


def sentence_scores(reader: ListReader, rows: list[dict[str, str]]) -> Evaluation:
    """Precision and recall of the tools of each sentence, recall by frame, and how many sentences of none have none.

    A tool is correct if its name ends with the gold name or the gold name with it: "plastic bag" for "bag".
    """
    texts = list(dict.fromkeys(row["text"] for row in rows))
    tools_of = {text: _tools(mentions) for text, mentions in zip(texts, reader.mentions(texts), strict=True)}
    gold: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        gold[row["text"]] |= {singular(row["tool"])} - {""}
    counts: dict[str, Matches] = defaultdict(Matches)
    whole = Matches()
    frames = {row["text"]: row["frame"] for row in rows}
    for text, tools in tools_of.items():
        agreed = {_agreed(tool, gold[text]) for tool in tools}
        for matches in (whole, counts[frames[text]]):
            matches.add(agreed, gold[text])
    without = [text for text, frame in frames.items() if frame == NO_TOOL]
    values = named("tool", whole.scores("recall", "precision"))
    values |= {f"tool recall, {frame}": counts[frame].recall for frame in FRAMES}
    values["sentences without a tool, none found"] = sum(not tools_of[text] for text in without) / len(without)
    size = {"sentences": len(tools_of), "without a tool": len(without)}
    examples = [example(text, sorted(gold[text]), sorted(tools)) for text, tools in tools_of.items()]
    return of_extractor(SENTENCES, SPLIT, values, exposure=Exposure.UNSEEN, items=size, examples=examples)


def _agreed(tool: str, gold: set[str]) -> str:
    """The gold name that the name of a tool agrees with, else its own."""
    return next((name for name in sorted(gold) if names_agree(tool, name)), tool)


def _tools(mentions: Sequence[EventMention]) -> set[str]:
    return {singular(tool.lemma) for mention in mentions for tool in mention.tools}


def role_scores(reader: ListReader, rows: list[dict[str, str]]) -> Evaluation:
    """The share of things with the right role, in all and of each role; a thing that is not found has none."""
    right: Counter[str] = Counter()
    all_things = Counter(row["role"] for row in rows)
    examples = []
    for row, mentions in zip(rows, reader.mentions([row["text"] for row in rows]), strict=True):
        answer = found_role(mentions, row["thing"])
        right[row["role"]] += answer == row["role"]
        examples.append(example(row["text"], [row["role"]], filter(None, [answer]), where=f"role of {row['thing']!r}"))
    values = {"role": right.total() / len(rows)}
    values |= {f"role, {role}": right[role] / number for role, number in sorted(all_things.items())}
    return of_extractor(ROLES, SPLIT, values, exposure=Exposure.UNSEEN, items={"things": len(rows)}, examples=examples)


def found_role(mentions: Sequence[EventMention], thing: str) -> str:
    """The role of a thing as a tool of some event, else *place* if it is a place of one, else ""."""
    names = {singular(thing), singular(thing.lower())}
    for mention in mentions:
        for tool in mention.tools:
            if any(names_agree(singular(tool.lemma), name) for name in names):
                return tool.role
    for mention in mentions:
        for argument in mention.participants:
            heads = argument.role is Role.PLACE and singular(argument.lemma)
            if heads and any(names_agree(heads, name) for name in names):
                return Role.PLACE
    return ""
