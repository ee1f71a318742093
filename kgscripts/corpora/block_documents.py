"""Blocks of a text as documents: how-tos with headings and lists, or headings, paragraphs and lists as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise

from kgscripts.corpora.blocks import Block, Kind, heads_step, starts_numbers, without_marker
from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.how_tos import HowTo, LinedText, Section
from kgscripts.corpora.needs import is_needs_heading, item_spans, names_tools, needs_end
from kgscripts.text.lexicon import word_classes
from schemas.records import Document, Passage, PassageKind

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
_BEHIND = "|".join(sorted(word_classes("kgscripts.corpora", "headings.txt")["behind steps"]))
"""Words that headings behind the steps begin with."""
_END = re.compile(
    rf"(?:(?:recipe|cook'?s?|chef'?s?|the|more|pro|top|helpful|expert) )*(?:{_BEHIND})\b.*", re.IGNORECASE
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
    if heads_step(block) and _FIRST_STEP.fullmatch(text):
        return 2
    if block.kind is not Kind.HEADING:
        return 0
    return int(_LOOSE.fullmatch(text) is not None)


def ends_list(block: Block) -> bool:
    """Whether a block is the heading of something behind the steps or the list: notes, nutrition, comments."""
    return may_be_heading(block) and _END.fullmatch(block.text) is not None


def is_number(block: Block) -> bool:
    """Whether a block is only the number of the step below: "Step 2"."""
    return _ANY_STEP.fullmatch(block.text) is not None


def is_no_step(text: str) -> bool:
    """Whether a line among steps is none: a button, an advert, a request to share."""
    return _NO_STEP.match(text) is not None or is_boilerplate(text)


_LONGEST_ITEM = 160
_NUMBER = re.compile(r"(\d{1,2})[ \t]+(?=\D)")
_AMOUNT = re.compile(r"(?:\d|[¼½¾⅓⅔⅛⅜⅝⅞])[\d\s/.,–¼½¾⅓⅔⅛⅜⅝⅞-]*[A-Za-z]")
_ENDS_SENTENCE = tuple('.!?…)"”。！？')


def how_to_of(title: str, blocks: Sequence[Block]) -> HowTo:
    """The how-to that blocks have with this title: the lists below the headings that name them.

    Of several lists of steps, the one below the plainest heading that follows a list of supplies is taken: "How to make
    it" may introduce the pictures of a blog, "Instructions" the recipe itself. Without such a heading, the steps are
    what follows the list of supplies, if it consists of sentences. Of several lists of supplies, the last before the
    steps is theirs.
    """
    headings = ((place, heading) for place, block in enumerate(blocks) if (heading := needs_heading(block)))
    needs = dict(islice(headings, _MOST_HEADINGS))
    supplies = {place: _items(blocks, place) for place, heading in needs.items() if not names_tools(heading)}
    ends = {place: end for place, (items, end) in supplies.items() if items}
    if not ends and (amounts := _amounts(blocks)):
        place, items, end = amounts
        supplies[place], ends[place], needs[place] = (items, end), end, "ingredients"
    place, sections = _best_steps(blocks, ends)
    food = [start for start in ends if "ingredient" in needs[start].lower()]
    nearest = _nearest(food or list(ends), place)
    if nearest is None and (named := _named_in_prose(blocks[:place])):
        return HowTo(title=title, supplies=named, food=False, sections=sections)
    # Beside a list of ingredients, "You will need" names tools.
    tools = [start for start in needs if names_tools(needs[start]) or (food and start in ends and start not in food)]
    return HowTo(
        title=title,
        tools=next((items for start in tools if (items := _items(blocks, start)[0])), ()),
        supplies=supplies[nearest][0] if nearest is not None else (),
        food=bool(food) or nearest is None,
        sections=sections,
    )


def _named_in_prose(blocks: Sequence[Block]) -> list[str]:
    """The things of the last paragraph that names what is needed: "Have these to hand: a bucket, a sponge."."""
    for block in reversed(blocks):
        if block.kind is Kind.PARAGRAPH and (end := needs_end(block.text)):
            text = block.text[:end]
            items = (text[slice(*span)].strip(" .") for span in item_spans(text))
            return [item for item in items if item]
    return []


def _nearest(starts: Sequence[int], place: int) -> int | None:
    """The last of these places before another one, else the first after it; None if there are none."""
    before = [start for start in starts if start < place]
    return before[-1] if before else min(starts, default=None)


def _best_steps(blocks: Sequence[Block], supplies: Mapping[int, int]) -> tuple[int, list[Section]]:
    """The place of the heading of the steps, and the steps; `supplies` has the ends of lists by their headings."""
    best: tuple[tuple[int, bool], int, list[Section]] | None = None
    headings = ((place, plain) for place, block in enumerate(blocks) if (plain := plainness(block)))
    for place, plain in islice(headings, _MOST_HEADINGS):
        if sections := _sections(blocks, place):
            near = any(start < place < end + _NEAR for start, end in supplies.items())
            score = (near + plain, sum(len(section.steps) for section in sections) > 1)
            if best is None or score > best[0]:
                best = (score, place, sections)
    if best is not None:
        return best[1:]
    for end in reversed(list(supplies.values())):
        below = end < len(blocks) and blocks[end].kind is Kind.HEADING
        for place in range(end - 1 + below, min(end + 3, len(blocks))):
            sections = _sections(blocks, place)
            steps = [step for section in sections for step in section.steps]
            if len(steps) > 1 and sum(step.endswith(_ENDS_SENTENCE) for step in steps) > len(steps) / 2:
                return place, sections
    return len(blocks), []


_MOST_HEADINGS = 50
_MOST_BLOCKS = 2_000
"""At most this number of headings of a kind, and of blocks below one, are looked at: a hostile page has more."""
_NEAR = 60
"""Steps that begin at most this number of blocks after a list of supplies belong to it."""


def _sections(blocks: Sequence[Block], heading: int) -> list[Section]:
    """The steps below a heading: the items of lists, or paragraphs where there is no list."""
    # A bold line is below every heading (1 to 6), so that each of them ends its steps.
    level = blocks[heading].level if blocks[heading].kind is Kind.HEADING else 7
    name = without_marker(blocks[heading].text) if heads_step(blocks[heading]) else ""
    sections: list[tuple[str, list[str]]] = [(name, [])]
    kind: Kind | None = None
    ordered = 0
    for place in range(heading + 1, min(heading + _MOST_BLOCKS, len(blocks))):
        block = blocks[place]
        text = without_marker(block.text)
        if not text or is_number(block) or _is_caption(blocks, place):
            continue
        if ends_list(block) or needs_heading(block):
            break
        is_step = heads_step(block)
        if is_step or block.kind is Kind.HEADING or (block.marked and kind is not None and block.kind is not kind):
            is_above = block.kind is Kind.HEADING and block.level < level and kind is not None
            if not is_step and (is_above or not _goes_on(blocks, place, kind)):
                break
            sections.append((text.rstrip(":"), []))
        elif is_no_step(text):
            if kind is not None and block.kind is Kind.PARAGRAPH:
                break
        elif kind not in (None, block.kind):
            break
        elif block.kind is Kind.PARAGRAPH and kind is None and _list_follows(blocks, place):
            continue  # a remark before the list
        elif block.kind is Kind.PARAGRAPH and len(text) <= SHORT and not text.endswith(_ENDS_SENTENCE):
            if kind is not None and not _goes_on(blocks, place, kind):
                break
            if text.endswith(":") or block.marked:
                sections.append((text.rstrip(":"), []))
        elif ordered and not block.ordered and block.level <= ordered and not _numbers_follow(blocks, place):
            break  # another list than the numbered one
        else:
            kind, ordered = block.kind, block.level if block.ordered else ordered
            sections[-1][1].append(text)
    return _without_numbers([Section(name=name, steps=steps) for name, steps in sections if steps])


def _without_numbers(sections: list[Section]) -> list[Section]:
    """The sections, whose steps lose their numbers if they are counted from 1 throughout."""
    steps = [step for section in sections for step in section.steps]
    numbers = [match[1] if (match := _NUMBER.match(step)) else "" for step in steps]
    if len(steps) < 2 or numbers != [str(place + 1) for place in range(len(steps))]:
        return sections
    return [
        Section(name=section.name, steps=[_NUMBER.sub("", step, count=1) for step in section.steps])
        for section in sections
    ]


def _goes_on(blocks: Sequence[Block], place: int, kind: Kind | None) -> bool:
    """Whether steps of the same kind follow a heading within the steps."""
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    if following is None or following.kind is not (kind or following.kind) or following.kind is Kind.HEADING:
        return False
    return following.kind is Kind.ITEM or following.text.endswith(_ENDS_SENTENCE)


def _is_caption(blocks: Sequence[Block], place: int) -> bool:
    """Whether a block is a short line before the heading of a step: what a picture of the step before shows."""
    block = blocks[place]
    is_line = block.kind is Kind.PARAGRAPH and not block.marked and len(block.text) <= SHORT
    followed = any(map(heads_step, blocks[place + 1 : place + 2]))
    return is_line and followed and not block.text.endswith(_ENDS_SENTENCE)


def _numbers_follow(blocks: Sequence[Block], place: int) -> bool:
    """Whether a numbered list goes on before the next heading or paragraph."""
    for block in islice(blocks, place, place + _NEAR):
        if block.kind is not Kind.ITEM or block.ordered:
            return block.ordered
    return False


def _list_follows(blocks: Sequence[Block], place: int) -> bool:
    return any(block.kind is Kind.ITEM and block.ordered for block in blocks[place + 1 : place + 4])


def _items(blocks: Sequence[Block], heading: int) -> tuple[list[str], int]:
    """The items below a heading, also below headings within them ("For the sauce"), and where they end.

    Without a list, the items are short lines up to the next heading.
    """
    listed: list[str] = []
    lines: list[str] = []
    end = heading + 1
    level = blocks[heading].level if blocks[heading].kind is Kind.HEADING else 0
    # No list of needed things is as long, but a hostile page may be.
    for place in range(heading + 1, min(heading + 400, len(blocks))):
        block = blocks[place]
        if plainness(block) or ends_list(block):
            break
        if block.kind is Kind.HEADING and listed and block.level <= level:
            break
        if listed and starts_numbers(blocks[place - 1], block):
            break
        if block.kind is Kind.ITEM:
            if text := without_marker(block.text):
                listed.append(text)
                end = place + 1
        elif (listed and not _item_follows(blocks, place)) or (block.kind is Kind.HEADING and lines):
            break
        elif block.kind is Kind.PARAGRAPH and not listed and (text := without_marker(block.text)):
            if len(text) > _LONGEST_ITEM or text.endswith(".") or len(lines) > 100:
                break
            lines.append(text)
            end = place + 1 if place == heading + len(lines) else end
    items = [item for item in listed if len(item) <= 2 * _LONGEST_ITEM] if listed else lines
    return _without_common_end(items), end


def _without_common_end(items: list[str]) -> list[str]:
    """The items without the words that all of them end in: a button beside each ("… Add to list")."""
    words = [item.split() for item in items]
    common = 0
    # Something of each item is left, and one word alone may be common by chance ("salt", "sea salt").
    while len(items) > 2 and all(
        len(item) > common + 1 and item[-common - 1] == words[0][-common - 1] for item in words
    ):
        common += 1
    return [" ".join(item[: len(item) - common]) for item in words] if common > 1 else items


def _amounts(blocks: Sequence[Block]) -> tuple[int, list[str], int] | None:
    """The first list of which most items begin with an amount: its place, its items and its end."""
    place = 0
    while place < len(blocks):
        end = place
        while end < len(blocks) and blocks[end].kind is Kind.ITEM:
            end += 1
        items = [text for block in blocks[place:end] if (text := without_marker(block.text))]
        if len(items) > 2 and sum(bool(_AMOUNT.match(item)) for item in items) > len(items) / 2:
            return place, items, end
        place = end + 1
    return None


def _item_follows(blocks: Sequence[Block], place: int) -> bool:
    return place + 1 < len(blocks) and blocks[place + 1].kind is Kind.ITEM and len(blocks[place].text) <= 80


def document_of_blocks(
    blocks: Sequence[Block], *, title: str, name: str, format: str, url: str = "", licence: str = ""
) -> Document | None:
    """The document of a text with headings and lists; None if it has neither paragraphs nor items.

    A paragraph is a passage, the item of a numbered list is a step, and a list of needed things is one passage with its
    heading. Headings belong to no passage.
    """
    lines = LinedText()
    if title:
        lines.add(title)
    passages: list[Passage] = []
    needs: int | None = None
    for before, block in pairwise([Block(Kind.PARAGRAPH, ""), *blocks]):
        text = without_marker(block.text) if block.kind is Kind.ITEM else block.text
        is_apart = block.kind is not Kind.HEADING and is_boilerplate(text)
        if not text or is_apart or (block.kind is Kind.HEADING and text == title and not passages):
            continue
        span = lines.add(text)
        if starts_numbers(before, block):
            needs = None
        if needs_heading(block):
            needs = span.start
        elif block.kind is Kind.ITEM and needs is not None:
            if passages and passages[-1].kind is PassageKind.NEEDS and passages[-1].start == needs:
                passages.pop()
            passages.append(Passage(kind=PassageKind.NEEDS, start=needs, end=span.end))
        elif block.kind is not Kind.HEADING:
            needs = None
            is_step = block.kind is Kind.ITEM and block.ordered
            kind = PassageKind.STEP if is_step else PassageKind.PARAGRAPH
            passages.append(Passage(kind=kind, start=span.start, end=span.end))
        else:
            needs = None
    if not passages:
        return None
    return Document(name=name, format=format, text=str(lines), title=title, passages=passages, url=url, licence=licence)
