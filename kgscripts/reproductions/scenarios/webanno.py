"""WebAnno TSV 3, the format of the annotation tool WebAnno (Eckart de Castilho et al., 2016).

After ``#FORMAT=WebAnno TSV 3.2`` a line names each layer with its features (``#T_SP=`` spans, ``#T_RL=`` relations,
``#T_CH=`` chains). Each sentence has one or more lines ``#Text=``, and a line a token: its number (``3-1``), its
offsets, the token, and a column a feature. ``_`` is no annotation, ``*`` one without value, ``|`` separates stacked
annotations, and ``[7]`` joins the tokens of one annotation. Offsets are not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.corpora.source import numbered_lines
from schemas.errors import InputError
from schemas.scenario_documents import NONE, LabelledSegment, ScenarioDocument

FIRST_LINE = "#FORMAT=WebAnno TSV 3"
"""How a file begins."""

_LAYER = re.compile(r"#T_(SP|RL|CH)=([^|]+)(?:\|(.*))?")
_TEXT = "#Text="
_TOKEN = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})((?:\.[1-9][0-9]{0,8})*)")
_OFFSETS = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_STACKED = re.compile(r"(?:[^|\\]|\\.?)+")
_JOINED = re.compile(r"(.*)\[([0-9]{1,9})\]")
_ESCAPED = re.compile(r"\\(->|.)")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_REMEDY = "export the file again as WebAnno TSV 3"


@frozen
class _Layer:
    kind: str
    name: str
    features: tuple[str, ...]
    column: int


@define
class _Sentence:
    """The lines of the text of a sentence, and whether tokens have followed."""

    lines: list[str]
    has_tokens: bool = False


@define
class _Annotation:
    """The first and last sentence of an annotation, and its labels, by column."""

    first: int
    last: int
    labels: dict[int, str] = field(factory=dict)


def read_webanno(
    path: Path, identifier: str, *, layer: str | None = None, resolved: Callable[[str], str]
) -> ScenarioDocument:
    """Read a file: its sentences, and the annotations of one layer as segments.

    A segment holds the sentences of which its annotation has a token; annotations of the same sentences are one
    segment with several labels. `layer` is the layer's name, its last part (``Scenario`` for
    ``webanno.custom.Scenario``), or either with a feature (``Scenario|label``); by default it is the span layer with
    "scenario" in its name, or the only span layer. Without a feature, each feature of an annotation is a label.
    `resolved` maps a label to a scenario; it raises InputError for a label that it does not know.

    Raises
    ------
    InputError
        With file and line, for a line that is malformed, an annotation that is not continuous, and an unknown label;
        also for a file without sentences or such a layer.
    """
    reader = _Reader(layer, resolved)
    where = path.name
    for where, line in numbered_lines(path):
        try:
            reader.read(line)
        except InputError as error:
            raise InputError(error.message, where=where, remedy=error.remedy or _REMEDY) from error
    try:
        return reader.document(identifier)
    except InputError as error:
        raise InputError(error.message, where=where, remedy=error.remedy or _REMEDY) from error


@define
class _Reader:
    """The part of a file that has been read."""

    layer: str | None
    resolved: Callable[[str], str]
    layers: list[_Layer] = field(factory=list)
    columns: range | None = None
    sentences: list[_Sentence] = field(factory=list)
    last: tuple[int, int] = (0, 0)
    scenarios: dict[str, str] = field(factory=dict)
    annotations: dict[tuple[int | str, ...], _Annotation] = field(factory=dict)

    def read(self, line: str) -> None:
        """Read a line. Raises InputError, without a place, for what is wrong with it."""
        if named := _LAYER.fullmatch(line):
            column = self.layers[-1].column + max(1, len(self.layers[-1].features)) if self.layers else 3
            features = tuple(named[3].split("|")) if named[3] else ()
            self.layers.append(_Layer(named[1], named[2], features, column))
        elif line.startswith(_TEXT):
            text = line.removeprefix(_TEXT)
            if self.sentences and not self.sentences[-1].has_tokens:
                self.sentences[-1].lines.append(text)
            else:
                self.sentences.append(_Sentence([text]))
        elif not line.startswith("#"):
            self._read_token(line.split("\t"))

    def _read_token(self, cells: list[str]) -> None:
        if self.columns is None:
            self.columns = self._chosen_columns()
        last = self.layers[-1]
        wanted = last.column + max(1, len(last.features))
        if len(cells) > wanted and not any(cells[wanted:]):
            del cells[wanted:]  # Each line of WebAnno ends with a tab.
        number = _TOKEN.fullmatch(cells[0])
        if not number or len(cells) != wanted or not _OFFSETS.fullmatch(cells[1]):
            raise InputError(f"not a token with {wanted} columns: {cells[0][:80]!r}, {len(cells)} columns")
        sentence, token = int(number[1]), int(number[2])
        if not self.sentences or sentence != len(self.sentences):
            raise InputError(f"token {cells[0]} in sentence {len(self.sentences)}", remedy="a line #Text= begins each")
        is_part = bool(number[3])
        expected = self.last if is_part else (sentence, self.last[1] + 1 if self.last[0] == sentence else 1)
        if (sentence, token) != expected:
            raise InputError(f"token {cells[0]} instead of {expected[0]}-{expected[1]}")
        self.last = sentence, token
        self.sentences[-1].has_tokens = True
        for column in self.columns:
            self._read_labels(cells, column, sentence - 1)

    def _read_labels(self, cells: list[str], column: int, sentence: int) -> None:
        if cells[column] == "_":
            return
        for position, value in enumerate(_STACKED.findall(cells[column])):
            joined = _JOINED.fullmatch(value)
            label = joined[1] if joined else value
            key = (int(joined[2]),) if joined else (cells[0], position)
            annotation = self.annotations.setdefault(key, _Annotation(sentence, sentence))
            if sentence > annotation.last + 1:
                raise InputError(f"annotation [{key[0]}] has a gap before sentence {sentence + 1}")
            annotation.last = sentence
            label = "" if label == "*" else _unescaped(label).strip()
            if label not in self.scenarios:
                self.scenarios[label] = self.resolved(label) if label not in ("", NONE) else ""
            scenario = self.scenarios[label]
            if annotation.labels.setdefault(column, scenario) != scenario:
                raise InputError(f"annotation [{key[0]}] is both {annotation.labels[column]!r} and {scenario!r}")

    def _chosen_columns(self) -> range:
        """The columns of the layer, or of its feature."""
        name, _, feature = (self.layer or "").partition("|")
        spans = [layer for layer in self.layers if layer.kind == "SP"]
        if name:
            chosen = [layer for layer in spans if name in (layer.name, layer.name.rpartition(".")[2])]
        else:
            chosen = [layer for layer in spans if "scenario" in layer.name.lower()] or spans
        if len(chosen) != 1:
            listed = ", ".join(layer.name for layer in spans) or "none"
            raise InputError(f"which span layer has the scenarios? It has {listed}", remedy="name one with --layer")
        layer = chosen[0]
        if not feature:
            return range(layer.column, layer.column + max(1, len(layer.features)))
        if feature not in layer.features:
            remedy = f"it has {', '.join(layer.features) or 'none'}"
            raise InputError(f"the layer {layer.name} has no feature {feature!r}", remedy=remedy)
        column = layer.column + layer.features.index(feature)
        return range(column, column + 1)

    def document(self, identifier: str) -> ScenarioDocument:
        """The document. Raises InputError where there is none."""
        if not self.sentences or not self.sentences[-1].has_tokens:
            raise InputError("a sentence without tokens" if self.sentences else "no sentences")
        spans: dict[tuple[int, int], dict[str, None]] = {}
        for annotation in self.annotations.values():
            span = annotation.first, annotation.last + 1
            spans.setdefault(span, {}).update(dict.fromkeys(filter(None, annotation.labels.values())))
        segments = (
            LabelledSegment(start=start, end=end, scenarios=tuple(labels))
            for (start, end), labels in sorted(spans.items())
            if labels
        )
        texts = (" ".join(_unescaped("\n".join(sentence.lines)).split()) for sentence in self.sentences)
        return ScenarioDocument(id=identifier, sentences=tuple(texts), segments=tuple(segments))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _CONTROLS.get(match[1], match[1]), text)
