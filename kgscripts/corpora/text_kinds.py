"""What a text is: prose, or markup, a log, a table, data or code, in which no steps can be read.

A text is none of prose if most of its characters are in lines that prose does not have. One table, one block of code or
some tags in a how-to change nothing, and neither does what the readers skip: front matter and fenced code.

py3langid (https://github.com/adbar/py3langid), which needs no network, tells whether a text is in English.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from attrs import frozen

from kgscripts.corpora.markdown_tables import without_tables
from kgscripts.corpora.plain_text import front_matter
from kgscripts.text.lexicon import word_list
from schemas.errors import ModelError
from schemas.records import Discard, DiscardReason, Document

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


_EXAMINED_LETTERS = 5_000
"""The number of characters that are examined, from the beginning."""
_LEAST_BYTES = 100
"""Shorter texts have no language: a few words, one step. In bytes of UTF-8, since a Chinese word is two characters."""
_LIKELIEST = 3
"""Neighbouring languages share their probability (Danish and Norwegian; Croatian and Serbian)."""
_LEAST_PROBABILITY = 0.9
_NOT_OTHER = frozenset({"en", "pcm", "zxx"})
"""English; Nigerian Pidgin, for which steps without articles are taken; and addresses and numbers."""

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_list("english")
"""Common words that other languages have not."""
_LEAST_SHARE = 0.1


def in_english(document: Document) -> Document | Discard:
    """The document, or a discard if it is in another language.

    Raises ModelError if the detector cannot be loaded.
    """
    language = other_language(document.text)
    if not language:
        return document
    detail = f"its language looks like {language!r}; only English is read"
    return Discard(reason=DiscardReason.OTHER_LANGUAGE, where=document.name, detail=detail)


def other_language(text: str) -> str:
    """The code (ISO 639) of the language of a text; "" for English, and for a text that is short or of no language.

    Most English is recognised by its commonest words. Loading the detector takes a second and 130 MB, which builds of
    English stories are thus spared.

    Raises ModelError if the detector cannot be loaded.
    """
    text = text[:_EXAMINED_LETTERS].lower()
    if len(text.encode("utf-8", "replace")) < _LEAST_BYTES:
        return ""
    words = _WORD.findall(text)
    if sum(word in _ENGLISH for word in words) >= _LEAST_SHARE * len(words):
        return ""
    likeliest = _detector().rank(text)[:_LIKELIEST]
    is_sure = sum(probability for _, probability in likeliest) >= _LEAST_PROBABILITY
    return likeliest[0][0] if is_sure and _NOT_OTHER.isdisjoint(language for language, _ in likeliest) else ""


@cache
def _detector() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"the language detector cannot be loaded: {error}",
            where="py3langid",
            remedy="make room for temporary files, or reinstall py3langid",
        ) from error


_EXAMINED = 20_000
"""The number of characters that are examined, from the beginning."""
_LEAST_LINES = 3
_LONGEST_LINE = 300
"""Longer lines are judged by their symbols only."""

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)

_PAGE = re.compile(r"(?:<\?xml\b[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype|html|svg|rss|feed)\b", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?(?!https?:|mailto:)[A-Za-z][\w:-]*(?:[\s/][^<>]{0,300})?>|<!--")
_LEAST_TAGS = 4
_SHARE_OF_TAGS = 0.25
_LATEX = re.compile(r"\\(?:documentclass|usepackage|begin\{|end\{|(?:sub)*section\b|chapter\b|item\b|title\{|author\{)")
_LEAST_COMMANDS = 3

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)"
_LOG = re.compile(
    rf"""\[?(?:\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d\S*|[A-Z][a-z]{{2}}\s+\d{{1,2}}\s\d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d+)\b
      .*(?:\b{_LEVEL}\b|\w\[\d+\]:|\w=\S)
    | \[?{_LEVEL}\b\]?[:\s]\s*\S
    | \S+\s\S+\s\S+\s\[\d\d/[A-Z][a-z]{{2}}/\d{{4}}:
    | at\s[\w$.<>/]+\(.*\)$ | at\s.*:\d+:\d+\)?$ | File\s".+",\sline\s\d+ | Traceback\s\(most\srecent | Caused\sby:\s
    | (?:Exception\sin\sthread\s.*|(?:[\w$]+\.)*[\w$]+(?:Exception|Error)\b(?::.*|$)) | \.\.\.\s\d+\smore$
    """,
    re.VERBOSE,
)
_CODE = re.compile(
    r"""[}\])]+[;,]*\s*\w*\s*[{(]? | [\[{(]+ | .*[)\w"'=>\]*]\s*\{ | .*[)=\]}"'\w;]\s*\}[;,]?       # brackets
    | "[^"]*"\s*:.* | [-\w]+\s*:[^;]*;                                                            # JSON, CSS
    | (?:[^\s()]*\(.*\)|.*\]|.*=.*); | [\w.\[\]"'$-]+\s*(?:[-+*/:]?=)\s*\S.*                      # statements
    | (?:[\w$]+\.)*[\w$]*[_.$\w]\([^()]*\)[;,]?
    | import\s[\w.]+(?:\sas\s\w+)?;? | (?:import|using|package)\s[\w.*{}\s,]+; | from\s[\w.]+\simport\s.*
    | (?:import|export)\s.*\sfrom\s["'].*
    | (?:(?:export|async|public|private|static|final)\s)*
      (?:(?:def|class|function|fn|func|interface|struct|enum)\s+\w+\s*[({:<].*
        |(?:const|let|var|int|float|double|bool|void|auto)\s+[\w<>\[\]]+\s*[=;({].*)
    | (?:if|elif|for|while|switch|with|except|return|else)\b.*[=()\[\]<>"'].*[:{;)] | (?:else|try|finally|do)\s*[:{]
    | (?:return|raise|yield|await)\s[^\s]*[(\[._=].* | (?://|/\*|\*/|\#include|\#define|\#!/).* | @\w+(?:\(.*\))?
    | (?:SELECT|INSERT\sINTO|CREATE\sTABLE|UPDATE|DELETE\sFROM|ALTER\sTABLE)\s.*[*=(;].*
    """,
    re.VERBOSE,
)
_SYMBOL = re.compile(r"[{<=;|&$\\]")
"""Symbols of code; square brackets are in transcripts too ("[laughs]")."""
_AS_OPENING = str.maketrans("}>", "{<")
_LEAST_SYMBOLS = 3
_SHARE_OF_SYMBOLS = 0.06

_JSON = re.compile(r"""[\[{]\s*["\[{] | [\[\]{}]+,?$ | "(?:[^"\\]|\\.)*"\s*:\s*\S | "(?:[^"\\]|\\.)*",?$""", re.VERBOSE)
_KEY = re.compile(r"(?:- +)?(?:[A-Za-z_][\w./-]*|\"[^\"]+\"|'[^']+'):(?:[ \t]+(?P<value>\S.*))?|- +(?P<item>\S.*)|#.*")
_SCALAR = re.compile(r"""[-+]?\d[\d.:_-]*|[|>&*!\[{].*|"[^"]*"|'[^']*'|[\w@${}./:-]+""")
_SECTION = re.compile(r"\[[\w. \"-]+\]")
_SETTING = re.compile(r"[\w.-]+ ?= ?\S.*|[;#].*")

_NUMBER = re.compile(r"[-+]?[$€£]?\d+(?:[.:/-]\d+)*%?")
_MARKS = re.compile(r"[01](?: [01])*")


@frozen
class OtherKind:
    """What a text is that is not prose: the reason to leave it out, and what it looks like, with the remedy."""

    reason: DiscardReason
    detail: str


def other_kind(text: str) -> OtherKind | None:
    """What a text is, judged by its beginning; None for prose."""
    text = without_tables(text[front_matter(text).end :][:_EXAMINED].strip())
    plain = _FENCED.sub("", text)
    lines = [line.strip() for line in (plain if plain.strip() else text).splitlines() if line.strip()]
    if kind := _markup(text, lines):
        return OtherKind(DiscardReason.MARKUP, f"looks like {kind}; save its words as plain text")
    if len(lines) >= _LEAST_LINES and _most(lines, lambda line: _LOG.match(line[:_LONGEST_LINE]) is not None):
        return OtherKind(DiscardReason.LOG, "looks like a log or a stack trace; leave it out")
    if kind := _table(lines):
        return OtherKind(DiscardReason.TABLE, f"looks like {kind}; write its steps as plain text or JSON lines")
    if kind := _data(lines):
        return OtherKind(DiscardReason.CODE, f"looks like {kind}; write its steps as plain text or JSON lines")
    if _is_code(lines):
        return OtherKind(DiscardReason.CODE, "looks like code; leave it out")
    return None


def _most(lines: Sequence[str], is_such: Callable[[str], bool]) -> bool:
    """Whether more than half of the characters are in such lines."""
    return 2 * sum(len(line) for line in lines if is_such(line)) > sum(map(len, lines))


def _markup(text: str, lines: Sequence[str]) -> str:
    if _PAGE.match(text):
        return "HTML or XML"
    if len(_LATEX.findall(text)) >= _LEAST_COMMANDS:
        return "LaTeX"
    tags = _TAG.findall(text)
    if len(tags) < _LEAST_TAGS:
        return ""
    dense = sum(map(len, tags)) > _SHARE_OF_TAGS * len(text)
    return "HTML or XML" if dense or _most(lines, lambda line: _TAG.match(line) is not None) else ""


def _table(lines: Sequence[str]) -> str:
    """The name of a kind of table, "" if most lines are not rows of the same number of cells."""
    if len(lines) < _LEAST_LINES:
        return ""
    for delimiter, name in ((",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")):
        if not all(delimiter in line for line in lines[:2]):
            continue
        try:
            rows = list(csv.reader(lines, delimiter=delimiter))
        except csv.Error:
            continue
        (columns, count), *_ = Counter(map(len, rows)).most_common(1)
        regular = [row for row in rows if len(row) == columns]
        few_others = 5 * count >= 4 * len(rows) and 2 * _characters(regular) > _characters(rows)
        if columns > 1 and count >= _LEAST_LINES and few_others and _are_cells(regular, delimiter):
            return f"a table with {name}s between its cells"
    return ""


def _characters(rows: Sequence[Sequence[str]]) -> int:
    return sum(len(cell) for row in rows for cell in row)


def _are_cells(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Whether rows are those of a table, and neither sentences with as many commas nor pairs of instructions."""
    columns = list(zip(*rows[1:], strict=True))
    numeric = [
        sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in column) > 0.8 * len(column) for column in columns
    ]
    if delimiter == "\t":
        is_cloze = len(columns) == 3 and sum(_MARKS.fullmatch(row[2]) is not None for row in rows) > len(rows) / 2
        return any(numeric[:2]) or len(columns) > 3 or (len(columns) == 3 and not is_cloze)
    if delimiter == "|":
        return len(columns) > 2
    tight = sum(not cell.startswith(" ") for row in rows for cell in row[1:]) > 0.8 * len(rows) * (len(columns) - 1)
    if len(columns) > 2:
        return tight or any(numeric)
    # "1,5 kg of flour" is no row, and neither is "Boil the water,then add the pasta".
    is_decimal = sum(row[1][:1].isdigit() for row in rows) > len(rows) / 2 and all(numeric[:1])
    has_header = all(len(cell.split()) == 1 and not cell.endswith((".", "!", "?")) for cell in rows[0])
    return tight and not is_decimal and (any(numeric) or has_header)


def _data(lines: Sequence[str]) -> str:
    """JSON, YAML or settings; "" for other texts."""
    if lines and lines[0][0] in "[{" and _most(lines, lambda line: _JSON.match(line) is not None):
        return "JSON"
    if len(lines) < _LEAST_LINES:
        return ""
    if sum(map(bool, map(_SECTION.fullmatch, lines))) and _most(lines, lambda line: bool(_SETTING.fullmatch(line))):
        return "settings"
    keys = [key for line in lines if (key := _KEY.fullmatch(line[:_LONGEST_LINE]))]
    values = [value for key in keys if (value := key["value"] or key["item"])]
    scalar = sum(_SCALAR.fullmatch(value) is not None for value in values)
    nested = any(a.endswith(":") and not b.endswith(":") for a, b in pairwise(lines))
    return "YAML" if len(keys) > 0.8 * len(lines) and nested and scalar > 0.7 * len(values) else ""


def _is_code(lines: Sequence[str]) -> bool:
    return (len(lines) >= _LEAST_LINES and _most(lines, _is_code_line)) or _most(lines, _is_dense)


def _is_code_line(line: str) -> bool:
    return _is_dense(line) or (len(line) <= _LONGEST_LINE and _CODE.fullmatch(line) is not None)


def _is_dense(line: str) -> bool:
    """Whether a line has as many brackets and operators as minified code."""
    symbols = _SYMBOL.findall(line.translate(_AS_OPENING))
    return len(set(symbols)) >= _LEAST_SYMBOLS and len(symbols) > _SHARE_OF_SYMBOLS * len(line) and len(line) > 60
