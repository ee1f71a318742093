"""Evaluation of tools and their roles on everyday sentences in twelve domains, in two splits.

``data/tool_sentences.SPLIT.tsv`` names the tool of each sentence, or none; ``data/tool_roles.SPLIT.tsv`` the role of
one thing of each sentence: that of a tool, or *place* for what something is only put into, onto or taken to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kgscripts.evaluation.counting import Matches, example, names_agree, of_extractor
from kgscripts.evaluation.events.gold_lists import read_rows
from kgscripts.evaluation.events.list_readers import ListReader
from kgscripts.evaluation.events.marked_texts import SPLITS
from kgscripts.evaluation.result import Evaluation
from kgscripts.titles.plain import singular
from schemas.records import EventMention, Role

SENTENCES = "kgscripts tool sentences"
ROLES = "kgscripts tool roles"
FRAMES = ("use", "using", "with", "in_on", "took")
"""How a sentence names its tool; `NO_TOOL` are the sentences that name none."""
NO_TOOL = "none"


def tool_list_scores(reader: ListReader, splits: Iterable[str] = tuple(SPLITS)) -> Iterator[Evaluation]:
    """The scores of both lists, split by split."""
    for split in splits:
        yield sentence_scores(reader, list(read_rows(f"tool_sentences.{split}.tsv")), split)
        yield role_scores(reader, list(read_rows(f"tool_roles.{split}.tsv")), split)


def sentence_scores(reader: ListReader, rows: list[dict[str, str]], split: str) -> Evaluation:
    """Precision and recall of the tools of each sentence, recall by frame, and how many sentences of none have none.

    A tool is correct if its name ends with the gold name or the gold name with it: "plastic bag" for "bag".
    """
    texts = list(dict.fromkeys(row["text"] for row in rows))
    found = {text: _tools(mentions) for text, mentions in zip(texts, reader.mentions(texts), strict=True)}
    gold: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        gold[row["text"]] |= {singular(row["tool"])} - {""}
    counts: dict[str, Matches] = defaultdict(Matches)
    whole = Matches()
    frames = {row["text"]: row["frame"] for row in rows}
    for text, tools in found.items():
        agreed: set[object] = {_agreed(tool, gold[text]) for tool in tools}
        for matches in (whole, counts[frames[text]]):
            matches.add(agreed, set(gold[text]))
    without = [text for text, frame in frames.items() if frame == NO_TOOL]
    values = {"tool recall": whole.recall, "tool precision": whole.precision}
    values |= {f"tool recall, {frame}": counts[frame].recall for frame in FRAMES}
    values["sentences without a tool, none found"] = sum(not found[text] for text in without) / len(without)
    size = {"sentences": len(found), "without a tool": len(without)}
    examples = [example(text, sorted(gold[text]), sorted(tools)) for text, tools in found.items()]
    return of_extractor(SENTENCES, split, values, exposure=SPLITS[split], items=size, examples=examples)


def _agreed(tool: str, gold: set[str]) -> str:
    """The gold name that the name of a tool agrees with, else its own."""
    return next((name for name in sorted(gold) if names_agree(tool, name)), tool)


def _tools(mentions: Sequence[EventMention]) -> set[str]:
    return {singular(tool.lemma) for mention in mentions for tool in mention.tools}


def role_scores(reader: ListReader, rows: list[dict[str, str]], split: str) -> Evaluation:
    """The share of things with the right role, in all and of each role; a thing that is not found has none."""
    right: Counter[str] = Counter()
    all_things = Counter(row["role"] for row in rows)
    examples = []
    for row, mentions in zip(rows, reader.mentions([row["text"] for row in rows]), strict=True):
        found = found_role(mentions, row["thing"])
        right[row["role"]] += found == row["role"]
        examples.append(example(row["text"], [row["role"]], filter(None, [found]), where=f"role of {row['thing']!r}"))
    values = {"role": right.total() / len(rows)}
    values |= {f"role, {role}": right[role] / number for role, number in sorted(all_things.items())}
    return of_extractor(ROLES, split, values, exposure=SPLITS[split], items={"things": len(rows)}, examples=examples)


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
