"""The sentences in which OpenPI writes state changes (Tandon et al. 2020, section 2).

"location of oil was on counter before and in blender afterwards" has the attribute *location*, the entity *oil*, and
the values *on counter* and *in blender*. Data and models vary the sentence: "were" for "was", commas, a full stop,
"after" for "afterwards", and parts left out.
"""

from __future__ import annotations

import re

from schemas.changes import Change
from schemas.errors import InputError

NO_CHANGE = "there will be no change"
"""The sentence of the released data and models for a step without changes."""

_REMEDY = 'write "ATTRIBUTE of ENTITY was BEFORE before and AFTER afterwards"'
_VERB = re.compile(r"\s(?:was|were)(?=[\s,]|$)", re.IGNORECASE)
_LAST = re.compile(r"(?:^|(?<=[\s,;]))after(?:wards?)?$", re.IGNORECASE)
_SPLITS = (
    re.compile(r"(?:^|(?<=[\s,;]))before\b[\s,;]*\band(?:\s+|$)", re.IGNORECASE),
    re.compile(r"(?:^|(?<=[\s,;]))before(?:[\s,;]+|$)", re.IGNORECASE),
)
"""Where the value before ends. "before and" decides, so that the values can contain "before" themselves."""
_SECOND_VERB = re.compile(r"^(?:was|were)\s+", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"(?:the\s+)?(?P<attribute>(?:(?:ease|rate)\s+of\s+\w+|state\s+of\s+(?:being|matter|mind)|range\s+of\s+motion"
    r"|quality\s+of\s+life|point\s+of\s+view)(?=\s+of\s)|.*?)\s+of\s+(?P<entity>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""The attribute ends at the first "of", except in names such as "ease of release"."""
_END = re.compile(r"(?<=\bafterwards),(?=\s)|(?<=\bafterwards)\.+\s+and(?=\s)|(?<=\bafterwards)\.(?=\s)", re.IGNORECASE)


def parse_change(sentence: str) -> Change:
    """The change that a sentence of the template expresses; a missing part is "".

    The attribute ends at the first "of" and the entity at the first "was" or "were". The parts are as they are written,
    except that a "the" before the attribute and a second "was" ("and was cold afterwards") are left out.

    Raises InputError, with the reason, for a sentence that is no such sentence or names no entity.
    """
    text = " ".join(sentence.split()).rstrip(" .,;!")
    if is_no_change(text):
        raise InputError("says that nothing changes", remedy="leave it out")
    verb = _VERB.search(f" {text}")
    if verb is None:
        raise InputError('has no "was" or "were"', remedy=_REMEDY)
    subject, values = text[: max(verb.start() - 1, 0)].strip(" ,"), text[verb.end() - 1 :].strip(" ,")
    split = _ATTRIBUTE.fullmatch(subject)
    attribute, entity = (split["attribute"], split["entity"]) if split else ("", subject)
    if not entity or entity.lower().endswith(" of") or entity.lower() == "of":
        raise InputError("names no entity", remedy=_REMEDY)
    before, after = _values(values)
    return Change(entity=entity, attribute=attribute.strip(), before=before, after=after)


def write_change(change: Change) -> str:
    """The sentence of a change, without a full stop; parts that are "" are left out.

    `parse_change` gives the change back if its parts contain no word of the template.
    """
    subject = f"{change.attribute} of {change.entity}" if change.attribute else change.entity
    if not change.before and not change.after:
        return f"{subject} was before and afterwards"
    values = [f"{change.before} before"] if change.before else []
    values += [f"{change.after} afterwards"] if change.after else []
    return f"{subject} was {' and '.join(values)}"


def is_no_change(sentence: str) -> bool:
    """Whether a sentence says that there is no change."""
    return " ".join(sentence.lower().split()).startswith(NO_CHANGE)


def split_sentences(text: str) -> list[str]:
    """The sentences of a list as the released GPT-2 code writes it: separated by commas, or by ".. And".

    Commas within a sentence separate nothing; a sentence that says that there is no change is left out.
    """
    sentences = (sentence.strip(" .,") for sentence in _END.split(text))
    return [sentence for sentence in sentences if sentence and not is_no_change(sentence)]


def _values(text: str) -> tuple[str, str]:
    """The values before and after."""
    last = _LAST.search(text)
    body = text[: last.start()].rstrip(" ,") if last else text
    for pattern in _SPLITS:
        if split := pattern.search(body):
            before, after = body[: split.start()].strip(" ,;"), body[split.end() :].strip(" ,;")
            if after and not last:
                raise InputError('does not end with "afterwards"', remedy=_REMEDY)
            return before, _SECOND_VERB.sub("", after)
    if not last:
        raise InputError('has neither "before" nor "afterwards"', remedy=_REMEDY)
    return "", body.removeprefix("and ").strip(" ,;")
