"""Lists of what an activity needs, in how-tos and recipes: "You will need: a spade", "Ingredients", "Equipment"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgscripts.text.plain_words import ends_sentence

_TOOLS = r"(?:tools?|equipment|utensils?|appliances?|gear)"
_THINGS = rf"(?:{_TOOLS}|ingredients?|materials?|supplies|requirements?|things|items)"
_NEED = r"(?:you|we)(?:[ \t]+will|[’'‘`´]?ll)?(?:[ \t]+(?:also|only|just|first))?[ \t]+need"
_PURPOSE = r"(?:[ \t]+for[ \t]+[^:\r\n]{1,40})?"
_HEADING = (
    rf"(?:(?:the|your|kitchen|cooking|garden|list[ \t]+of)[ \t]+){{0,3}}"
    rf"{_THINGS}(?:[ \t]*(?:[&/,+]|and|or)[ \t]*{_THINGS}){{0,3}}(?:[ \t]+(?:list|needed|required|{_NEED}))?"
    rf"|(?:(?:what|stuff|all)[ \t]+)?{_NEED}(?:[ \t]+the[ \t]+following(?:[ \t]+{_THINGS})?)?"
    r"|(?:please[ \t]+)?bring(?:[ \t]+along)?(?=[ \t]*:)|(?:get|buy)(?=[ \t]*:)"
    r"|have[ \t]+(?:these|the[ \t]+following)(?:[ \t]+things)?[ \t]+(?:to|at)[ \t]+hand"
    r"|what[ \t]+is[ \t]+needed|what[ \t]+do[ \t]+(?:you|i)[ \t]+need|shopping[ \t]+list|needed|required"
)
_ALONE = re.compile(rf"(?:{_HEADING}){_PURPOSE}[ \t]*(?:\([^()\r\n]*\))?[ \t]*[:?]?", re.IGNORECASE)
_SENTENCE = re.compile(
    r"(?:(?:first|now)[ \t,]+)?(?:(?:for|to)\b[^,.;:!?\r\n]{1,60}?,?[ \t]+)?"
    rf"(?:all[ \t]+)?{_NEED}[ \t]+(?!to\b|the[ \t]+following|[^\s,]+ing[ \t])"
    r"|(?:first[ \t,]+)?(?:gather|assemble|get)[ \t]+(?:up[ \t]+|together[ \t]+)?"
    r"(?=(?:an?|some|your|\d+|two|three|four|five|six)\b[^.!?;:\r\n]*?(?:,|[ \t]and[ \t]+(?:an?|some|your|\d+)\b))",
    re.IGNORECASE,
)
"""The beginning of a sentence that names what is needed: "You will need a kite and ...", "Gather a bowl, ..."."""
_BEFORE_LIST = re.compile(
    rf"(?:#{{1,6}}[ \t]*)?[*_]{{0,3}}(?:{_HEADING}){_PURPOSE}[ \t]*(?:\([^()\r\n]*\))?[*_]{{0,3}}"
    r"(?:[ \t]*(?:[:?]|\r|\n)[*_]{0,3}|[ \t]+[–—-][ \t])",
    re.IGNORECASE,
)
_LONGEST_HEADING = 200
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_PARENTHESIS = re.compile(r"\([^()]*\)")
_SEPARATOR = re.compile(r"[\r\n,;&•+]+|[ \t](?:and|or|plus)(?=[ \t])", re.IGNORECASE)
_ONLY_TOOLS = re.compile(_TOOLS, re.IGNORECASE)
_ANY_THING = re.compile(_THINGS, re.IGNORECASE)


def is_needs_heading(line: str) -> bool:
    """Whether a line is the heading of such a list and nothing else."""
    return len(line) <= _LONGEST_HEADING and _ALONE.fullmatch(line.strip("*_# \t")) is not None


def needs_end(text: str) -> int:
    """The end of a list that begins with its heading ("Tools: spade, stake"): its first sentence end; 0 for other
    texts."""
    heading = len(heading_of(text))
    if not heading or not text[heading:].strip():
        return 0
    ends = (match.end() for match in _SENTENCE_END.finditer(text, heading) if ends_sentence(text, match.start()))
    return next(ends, len(text))


def heading_of(text: str) -> str:
    """The heading that a list begins with, "" where it has none."""
    heading = _BEFORE_LIST.match(text, 0, _LONGEST_HEADING)
    return heading[0] if heading else ""


def opening_of(sentence: str) -> str:
    """The words before the things that a sentence says are needed ("You will need"), "" for other sentences."""
    opening = _SENTENCE.match(sentence, 0, _LONGEST_HEADING)
    return opening[0] if opening else ""


def names_tools(heading: str) -> bool:
    """Whether a heading names nothing but tools ("Equipment", not "Tools and materials")."""
    things = _ANY_THING.findall(heading)
    return bool(things) and all(map(_ONLY_TOOLS.fullmatch, things))


def names_ingredients(heading: str) -> bool:
    """Whether the things below a heading are used up."""
    return "ingredient" in heading.lower() and _ONLY_TOOLS.search(heading) is None


def item_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the listed things: the stretches between commas, "and" and line ends, after what is before them."""
    # Remarks in parentheses may contain commas.
    plain = _PARENTHESIS.sub(lambda match: " " * len(match[0]), text)
    start = len(heading_of(text) or opening_of(text))
    for separator in _SEPARATOR.finditer(plain, start):
        yield start, separator.start()
        start = separator.end()
    yield start, len(plain)
