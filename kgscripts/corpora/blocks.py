"""Blocks of a structured text, and the how-to in them: lists below "Ingredients", "Equipment", "Instructions"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from attrs import field, frozen

from kgscripts.corpora.how_tos import HowTo, Section
from kgscripts.corpora.needs import is_needs_heading, names_tools


class Kind(Enum):
    """What a block is: a heading, an item of a list, or a paragraph."""

    HEADING = "heading"
    ITEM = "item"
    PARAGRAPH = "paragraph"


@frozen
class Block:
    """A block on one line. `level` is that of a heading (1 to 6), or the depth of a list; `ordered` lists are numbered.

    `marked` says that it looks like a heading without being one: bold, or a line of its own.
    """

    kind: Kind
    text: str
    level: int = 0
    ordered: bool = False
    marked: bool = False


_EXACT = re.compile(
    r"(?:the |how to (?:make|prepare|cook) (?:it|this)|recipe |cooking |preparation |baking |detailed |step[- ]by[- ]step )?"
    r"(?:instructions?|directions?|method|procedure|steps|preparation|to make|how to make it)"
    r"(?: (?:for|to) .{1,60}| steps)?\s*:?",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"(?:how (?:to|do you) (?:make|cook|prepare|do|bake|build|clean|fix|use)\b.{0,80}|step[- ]by[- ]step\b.{0,60}"
    r"|.{0,60}\b(?:instructions|directions|method)|to (?:make|cook|prepare|assemble|serve|finish)\b.{1,60}|what to do)\s*:?",
    re.IGNORECASE,
)
_END = re.compile(
    r"(?:recipe |cook'?s? |chef'?s? |the |more |pro |top |helpful |expert )*"
    r"(?:notes?|tips?|tricks|nutrition(?:al)?|video|storage|storing|variations?|substitutions?|faqs?"
    r"|frequently asked|comments?|reviews?|ratings?|share|print|pin|save|rate|related|similar|serving suggestions?|you (?:may|might)"
    r"|did you (?:make|try)|more (?:recipes|from)|about|author|keywords?|leave a|tags?|categor(?:y|ies)|keywords?|latest|popular|newsletter"
    r"|subscribe|follow|calories|serving size|course|cuisine|disclos|equipment|ingredients?|what you|allerg|featured|next|previous"
    r"|let us know|have a|watch|shop|sign up|get the|see also|if you|ask a question|serves|makes|prep time|cook time|total time"
    r"|source|adapted|credit|photo|image|copyright|join|reader|filed|posted|published|looking for|other|made this|enjoy(?:ed)? this"
    r"|love this|tried this|trending|recommended|favou?rites|per serving|how to (?:store|freeze|reheat|serve))\b.*",
    re.IGNORECASE,
)
_NOT_STEP = re.compile(
    r"(?:(?:last step: *)?(?:don['’]t forget to|post a|print|pin|save|share|rate) ?|jump to|click|tap|tag|mention|follow|subscribe|comment|leave|let me know|if you (?:make|made"
    r"|try|love)|did you|photo|image|video|keep screen|cook mode|prevent your|advert|(?:privacy|cookie)s?|copyright|calories?"
    r"|nutrition|notes?|tips?|serving|keywords?|categories|serves \d)\b",
    re.IGNORECASE,
)
_SHORT = 40
_LONGEST_ITEM = 160
_NUMBER = re.compile(r"(\d{1,2})[ \t]+(?=\D)")
_AMOUNT = re.compile(r"(?:\d|[¼½¾⅓⅔⅛⅜⅝⅞])[\d\s/.,–¼½¾⅓⅔⅛⅜⅝⅞-]*[A-Za-z]")
_STEP_HEADING = re.compile(r"step (?:1|one)\b.{0,80}", re.IGNORECASE)
_ANY_STEP = re.compile(r"step (?:\d{1,2}|[a-z]+)\s*[.:)–—-]*", re.IGNORECASE)
_ENDS_SENTENCE = tuple('.!?…)"”。！？')


def _may_be_heading(block: Block) -> bool:
    """Whether a block is a heading, or a short line that may be one."""
    return block.kind is Kind.HEADING or (block.kind is Kind.PARAGRAPH and (block.marked or len(block.text) <= _SHORT))


@frozen(kw_only=True)
class Lists:
    """The lists of a how-to among blocks: needed things, and sections of steps."""

    tools: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    supplies: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    food: bool = True
    sections: tuple[Section, ...] = field(default=(), converter=tuple[Section, ...])


def lists_of(blocks: Sequence[Block], cleaned: Callable[[str], str]) -> Lists:
    """The lists below the headings that name them; `cleaned` removes the marker of an item.

    Of several lists of steps, the one below the plainest heading that follows a list of supplies is taken: "How to make
    it" may introduce the pictures of a blog, "Instructions" the recipe itself. Without such a heading, the steps are
    what follows the list of supplies, if it consists of sentences. Of several lists of supplies, the last before the
    steps is theirs.
    """
    needs = {place: heading for place, block in enumerate(blocks) if (heading := needs_heading(block))}
    supplies = {place: _items(blocks, place, cleaned) for place, heading in needs.items() if not names_tools(heading)}
    ends = {place: end for place, (items, end) in supplies.items() if items}
    if not ends and (amounts := _amounts(blocks, cleaned)):
        place, items, end = amounts
        supplies[place], ends[place], needs[place] = (items, end), end, "ingredients"
    place, sections = _best_steps(blocks, ends, cleaned)
    food = [start for start in ends if "ingredient" in needs[start].lower()]
    own = _nearest(food or list(ends), place)
    # Beside a list of ingredients, "You will need" names tools.
    tools = [start for start in needs if names_tools(needs[start]) or (food and start in ends and start not in food)]
    return Lists(
        tools=next((items for start in tools if (items := _items(blocks, start, cleaned)[0])), ()),
        supplies=supplies[own][0] if own is not None else (),
        food=bool(food) or own is None,
        sections=sections,
    )


def _nearest(starts: Sequence[int], place: int) -> int | None:
    """The last of these places before another one, else the first after it; None if there are none."""
    before = [start for start in starts if start < place]
    return before[-1] if before else min(starts, default=None)


def _best_steps(
    blocks: Sequence[Block], supplies: Mapping[int, int], cleaned: Callable[[str], str]
) -> tuple[int, list[Section]]:
    """The place of the heading of the steps, and the steps; `supplies` has the ends of lists by their headings."""
    best: tuple[tuple[int, bool], int, list[Section]] | None = None
    for place, block in enumerate(blocks):
        if (plainness := _plainness(block)) and (sections := _sections(blocks, place, cleaned)):
            near = any(start < place < end + _NEAR for start, end in supplies.items())
            score = (near + plainness, sum(len(section.steps) for section in sections) > 1)
            if best is None or score > best[0]:
                best = (score, place, sections)
    if best is not None:
        return best[1:]
    for end in reversed(supplies.values()):
        for place in range(end - 1, min(end + 3, len(blocks))):
            sections = _sections(blocks, place, cleaned)
            steps = [step for section in sections for step in section.steps]
            if len(steps) > 1 and sum(step.endswith(_ENDS_SENTENCE) for step in steps) > len(steps) / 2:
                return place, sections
    return len(blocks), []


_NEAR = 60
"""Steps that begin at most this number of blocks after a list of supplies belong to it."""


def how_to_of(title: str, lists: Lists) -> HowTo:
    """The how-to with these lists."""
    return HowTo(title=title, tools=lists.tools, supplies=lists.supplies, food=lists.food, sections=lists.sections)


def needs_heading(block: Block) -> str:
    """The heading of a list of needed things, "" for other blocks."""
    text = block.text.strip(" :*–-")
    return text if _may_be_heading(block) and is_needs_heading(text) else ""


def _plainness(block: Block) -> int:
    """How plainly a block is the heading of steps: 3 for "Instructions", 2 for "Step 1" above a step, 1 for "How to make
    toast", 0 for others."""
    text = block.text.strip(" *–-")
    if not _may_be_heading(block) or len(text) > 100:
        return 0
    if _EXACT.fullmatch(text):
        return 3
    if block.kind is Kind.HEADING and _STEP_HEADING.fullmatch(text):
        return 2
    return int(block.kind is Kind.HEADING and _LOOSE.fullmatch(text) is not None)


def _sections(blocks: Sequence[Block], heading: int, cleaned: Callable[[str], str]) -> list[Section]:
    """The steps below a heading: the items of lists, or paragraphs where there is no list."""
    level = blocks[heading].level if blocks[heading].kind is Kind.HEADING else 7
    sections: list[tuple[str, list[str]]] = [("", [])]
    kind: Kind | None = None
    ordered = 0
    for place in range(heading + 1, len(blocks)):
        block = blocks[place]
        text = cleaned(block.text)
        if not text or _ANY_STEP.fullmatch(block.text):
            continue
        if _may_be_heading(block) and (_END.fullmatch(block.text) or needs_heading(block)):
            break
        if block.kind is Kind.HEADING or (block.marked and kind is not None and block.kind is not kind):
            if not _goes_on(blocks, place, kind) or (block.kind is Kind.HEADING and block.level < level and kind):
                break
            sections.append((text.rstrip(":"), []))
        elif _NOT_STEP.match(text):
            if kind is not None and block.kind is Kind.PARAGRAPH:
                break
        elif kind not in (None, block.kind):
            break
        elif block.kind is Kind.PARAGRAPH and kind is None and _list_follows(blocks, place):
            continue  # a remark before the list
        elif block.kind is Kind.PARAGRAPH and len(text) <= _SHORT and not text.endswith(_ENDS_SENTENCE):
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


def _numbers_follow(blocks: Sequence[Block], place: int) -> bool:
    """Whether a numbered list goes on before the next heading or paragraph."""
    for block in blocks[place:]:
        if block.kind is not Kind.ITEM or block.ordered:
            return block.ordered
    return False


def _list_follows(blocks: Sequence[Block], place: int) -> bool:
    return any(block.kind is Kind.ITEM and block.ordered for block in blocks[place + 1 : place + 4])


def _items(blocks: Sequence[Block], heading: int, cleaned: Callable[[str], str]) -> tuple[list[str], int]:
    """The items below a heading, also below headings within them ("For the sauce"), and where they end.

    Without a list, the items are short lines up to the next heading.
    """
    found: list[str] = []
    lines: list[str] = []
    end = heading + 1
    level = blocks[heading].level if blocks[heading].kind is Kind.HEADING else 0
    for place in range(heading + 1, min(heading + 400, len(blocks))):
        block = blocks[place]
        if _may_be_heading(block) and (_plainness(block) or _END.fullmatch(block.text)):
            break
        if block.kind is Kind.HEADING and found and block.level <= level:
            break
        if block.kind is Kind.ITEM:
            if text := cleaned(block.text):
                found.append(text)
                end = place + 1
        elif found and not _item_follows(blocks, place):
            break
        elif block.kind is Kind.HEADING and lines:
            break
        elif block.kind is Kind.PARAGRAPH and not found and (text := cleaned(block.text)):
            if len(text) > _LONGEST_ITEM or text.endswith(".") or len(lines) > 100:
                break
            lines.append(text)
            end = place + 1 if place == heading + len(lines) else end
    items = [item for item in found if len(item) <= 2 * _LONGEST_ITEM] if found else lines
    return items, end


def _amounts(blocks: Sequence[Block], cleaned: Callable[[str], str]) -> tuple[int, list[str], int] | None:
    """The first list of which most items begin with an amount: its place, its items and its end."""
    place = 0
    while place < len(blocks):
        end = place
        while end < len(blocks) and blocks[end].kind is Kind.ITEM:
            end += 1
        items = [text for block in blocks[place:end] if (text := cleaned(block.text))]
        if len(items) > 2 and sum(bool(_AMOUNT.match(item)) for item in items) > len(items) / 2:
            return place, items, end
        place = end + 1
    return None


def _item_follows(blocks: Sequence[Block], place: int) -> bool:
    return place + 1 < len(blocks) and blocks[place + 1].kind is Kind.ITEM and len(blocks[place].text) <= 80
