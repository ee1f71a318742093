"""Correction of lemmas: the lemma that a treebank has for a form, else the base form by regular inflection.

The trainable lemmatizer proposes edits of the form ("chopped" to "choppe") that are in no dictionary. This component
runs after it and keeps a proposal only if it is a known lemma.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, Token

from kgscripts.text.lexicon import word_list

FACTORY = "kgscripts_lemma_corrector"
_INFLECTED = frozenset({"NNS", "NNPS", "VBD", "VBN", "VBG", "VBZ", "JJR", "JJS", "RBR", "RBS"})
_OPEN_CLASSES = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
_PROPER_NAME = "NNP"
_BASE_FORMS = frozenset({"VB", "VBP"})
_PREFIXES = ("re", "un", "over", "out", "up")
# Past forms of one verb that are as often the base form of another: "saw the board", "lay the table".
_ALSO_BASE_FORMS = word_list("past forms that are lemmas")


@dataclass
class LemmaTables:
    """Known English forms and lemmas.

    Attributes
    ----------
    forms:
        by part of speech, the lemma of each form that has only one in the treebank.
    lemmas:
        lemmas that occur in the treebank.
    words:
        by part of speech, the base forms of a dictionary.
    irregular:
        by part of speech, the base form of irregular inflections.
    endings:
        by part of speech, pairs of an inflectional ending and its replacement in the base form.
    """

    forms: dict[str, dict[str, str]] = field(default_factory=dict)
    lemmas: list[str] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=dict)
    irregular: dict[str, dict[str, str]] = field(default_factory=dict)
    endings: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


class LemmaCorrector:
    """Pipeline component that corrects the lemmas of an earlier component."""

    def __init__(self, tables: LemmaTables | None = None) -> None:
        self.use(tables or LemmaTables())

    def use(self, tables: LemmaTables) -> None:
        """Replace the tables."""
        self._tables = tables
        self._known = frozenset(tables.lemmas)
        self._words = {pos: frozenset(words) for pos, words in tables.words.items()}
        self._content = b""

    def __call__(self, doc: Doc) -> Doc:
        for token in doc:
            lemma = self.lemma_of(token)
            if lemma != token.lemma_:
                token.lemma_ = lemma
        return doc

    def knows(self, lemma: str, pos: str) -> bool:
        """Whether the treebank or the dictionary has a lemma, in lower case, with a part of speech."""
        return lemma in self._words.get(pos, ()) or lemma in self._tables.forms.get(pos, {}).values()

    def lemma_of(self, token: Token) -> str:
        """The corrected lemma of a token with a part of speech, a tag and a proposed lemma."""
        form, pos, proposed = token.text, token.pos_, token.lemma_
        attested = self._tables.forms.get(pos, {}).get(form)
        if attested is not None:
            return attested
        if pos == "VERB" and proposed.lower() == form.lower():
            past = self._base_of_past(token)
            if past is not None:
                return past
        if pos in _OPEN_CLASSES and proposed not in self._known:
            return self._base_form(form.lower(), pos, token.tag_) or _unchanged(form, proposed)
        if token.tag_ == _PROPER_NAME and proposed.lower() == form.lower():
            return form
        return proposed

    def _base_of_past(self, token: Token) -> str | None:
        """The base form of an irregular past that the tagger took for a base form ("I shook the bottle")."""
        form = token.lower_
        if token.tag_ in _BASE_FORMS and form in _ALSO_BASE_FORMS:
            return None
        if token.tag_ == "VB" and token.i > 0 and token.nbor(-1).tag_ in {"TO", "MD"}:
            return None
        return self._irregular(form)

    def _irregular(self, form: str) -> str | None:
        irregular = self._tables.irregular.get("VERB", {})
        prefix = next((start for start in _PREFIXES if form.startswith(start) and form[len(start) :] in irregular), "")
        return irregular.get(form) or (prefix + irregular[form[len(prefix) :]] if prefix else None)

    def _base_form(self, form: str, pos: str, tag: str) -> str | None:
        words = self._words.get(pos, frozenset())
        if tag not in _INFLECTED:
            return form if form in words else None
        irregular = self._tables.irregular.get(pos, {}).get(form)
        if irregular is not None:
            return irregular
        candidates = [
            form.removesuffix(ending) + replacement
            for ending, replacement in self._tables.endings.get(pos, [])
            if form.endswith(ending) and len(form) > len(ending) + 1
        ]
        listed = [candidate for candidate in candidates if candidate in words]
        return next((candidate for candidate in listed if candidate in self._known), listed[0] if listed else None)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialise the tables as compressed JSON; equal tables give equal bytes."""
        del exclude
        if self._content:  # compressing takes a second
            return self._content
        text = json.dumps(vars(self._tables), ensure_ascii=False, sort_keys=True)
        return gzip.compress(text.encode("utf-8"), mtime=0)

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> LemmaCorrector:
        """Load the tables that `to_bytes` serialised."""
        del exclude
        self.use(LemmaTables(**json.loads(gzip.decompress(content))))
        self._content = content
        return self

    def to_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> None:
        """Write the tables to a file."""
        Path(path).write_bytes(self.to_bytes(exclude=exclude))

    def from_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> LemmaCorrector:
        """Load the tables from a file."""
        return self.from_bytes(Path(path).read_bytes(), exclude=exclude)


def _unchanged(form: str, proposed: str) -> str:
    """The proposal; if it only changes case, the form in lower case ("fREE")."""
    changes_case = proposed != form and proposed.lower() == form.lower()
    return form.lower() if changes_case else proposed


def make_lemma_corrector(nlp: Language, name: str) -> LemmaCorrector:
    """The component's factory; spaCy passes both arguments, which are not needed."""
    del nlp, name
    return LemmaCorrector()


Language.factory(FACTORY, assigns=["token.lemma"], requires=["token.lemma", "token.pos"], func=make_lemma_corrector)
