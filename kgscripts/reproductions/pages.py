"""Evaluation of the reading of saved pages, with and without their schema.org markup."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.corpora.json_records import json_object, string, strings
from kgscripts.corpora.source import numbered_lines
from kgscripts.corpora.web.reader import documents_of_tree, parsed_page, without_markup
from kgscripts.evaluation.result import Evaluation, Example, System, shares
from schemas.declared import Span
from schemas.errors import InputError
from schemas.records import Document, PassageKind

LIST = "pages.jsonl"


@frozen
class GoldPage:
    """A saved page with its title, ingredients and instructions, and its equipment, None where it was not noted."""

    path: Path
    title: str
    ingredients: tuple[str, ...]
    instructions: tuple[str, ...]
    equipment: tuple[str, ...] | None


def read_gold_pages(folder: Path) -> list[GoldPage]:
    """The pages of a folder, as its ``pages.jsonl`` lists them.

    Raises
    ------
    InputError
        If there is no such list, or a line of it is no page with ``file``, ``title``, ``ingredients`` and
        ``instructions``, or its file is missing.
    """
    pages = []
    for where, line in numbered_lines(folder / LIST):
        try:
            record = json_object(line)
            path = folder / Path(string(record, "file")).name
            equipment = tuple(strings(record, "equipment")) if record.get("equipment") is not None else None
            pages.append(
                GoldPage(
                    path,
                    string(record, "title"),
                    tuple(strings(record, "ingredients")),
                    tuple(strings(record, "instructions")),
                    equipment,
                )
            )
        except InputError as error:
            raise InputError(
                error.message, where=where, remedy="list file, title, ingredients, instructions"
            ) from error
        if not path.is_file():
            raise InputError(f"the page {path.name} is missing", where=where, remedy="put it beside the list")
    if not pages:
        raise InputError("no page in the list", where=str(folder / LIST), remedy="list one page a line")
    return pages


READER = "pages"
_WHOLE, _TEXT_ONLY = "with markup", "main text only"
_SENTENCE_END = re.compile(r"(?<=[.!?…。])[\"'”’)\]]*\s+|\n+")
_MARKER = re.compile(r"\A\s*(?:step\s*)?\d{1,2}(?:\s*[.):]|\b(?=\s+\D))\s*", re.IGNORECASE)
_SITE = re.compile(r"\s+(?:[|»–—-])\s+")


def evaluate_pages(
    folder: Path, *, split: str | None = None, progress: Callable[[int], None] = lambda _: None
) -> Evaluation:
    """How well the pages of a folder are read, each by its first document, and again without schema.org markup.

    Texts are compared by their letters and digits only. A sentence of the instructions is found if it stands in the
    steps and the headings of their sections, in one piece; a sentence of the steps is right if it stands in the
    instructions. Ingredients and tools are compared as whole lines; a tool also counts if one name contains the other.
    A title is right if it is equal without the name of the site behind it. Shares are over all sentences or items of
    all pages.

    Raises
    ------
    InputError
        If the folder has no readable list of pages.
    """
    pages = read_gold_pages(folder)
    totals = {_WHOLE: _Totals(), _TEXT_ONLY: _Totals()}
    examples: list[Example] = []
    for number, page in enumerate(pages, 1):
        data = page.path.read_bytes()
        for setting, total in totals.items():
            document = _read(data, page.path.name, markup=setting == _WHOLE)
            missed, wrong = total.add(page, document)
            if missed or wrong:
                examples.append(
                    Example(
                        system=f"{READER} ({setting})", where=page.path.name, text=page.title, gold=missed, found=wrong
                    )
                )
        progress(number)
    return Evaluation(
        task="pages",
        dataset="saved pages",
        split=split or folder.resolve().name,
        items={"pages": len(pages), "sentences": totals[_WHOLE].counts["gold sentences"]},
        systems=[
            System(name=READER, setting=setting, figures=shares(total.shares())) for setting, total in totals.items()
        ],
        notes=[
            "Examples show the sentences and items that were not found, and those that are not right.",
            "Equipment is noted for some pages only.",
        ],
        examples=examples,
    )


def _read(data: bytes, name: str, *, markup: bool) -> Document | None:
    tree = parsed_page(data)
    if tree is None:
        return None
    try:
        return next(iter(documents_of_tree(tree if markup else without_markup(tree), name)), None)
    except InputError:  # trafilatura is missing: the page is set aside
        return None


@define
class _Totals:
    """Counts over pages."""

    counts: Counter[str] = field(factory=Counter)

    def add(self, page: GoldPage, document: Document | None) -> tuple[list[str], list[str]]:
        """Count a page; return what of it was not found, and what was found and is not right."""
        counts = self.counts
        counts["pages"] += 1
        counts["titles"] += document is not None and _same_title(page.title, document.title)
        gold = [sentence for text in page.instructions for sentence in _sentences(text)]
        sentences = [sentence for text in _texts(document, PassageKind.STEP) for sentence in _sentences(text)]
        said = _plain(" ".join([*_headings(document), *sentences])) if document else ""
        right = _plain(" ".join(gold))
        missed = [sentence for sentence in gold if _plain(sentence) not in said]
        wrong = [sentence for sentence in sentences if _plain(sentence) not in right]
        self._count("sentences", len(gold), len(gold) - len(missed), len(sentences), len(sentences) - len(wrong))
        supplies = _of(document, document.declared.supplies) if document else []
        both = (Counter(map(_plain, page.ingredients)) & Counter(map(_plain, supplies))).total()
        self._count("ingredients", len(page.ingredients), both, len(supplies), both)
        if page.equipment is not None:
            tools = _of(document, document.declared.tools) if document else []
            named = sum(any(map(_alike, [tool] * len(tools), tools)) for tool in page.equipment)
            fitting = sum(any(map(_alike, [tool] * len(page.equipment), page.equipment)) for tool in tools)
            self._count("tools", len(page.equipment), named, len(tools), fitting)
        known = set(map(_plain, supplies))
        missed += [item for item in page.ingredients if _plain(item) not in known]
        return missed, wrong

    def _count(self, what: str, gold: int, recalled: int, read: int, right: int) -> None:
        self.counts.update(
            {f"gold {what}": gold, f"recalled {what}": recalled, f"found {what}": read, f"right {what}": right}
        )

    def shares(self) -> dict[str, float]:
        """The figures, in the order in which they are printed."""
        counts = self.counts
        figures = {
            "title": _share(counts["titles"], counts["pages"]),
            "instructions, recall": _share(counts["recalled sentences"], counts["gold sentences"]),
            "instructions, precision": _share(counts["right sentences"], counts["found sentences"]),
            "ingredients, recall": _share(counts["recalled ingredients"], counts["gold ingredients"]),
            "ingredients, precision": _share(counts["right ingredients"], counts["found ingredients"]),
        }
        if counts["gold tools"]:
            figures["tools, recall"] = _share(counts["recalled tools"], counts["gold tools"])
            figures["tools, precision"] = _share(counts["right tools"], counts["found tools"])
        return figures


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _plain(text: str) -> str:
    """The letters and digits of a text."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def _sentences(text: str) -> Iterator[str]:
    """The sentences of an instruction without its number."""
    for sentence in _SENTENCE_END.split(_MARKER.sub("", text, count=1)):
        if _plain(sentence):
            yield sentence


def _same_title(gold: str, title: str) -> bool:
    return bool(_plain(title)) and bool(
        {_plain(title), _plain(_SITE.split(title)[0])} & {_plain(gold), _plain(_SITE.split(gold)[0])}
    )


def _alike(one: str, other: str) -> bool:
    """Whether two names of tools are the same, or one contains the other ("1 Whisk")."""
    first, second = _plain(one), _plain(other)
    return bool(first and second) and (first in second or second in first)


def _of(document: Document, spans: Iterable[Span]) -> list[str]:
    return [document.text[span.start : span.end] for span in spans]


def _texts(document: Document | None, kind: PassageKind) -> list[str]:
    """The texts of the passages of a kind; of a text without steps, all paragraphs count as steps."""
    if document is None:
        return []
    kinds = {passage.kind for passage in document.passages}
    if kind not in kinds:
        kind = PassageKind.PARAGRAPH
    return _of(document, [Span(start=item.start, end=item.end) for item in document.passages if item.kind is kind])


def _headings(document: Document) -> Sequence[str]:
    """The first line of each section."""
    sections = (item for item in document.passages if item.kind is PassageKind.SECTION)
    return [document.text[item.start : item.end].split("\n", 1)[0] for item in sections]
