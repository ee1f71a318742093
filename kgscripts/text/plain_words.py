"""Words as a parser reads them: without the full stops of abbreviations, and without signs that nobody sees.

A parser takes the full stop of "1 tsp. salt" for the end of a sentence, and does not know a word with a soft hyphen or
a ligature in it. It reads a plain view of a text; its result gets the words and the offsets of the text again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kgscripts.text.lexicon import abbreviations, classes_of, foods, verbs

if TYPE_CHECKING:
    from spacy.tokens import Doc

_ODD = re.compile(
    r"(?P<unseen>[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]+)"
    r"|(?P<hyphen>[\u2010\u2011\ufe63\uff0d])"
    r"|[A-Za-z][\u0300-\u036f]+|[\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
"""Marks without width or of direction, soft hyphens; hyphens; composed, joined, wide and styled letters."""
_ABBREVIATION = re.compile(r"(?<![A-Za-z.'’])(?P<word>[A-Za-z]{1,6})\.(?=(?P<gap>[\s,;:)\]/–—-]*)(?P<next>[^\s.!?…]+))")
_NUMBER_BEFORE = re.compile(
    r"(?:[\d½⅓⅔¼¾⅛⅜⅝⅞]|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|half|sq|cu)\.?)"
    r"[\s-]*\Z",
    re.IGNORECASE,
)
BULLET = (
    r"[•‣⁃∙·●\u2190-\u21ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\U0001f446-\U0001f449\U0001f4cc\U0001f518-\U0001f53b]"
)
"""A sign that is the marker of an item of a list, as a regular expression."""
_GLUED_MARKER = re.compile(rf"(?:\A|(?<=[\r\n]))[ \t]*(?:[*+–—-]|{BULLET}|\d{{1,3}}[.:/])(?=[^\W\d_])")
"""The marker of an item of a list without a blank behind it: "-Bucket", "1.Bucket"."""
# Characters before a full stop; only these are looked at, so that time is linear.
_FARTHEST = 12
_BEHIND_VERB = re.compile(
    r"\s+(?:the|an?|your|my|it|them|all|each)\b"
    r"|(?P<loose>\s+(?:in|into|on|onto|up|off|out|down|over|with|together|until|to|and|well|for|again)\b|\s*[.,;!]|\s*\Z)",
    re.IGNORECASE,
)


@frozen
class PlainView:
    """A text as it is read: `origins` has the place in the text of each of its characters, and of its end."""

    text: str
    origins: tuple[int, ...]

    def restored(self, doc: Doc, original: str) -> Doc | None:
        """The parse of this view, with the words and offsets of the original text; None if a letter was cut.

        A word keeps its plain form as `lower_` and `norm_`: "tsp." is read as "tsp".
        """
        from spacy.tokens import Doc  # here, since importing spaCy takes long and a build may have nothing to parse

        words = []
        start = 0
        for token in doc:
            end = self.origins[token.idx + len(token)]
            words.append(original[start:end])
            start = end + bool(token.whitespace_)
        if not all(words):
            return None
        for token, word in zip(doc, words, strict=True):
            if word != token.text:
                lexeme = doc.vocab[word]
                lexeme.lower_, lexeme.norm_ = token.lower_, token.norm_
        # Where nothing was parsed, sentences are known by their starts alone.
        bounds = ["DEP", "HEAD"] if doc.has_annotation("DEP") else ["SENT_START"]
        parts: list[int | str] = [*bounds, "LEMMA", "MORPH", "POS", "TAG"]
        same = Doc(doc.vocab, words=words, spaces=[bool(token.whitespace_) for token in doc])
        values: Any = doc.to_array(parts)
        return same.from_array(parts, values)


def plain_view(text: str) -> PlainView | None:
    """The plain view of a text; None if the text is plain."""
    seen = _edited(text, ((*match.span(), _plain(match)) for match in _ODD.finditer(text)))
    inner = seen.text if seen else text
    glued = ((match.end() - 1, " ") for match in _GLUED_MARKER.finditer(inner))
    stops = _edited(inner, ((at, at + 1, instead) for at, instead in sorted({*_needless_stops(inner), *glued})))
    if seen is None or stops is None:
        return seen or stops
    return PlainView(stops.text, tuple(seen.origins[place] for place in stops.origins))


def visible(text: str) -> str:
    """The text in plain letters, without marks that are not seen."""
    return _ODD.sub(_plain, text)


def ends_sentence(text: str, stop: int) -> bool:
    """Whether the full stop at this place is not that of an abbreviation within a sentence."""
    before = _ABBREVIATION.search(text, max(0, stop - _FARTHEST))
    while before and before.end() <= stop:
        before = _ABBREVIATION.search(text, before.end())
    return before is None or before.end() != stop + 1 or not _goes_on(before)


def _edited(text: str, edits: Iterable[tuple[int, int, str]]) -> PlainView | None:
    """The view of a text after edits, in order; None without any."""
    parts: list[str] = []
    origins: list[int] = []
    place = 0
    for start, end, instead in edits:
        parts += text[place:start], instead
        origins += *range(place, start), *[start] * len(instead)
        place = end
    if not parts:
        return None
    return PlainView("".join((*parts, text[place:])), (*origins, *range(place, len(text) + 1)))


def _plain(odd: re.Match[str]) -> str:
    if odd["unseen"]:
        return ""
    return "-" if odd["hyphen"] else unicodedata.normalize("NFKC", odd[0])


def _needless_stops(text: str) -> Iterator[tuple[int, str]]:
    """The full stops of abbreviations within sentences, each with what is read instead: a space where none follows."""
    for match in _ABBREVIATION.finditer(text):
        if _goes_on(match):
            yield match.end() - 1, "" if match["gap"] else " "


def _goes_on(match: re.Match[str]) -> bool:
    """Whether a word with a full stop is an abbreviation, and its sentence goes on."""
    text, word, following = match.string, match["word"].lower(), match["next"]
    start = match.start()
    is_counted = _NUMBER_BEFORE.search(text, max(0, start - _FARTHEST), start) is not None
    if following[0].isdigit() and word in abbreviations("before a number"):
        return True
    if word in abbreviations("unit behind a number") or word == "no" or not match["gap"]:
        if not is_counted or word == "no":
            return False
    elif word not in abbreviations("abbreviation") and (
        set(word) & set("aeiouy") or (len(word) < 2 and not is_counted)
    ):
        return False
    if not match["gap"].isspace() and match["gap"]:
        return True
    next_word = re.match(r"[^\W\d_]*", following)
    name = next_word[0] if next_word else ""
    if not name[:1].isupper() or (name.isupper() and len(name) > 1 and match["word"].isupper()):
        return not _commands(text, match.start("next"), name.lower())
    if word in abbreviations("never last"):
        return True
    after = text[match.end("next") : match.end("next") + 40].split(maxsplit=1)
    return (
        is_counted
        and word in abbreviations("unit of a thing")
        and _names_thing(name.lower(), after[0].lower() if after else "")
    )


def _commands(text: str, start: int, word: str) -> bool:
    """Whether a word begins an instruction: a verb, and what follows one."""
    behind = _BEHIND_VERB.match(text, start + len(word)) if word in verbs("action") else None
    return behind is not None and not (behind["loose"] is not None and classes_of(word))


def _names_thing(word: str, after: str) -> bool:
    """Whether a word with a capital letter, or the one after it, is a thing that is measured."""
    if word in verbs("action") or word in abbreviations("opens a sentence") or word.endswith("ly"):
        return False
    return any(noun in foods("food") or bool(classes_of(noun)) for noun in (word, after.strip(".,;:)")))
