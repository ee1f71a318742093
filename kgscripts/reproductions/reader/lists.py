"""Lists of sentences in which a few words are labelled, written for this project: what they say of a graph's labels.

``data/lists`` marks verbs with whether they happened (reality, habits, memories, asides), with their objects (objects)
and with the nouns that their pronouns stand for (pronoun_objects), and names the tool of each of everyday sentences and
the role of a thing. Nothing is known of other words.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import TYPE_CHECKING

from kgscripts.models.reader.labels import LISTS, REFERENT, EventRole
from kgscripts.models.reader.windows import ReaderText
from kgscripts.reproductions.events.marked_texts import MarkedText, marked_texts, named_heads
from kgscripts.reproductions.reader.gold import LabelledText
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.syntax import lemma

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

HAPPENED, OTHER, NO_EVENT = "happens", "other", "no event"
MEANS, PLACE, NO_MEANS, NOTHING = "means", "place", "no means", "nothing"
_PACKAGE = "kgscripts.reproductions.reader"
_REALITY = ("reality", "habits", "memories", "asides")
_VERBS = frozenset({"VERB", "AUX"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_USING = frozenset({"use", "uses", "used", "using"})
_ROLES = {
    "instrument": EventRole.INSTRUMENT,
    "container": EventRole.CONTAINER,
    "appliance": EventRole.APPLIANCE,
    "support": EventRole.SUPPORT,
    "place": PLACE,
}


def listed_texts() -> list[LabelledText]:
    """All texts of the lists."""
    texts = [_of_reality(text, name) for name in _REALITY for text in marked_texts(f"lists/{name}.txt", _PACKAGE)]
    texts += [_of_objects(text, "objects") for text in marked_texts("lists/objects.txt", _PACKAGE)]
    texts += [_of_objects(text, "pronouns") for text in marked_texts("lists/pronoun_objects.txt", _PACKAGE)]
    texts += [
        text for row in _rows("tool_sentences.tsv") for text in _of_tool(row["text"], row["sub_event"], row["tool"])
    ]
    for row in _rows("tool_roles.tsv"):
        texts += _of_tool(row["text"], row["sub_event"], row["thing"], _ROLES[row["role"]])
    return texts


def _rows(name: str) -> Iterable[dict[str, str]]:
    text = (resources.files(_PACKAGE) / "data" / "lists" / name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


def _text(doc: Doc) -> ReaderText:
    sentences = [[token.text for token in sentence if not token.is_space] for sentence in doc.sents]
    return ReaderText("", [sentence for sentence in sentences if sentence])


def _numbers(doc: Doc) -> dict[int, int]:
    """The number of a word by the character where it begins."""
    return {token.idx: number for number, token in enumerate(token for token in doc if not token.is_space)}


def _labelled(id: str, doc: Doc, words: dict[int, str], pairs: dict[int, dict[int, str]]) -> LabelledText:
    """A text with these labels; what the parse takes for no verb is no event, and what is no noun no thing."""
    tokens = [token for token in doc if not token.is_space]
    others = {number: NO_EVENT for number, token in enumerate(tokens) if token.pos_ not in _VERBS}
    nothing = {number: NOTHING for number, token in enumerate(tokens) if token.pos_ not in _NOUNS}
    of_verbs = {verb: {**nothing, **pairs.get(verb, {})} for verb, label in words.items() if label != NO_EVENT}
    return LabelledText(LISTS, id, _text(doc), {**others, **words}, of_verbs)


def _of_reality(marked: MarkedText, name: str) -> LabelledText:
    doc = load_pipeline()(marked.text)
    numbers = _numbers(doc)
    words = {
        numbers[start]: HAPPENED if label == "yes" else OTHER
        for start, label in marked.labels.items()
        if start in numbers and label in ("yes", "no")
    }
    return _labelled(f"{name} {marked.text[:40]}", doc, words, {})


def _of_objects(marked: MarkedText, name: str) -> LabelledText:
    doc = load_pipeline()(marked.text)
    numbers = _numbers(doc)
    words: dict[int, str] = {}
    pairs: dict[int, dict[int, str]] = {}
    tokens = [token for token in doc if not token.is_space]
    for start, label in marked.labels.items():
        if start not in numbers:
            continue
        verb = numbers[start]
        words[verb] = HAPPENED
        pairs[verb] = {}
        for head in named_heads(label):
            named = _named(tokens, head)
            if name == "pronouns":
                pairs[verb].update(dict.fromkeys([n for n in named if n < verb][-1:], REFERENT))
            elif len(same := [number for number in named if tokens[number].sent == tokens[verb].sent]) == 1:
                pairs[verb][same[0]] = EventRole.OBJECT
    return _labelled(f"{name} {marked.text[:40]}", doc, words, pairs)


def _of_tool(text: str, event: str, thing: str, role: str = MEANS) -> Iterator[LabelledText]:
    """The text of a list of tools, if its event and its thing are found once."""
    doc = load_pipeline()(text)
    tokens = [token for token in doc if not token.is_space]
    verbs = [number for number, token in enumerate(tokens) if lemma(token) == event.split(" ")[0]]
    named = _named(tokens, thing.rsplit(" ", 1)[-1]) if thing else []
    if len(verbs) != 1 or (thing and len(named) != 1):
        return
    words: dict[int, str] = {verbs[0]: HAPPENED}
    things = {number: NO_MEANS for number, token in enumerate(tokens) if token.pos_ in _NOUNS}
    if named:
        things = {**(things if role == MEANS else {}), named[0]: role}
        words.update({number: NO_EVENT for number, token in enumerate(tokens) if token.lower_ in _USING})
    yield _labelled(f"tool {text[:60]}", doc, words, {verbs[0]: things})


def _named(tokens: Sequence[Token], head: str) -> list[int]:
    return [number for number, token in enumerate(tokens) if head in (lemma(token), token.lower_)]
