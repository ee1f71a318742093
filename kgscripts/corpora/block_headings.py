"""Which blocks are headings of steps and of needed things, and which headings end a list."""

from __future__ import annotations

import re

from kgscripts.corpora.blocks import Block, Kind
from kgscripts.corpora.needs import is_needs_heading

SHORT = 40
"""A paragraph of at most this number of characters may be a heading."""
_LONGEST_HEADING = 100
_PLAIN = re.compile(
    r"(?:the |recipe |cooking |preparation |baking |detailed |execution |step[- ]by[- ]step )?"
    r"(?:instructions?|directions?|method|procedure|steps|preparation|to make"
    r"|how to (?:make|prepare|cook|do) (?:it|this))"
    r"(?: (?:for|to) .{1,60}| steps)?\s*:?",
    re.IGNORECASE,
)
_FIRST_STEP = re.compile(r"step (?:1|one)\b.{0,80}", re.IGNORECASE)
_ANY_STEP = re.compile(r"step (?:\d{1,2}|[a-z]+)\s*[.:)–—-]*", re.IGNORECASE)
_LOOSE = re.compile(
    r"(?:how (?:to|do you) (?:make|cook|prepare|do|bake|build|clean|fix|use)\b.{0,80}|step[- ]by[- ]step\b.{0,60}"
    r"|.{0,60}\b(?:instructions|directions|method)|to (?:make|cook|prepare|assemble|serve|finish)\b.{1,60}|what to do)"
    r"\s*:?",
    re.IGNORECASE,
)
_BEHIND = (
    *("notes?", "tips?", "tricks", "nutrition(?:al)?", "video", "storage", "storing", "variations?", "substitutions?"),
    *(
        "faqs?",
        "frequently asked",
        "comments?",
        "reviews?",
        "ratings?",
        "share",
        "print",
        "pin",
        "save",
        "rate",
        "related",
    ),
    *("similar", "serving suggestions?", "you (?:may|might)", "did you (?:make|try)", "more (?:recipes|from)", "about"),
    *("author", "keywords?", "leave a", "tags?", "categor(?:y|ies)", "latest", "popular", "newsletter", "subscribe"),
    *("follow", "calories", "serving size", "course", "cuisine", "disclos", "equipment", "ingredients?", "what you"),
    *(
        "allerg",
        "featured",
        "next",
        "previous",
        "let us know",
        "have a",
        "watch",
        "shop",
        "sign up",
        "get the",
        "see also",
    ),
    *(
        "if you",
        "ask a question",
        "serves",
        "makes",
        "prep time",
        "cook time",
        "total time",
        "source",
        "adapted",
        "credit",
    ),
    *(
        "photo",
        "image",
        "copyright",
        "join",
        "reader",
        "filed",
        "posted",
        "published",
        "looking for",
        "other",
        "made this",
    ),
    *("enjoy(?:ed)? this", "love this", "tried this", "trending", "recommended", "favou?rites", "per serving"),
    "how to (?:store|freeze|reheat|serve)",
)
"""Words that headings behind the steps begin with."""
_END = re.compile(
    rf"(?:(?:recipe|cook'?s?|chef'?s?|the|more|pro|top|helpful|expert) )*(?:{'|'.join(_BEHIND)})\b.*", re.IGNORECASE
)
_NO_STEP = re.compile(
    r"(?:(?:last step: *)?(?:don['’]t forget to|post a|print|pin|save|share|rate) ?|jump to|click|tap|tag|mention"
    r"|follow|subscribe|comment|leave|let me know|if you (?:make|made|try|love)|did you|photo|image|video|keep screen"
    r"|cook mode|prevent your|advert|(?:privacy|cookie)s?|copyright|calories?|nutrition|notes?|tips?|serving|keywords?"
    r"|categories|serves \d)\b",
    re.IGNORECASE,
)


def may_be_heading(block: Block) -> bool:
    """Whether a block is a heading, or a paragraph that may be one: bold or short."""
    return block.kind is Kind.HEADING or (block.kind is Kind.PARAGRAPH and (block.marked or len(block.text) <= SHORT))


def needs_heading(block: Block) -> str:
    """The heading of a list of needed things, "" for other blocks."""
    text = block.text.strip(" :*–-")
    return text if may_be_heading(block) and is_needs_heading(text) else ""


def plainness(block: Block) -> int:
    """How plainly a block is the heading of steps: 3 ("Instructions"), 2 ("Step 1"), 1 ("How to make toast"), 0."""
    text = block.text.strip(" *–-")
    if not may_be_heading(block) or len(text) > _LONGEST_HEADING:
        return 0
    if _PLAIN.fullmatch(text):
        return 3
    if block.kind is not Kind.HEADING:
        return 0
    return 2 if _FIRST_STEP.fullmatch(text) else int(_LOOSE.fullmatch(text) is not None)


def ends_list(block: Block) -> bool:
    """Whether a block is the heading of something behind the steps or the list: notes, nutrition, comments."""
    return may_be_heading(block) and _END.fullmatch(block.text) is not None


def is_number(block: Block) -> bool:
    """Whether a block is only the number of the step below: "Step 2"."""
    return _ANY_STEP.fullmatch(block.text) is not None


def is_no_step(text: str) -> bool:
    """Whether a line among steps is none: a button, an advert, a request to share."""
    return _NO_STEP.match(text) is not None
