"""Files of scripts as documents. Their text is that of the file: where a value stands in it is the evidence of what it
says. No passage is parsed: all that is known stands in the file (`kgscripts.extractors.scripts`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import yaml
from attrs import frozen

from kgscripts.corpora.scripts.format import Script, script_of
from kgscripts.corpora.source import Source, whole_text
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind, Span

FORMAT = "script"
_TRUTH = re.compile("true|false")


@frozen
class Place:
    """A value of a file of YAML, and where its parts stand: of a mapping by key, of a list by number."""

    span: Span
    parts: Mapping[str | int, Place]

    def __getitem__(self, key: str | int) -> Place:
        return self.parts[key]


def read_script_file(source: Source) -> Iterator[Document | Discard]:
    """Yield the document of a file with one script, in YAML or JSON; a discard for what is no script."""
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    try:
        yield document_of(text, source.name)
    except InputError as error:
        line = (error.where or "").rpartition(":")[2]
        yield source.discard(DiscardReason.MALFORMED, int(line) if line.isdecimal() else 1, error.message)
        return


def document_of(text: str, name: str) -> Document:
    """The document of the text of a file with a script. Raises InputError with the line if it has none."""
    script, places = written_script(text, name)
    passages = [
        Passage(kind=PassageKind.SCRIPT, start=part.span.start, end=_end(text, part.span))
        for part in sorted(_parts(places), key=lambda part: part.span.start)
    ]
    return Document(
        name=name,
        format=FORMAT,
        text=text,
        title=script.scenario,
        scenario=script.scenario,
        passages=passages,
        url=script.source,
        licence=script.licence,
        generated=script.generated,
    )


def _parts(places: Place) -> Iterator[Place]:
    """Where its name, its needs and its steps stand."""
    if "scenario" in places.parts:
        yield places["scenario"]
    for key in ("needs", "steps"):
        if key in places.parts:
            yield from places[key].parts.values()
    if "variants" in places.parts:
        for variant in places["variants"].parts.values():
            yield from _parts(variant)


def _end(text: str, span: Span) -> int:
    """The end of a value without the white space and comments behind a block of YAML."""
    return span.start + len(text[span.start : span.end].rstrip())


class _Loader(yaml.SafeLoader):
    """Reads values as they are written, so that "off" and "1:30" stay words; only true and false are no text. Aliases,
    with which a small file can stand for a huge one, and keys that stand twice are errors."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="an alias", problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        if isinstance(node, yaml.MappingNode):
            known = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode) or key.value in known:
                    problem = "a key that is no word or stands twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                known.add(key.value)
        return node


_Loader.yaml_implicit_resolvers = {letter: [("tag:yaml.org,2002:bool", _TRUTH)] for letter in "tf"}


def written_script(text: str, name: str) -> tuple[Script, Place]:
    """The script of the text of a file, and where its values stand in it. Raises InputError with the line."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        content = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"no YAML: {error.problem}", where=f"{name}:{line}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"no YAML: {error}", where=f"{name}:1") from error
    script = script_of(content, f"{name}:1")
    return script, _place(node)


def _place(node: yaml.Node | None) -> Place:
    assert node is not None  # a script is no empty file
    span = Span(start=node.start_mark.index, end=max(node.end_mark.index, node.start_mark.index + 1))
    if isinstance(node, yaml.MappingNode):
        return Place(span, {key.value: _place(value) for key, value in node.value})
    if isinstance(node, yaml.SequenceNode):
        return Place(span, {number: _place(item) for number, item in enumerate(node.value)})
    return Place(span, {})
