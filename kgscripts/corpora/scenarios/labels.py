"""The listed scenarios: their labels, and the list as SKOS."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePath
from types import MappingProxyType

from attrs import evolve

from kgscripts.corpora.list_markers import commands
from kgscripts.text.lexicon import is_a, word_list
from kgscripts.text.plain_words import visible
from kgscripts.titles.keys import activity_words, gerund, is_command, named_thing, tells_activity, title_key
from kgscripts.titles.plain import plain_title, singular, word_class
from schemas.errors import InputError
from schemas.records import Document, PassageKind
from schemas.scenario_documents import ScenarioConcept, concept_scheme
from schemas.vocabulary import DEFAULT_BASE_IRI, check_base_iri, node_id

SCHEME = "dataset/scenarios"
"""The id of the scheme, the same as in the RDF of graphs."""


def turtle_lines(base_iri: str = DEFAULT_BASE_IRI) -> Iterator[str]:
    """Yield the lines of the scheme; a scenario has the IRI that it has in graphs with this base IRI.

    Raises
    ------
    ConfigurationError
        If it is no base IRI.
    """
    check_base_iri(base_iri)
    yield "@prefix skos: <http://www.w3.org/2004/02/skos/core#> ."
    yield "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    yield ""
    yield f'<{base_iri}{SCHEME}> a skos:ConceptScheme ; rdfs:label "Everyday scenarios"@en .'
    for concept in concept_scheme():
        yield ""
        yield f"{_iri(concept.label, base_iri)} a skos:Concept ;"
        yield "    " + " ;\n    ".join(_properties(concept, base_iri)) + " ."


def _properties(concept: ScenarioConcept, base_iri: str) -> Iterator[str]:
    yield f"skos:inScheme <{base_iri}{SCHEME}>"
    yield f"skos:prefLabel {_text(concept.label)}"
    if concept.alternative_labels:
        yield f"skos:altLabel {', '.join(map(_text, concept.alternative_labels))}"
    for predicate, labels in (("broader", concept.broader), ("related", concept.related)):
        if labels:
            yield f"skos:{predicate} {', '.join(_iri(label, base_iri) for label in labels)}"
    if narrower := [other.label for other in concept_scheme() if concept.label in other.broader]:
        yield f"skos:narrower {', '.join(_iri(label, base_iri) for label in narrower)}"


def _iri(label: str, base_iri: str) -> str:
    return f"<{base_iri}{node_id('Scenario', label, label)}>"


def _text(text: str) -> str:
    return f"{json.dumps(text, ensure_ascii=False)}@en"


_HOW_TO = re.compile(r"how (?:to:?|do i|do you|does one|can i|can you|i|we) ")
_PARENTHESIS = re.compile(r"\s*\([^()]*\)")
_EDGES = " \t\r\n.!?:;,…\"'“”‘’*_`#-"
_DETERMINERS = word_list("articles", "possessives", "words for one's own") | {"some"}

_NO_WORD = re.compile(r"[\s_+-]+")
_SENTENCE = re.compile(r"\S[^.!?]*[.!?]")
_OPENING = re.compile(r"(?:(?:then|now|next|first|finally|afterwards?|lastly|and|to start)\b,?\s*)+", re.IGNORECASE)
_FINAL = tuple(".!?:;,")
_MINE = frozenset({"my", "our"})

# InScript (Modi et al., LREC 2016) labels its scenarios with one word.
_INSCRIPT = MappingProxyType(
    {
        "bath": "taking a bath",
        "bicycle": "repairing a bicycle",
        "bus": "riding on a bus",
        "cake": "baking a cake",
        "flight": "flying in a plane",
        "grocery": "going grocery shopping",
        "haircut": "getting a haircut",
        "library": "borrow a book from the library",
        "train": "going on a train",
        "tree": "planting a tree",
    }
)


def resolve(label_or_title: str) -> str:
    """The label of the listed scenario that a text refers to; otherwise the text itself, normalised.

    Listed scenarios are found by their label or an alternative label, ignoring case, determiners, a leading "how to",
    a remark in parentheses, final punctuation, and whether the verb is in its base form or in *-ing*. Normalisation
    gives lower case and single spaces, removes "how to" and punctuation at either end, and puts the verb after "how
    to" into *-ing*, like the listed labels ("How to carve a pumpkin?" becomes "carving a pumpkin"). Raises InputError
    where nothing is left, or the text was not UTF-8.
    """
    _check(label_or_title)
    listed = _listed(label_or_title)
    if listed:
        return listed
    text = resolve_title(label_or_title) if plain_title(label_or_title)[1] else _plain(label_or_title)
    if not text:
        raise InputError(f"no scenario in {label_or_title[:80]!r}", remedy="give it in words")
    return text


def resolve_title(title: str) -> str:
    """The label of the listed scenario that the title of a how-to means; otherwise the title, normalised.

    Besides what `resolve` ignores, "10 easy ways to", years, sites, places, means and the like are ignored, and other
    words for the same are the same: see `kgscripts.titles.keys.title_key`. Raises InputError as `resolve` does.
    """
    _check(title)
    if (label := listed_title(title)) is not None:
        return label
    if not any(map(str.isalnum, plain_title(title)[0])):
        return resolve(title)
    return " ".join(_of_anybody(activity_words(title)))


def _of_anybody(words: list[str]) -> list[str]:
    """The words of a name with "the" for what belongs to the writer: "washing the bike", but "washing my hair"."""
    if not words[0].endswith("ing"):
        return words
    return [
        ("your" if after == "own" else "the")
        if word in _MINE and after and not is_a(singular(after), "person", "body")
        else word
        for word, after in zip(words, [*words[1:], ""], strict=True)
    ]


def scenario_ids(title: str) -> list[str]:
    """The ids that a graph may give the scenario which a title means: that of a listed one, and that of its key."""
    keys = dict.fromkeys(filter(None, (listed_title(title), title_key(title))))
    return [node_id("Scenario", key, key) for key in keys]


def is_listed(label_or_title: str) -> bool:
    """Whether a text refers to one of the 200 scenarios."""
    return _listed(label_or_title) is not None


def names_scenario(title: str) -> bool:
    """Whether a title refers to a listed scenario, or tells an activity by its verb (`tells_activity`)."""
    if _listed(title) is not None or tells_activity(title):
        return True
    return named_thing(title) is None and listed_title(title) is not None


def scenario_of(document: Document) -> str:
    """The scenario that a document's label, title or file names; "" if none does.

    The label takes precedence. A title names a scenario if it refers to a listed one, tells an activity, or is that of
    a how-to: the document has steps, or most of its sentences are commands. Other titles, such as those of stories,
    name no scenario; one of the next lines may, if it is short and tells an activity. The name of a file counts last,
    and if it tells an activity ("assembling-a-bed.txt").
    """
    if document.scenario.strip(_EDGES):
        return resolve(document.scenario)
    title = document.title
    is_name = _plain(title) not in word_class("no_name") | {""}
    if names_scenario(title):
        return resolve_title(title)
    if not is_command(title) and (below := _told_below(document)):
        return resolve_title(below)
    if is_name and _instructs(document):
        return resolve_title(title)
    name = _NO_WORD.sub(" ", PurePath(document.name).stem) if "#" not in document.name else ""
    return resolve_title(name) if tells_activity(name) or is_command(name) else ""


_MOST_LINES = 4
_LONGEST_LINE = 60


def _told_below(document: Document) -> str:
    """The first of the lines at the beginning of a text with a title that is short, no sentence, and tells an activity
    ("Setting up your tent", below the name of a manual); "" if none does."""
    lines = document.text[: (1 + _MOST_LINES) * _LONGEST_LINE].splitlines()[:_MOST_LINES] if document.title else []
    short = (line.strip() for line in lines if len(line) < _LONGEST_LINE and not line.rstrip().endswith(_FINAL))
    return next((line for line in short if tells_activity(line)), "")


def _instructs(document: Document) -> bool:
    """Whether a document has steps, or at least half of the letters of its sentences are in commands."""
    if any(passage.kind is PassageKind.STEP for passage in document.passages):
        return True
    in_commands = letters = 0
    for passage in document.passages:
        if passage.kind is PassageKind.PARAGRAPH:
            for sentence in _SENTENCE.findall(document.text, passage.start, passage.end):
                letters += len(sentence)
                in_commands += len(sentence) if commands(_OPENING.sub("", sentence)) else 0
    return 0 < letters <= 2 * in_commands


def with_scenario(document: Document, scenario: str) -> Document:
    """The document with this label, unless its own label or its title (see `names_scenario`) names a scenario.

    The label precedes the title of a text with steps that names none by itself.
    """
    if document.scenario.strip(_EDGES) or names_scenario(document.title):
        return document
    return evolve(document, scenario=scenario)


def scenario_of_folder(path: Path) -> str:
    """The listed scenario that the nearest folder above a path is named after; "" if none is.

    Case, hyphens and underscores do not matter: ``planting_a_tree``, ``Planting-a-Tree``.
    """
    folders = (_folder_key(folder.name) for folder in path.absolute().parents)
    return next((_folders()[key] for key in folders if key in _folders()), "")


@cache
def _folders() -> dict[str, str]:
    return {_folder_key(concept.label): concept.label for concept in concept_scheme()}


def _folder_key(name: str) -> str:
    return _key(re.sub(r"[\s_-]+", " ", name))


def _check(text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError(f"the scenario {text[:80]!r} is not UTF-8", remedy="give it in UTF-8")


def _listed(text: str) -> str | None:
    index = _index()
    return _INSCRIPT.get(_plain(text)) or index.get(_key(text)) or index.get(_key(_PARENTHESIS.sub("", text)))


@cache
def _index() -> dict[str, str]:
    """Maps keys to labels. Labels take precedence over alternative labels, and earlier ones over later ones."""
    index = {_key(concept.label): concept.label for concept in concept_scheme()}
    for concept in concept_scheme():
        for alternative in concept.alternative_labels:
            index.setdefault(_key(alternative), concept.label)
    return index


def listed_title(title: str) -> str | None:
    """The label of the listed scenario that a title means, None if it means none."""
    return _listed(title) or _title_index().get(title_key(title))


@cache
def _title_index() -> dict[str, str]:
    """Maps keys of titles to labels; an alternative label whose key several scenarios share means none of them."""
    by_key: dict[str, set[str]] = {}
    for concept in concept_scheme():
        for alternative in concept.alternative_labels:
            by_key.setdefault(title_key(alternative), set()).add(concept.label)
    index = {key: labels.pop() for key, labels in by_key.items() if len(labels) == 1}
    return index | {title_key(concept.label): concept.label for concept in reversed(concept_scheme())}


def _key(text: str) -> str:
    """The key that all spellings of one scenario share."""
    words = _HOW_TO.sub("", _plain(text), count=1).replace("’", "'").split()
    if words:
        words[0] = gerund(words[0])
    return " ".join(word for word in words if word not in _DETERMINERS)


def _plain(text: str) -> str:
    return " ".join(visible(text).lower().split()).strip(_EDGES)
