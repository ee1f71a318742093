"""Files of scripts as documents: their text is that of the file, and each step is a passage.

Where a value stands in the file is the evidence of what it says.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml
from attrs import frozen

from kgscripts.corpora.scripts.format import Script, script_of
from kgscripts.corpora.source import Source, whole_text
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind, Span

FORMAT = "script"


@frozen
class Place:
    """A value of a file of YAML, and where its parts stand: of a mapping by key, of a list by number."""

    span: Span
    parts: dict[str | int, Place]

    def __getitem__(self, key: str | int) -> Place:
        return self.parts[key]


def read_script_file(source: Source) -> Iterator[Document | Discard]:
    """Yield the document of a file with one script, in YAML or JSON; a discard for what is no script."""
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    try:
        script, places = written_script(text, source.name)
    except InputError as error:
        line = int(error.where.rpartition(":")[2]) if error.where.rpartition(":")[2].isdecimal() else 1
        yield source.discard(DiscardReason.MALFORMED, line, error.message)
        return
    whole = Passage(kind=PassageKind.SECTION, start=0, end=len(text))
    names = (places["steps"][number]["name"].span for number in range(len(script.steps)))
    steps = (Passage(kind=PassageKind.STEP, start=span.start, end=span.end) for span in names)
    yield Document(
        name=source.name,
        format=FORMAT,
        text=text,
        title=script.scenario,
        scenario=script.scenario,
        passages=[whole, *steps],
        url=script.source,
        licence=script.licence,
    )


def written_script(text: str, name: str) -> tuple[Script, Place]:
    """The script of the text of a file, and where its values stand in it. Raises InputError with the line."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"no YAML: {error.problem}", where=f"{name}:{line}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"no YAML: {error}", where=f"{name}:1") from error
    if not isinstance(node, yaml.MappingNode):
        raise InputError("no script: it has no keys", where=f"{name}:1")
    return script_of(content, f"{name}:1"), _place(node)


def _place(node: yaml.Node) -> Place:
    span = Span(start=node.start_mark.index, end=max(node.end_mark.index, node.start_mark.index + 1))
    if isinstance(node, yaml.MappingNode):
        return Place(span, {key.value: _place(value) for key, value in node.value})
    if isinstance(node, yaml.SequenceNode):
        return Place(span, {number: _place(item) for number, item in enumerate(node.value)})
    return Place(span, {})
