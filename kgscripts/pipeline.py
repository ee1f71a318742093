"""The main job, start to end: texts -> records -> graph directory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kgscripts.assembly.assemble import assemble
from kgscripts.assembly.index import Input
from kgscripts.assembly.removal import take_out
from kgscripts.assembly.store import RecordStore
from kgscripts.corpora.files import find_files
from kgscripts.inputs import Given, Text, given_file, given_text, path_key
from kgscripts.reading import Reader, TextReader, read_batches
from kgscripts.report import BuildReport, Run, report
from schemas.errors import ConfigurationError, InputError
from schemas.graph_directory import locked
from schemas.manifest import check_base_iri
from schemas.records import Discard, DiscardReason, Document
from schemas.script_graph import ScriptGraph
from schemas.vocabulary import DEFAULT_BASE_IRI

if TYPE_CHECKING:
    from kgscripts.assembly.predicted_tools import ToolPredictor

BAD_RECORDS = frozenset(
    {
        DiscardReason.MALFORMED,
        DiscardReason.UNDECODABLE,
        DiscardReason.DUPLICATE_ID,
        DiscardReason.EMPTY,
        DiscardReason.TOO_LONG,
    }
)
"""What `strict` does not let pass: the input is at fault, not the language in it."""

_DOCUMENTS_A_BATCH = 64
_CHARACTERS_A_BATCH = 50_000
_BYTES_A_FLUSH = 4 << 20


@frozen
class Progress:
    """How far the reading is: inputs done of all, sources and words read so far."""

    inputs: int
    all_inputs: int
    sources: int
    words: int


def build_graph(
    inputs: str | Path | Sequence[str | Path] = (),
    output: str | Path = "graph",
    *,
    texts: Iterable[Text] = (),
    format: str | None = None,
    limit: int | None = None,
    min_support: int = 1,
    strict: bool = False,
    jobs: int = 1,
    spacy_model: str | None = None,
    base_iri: str = DEFAULT_BASE_IRI,
    predict_tools: bool = False,
    reader: Reader | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> BuildReport:
    """Read texts and build, or extend, the graph in the directory `output`.

    Inputs that were read before are recognised by their digests; a changed file replaces what it gave. After a kill or
    an error the same call goes on where it was.

    Parameters
    ----------
    inputs:
        Files and folders.
    texts:
        Texts in memory: strings, or mappings like a line of JSON lines.
    format:
        One of `kgscripts.corpora.formats.FORMATS`; by default the format is told by content.
    limit:
        At most so many sources of those given are read.
    min_support:
        Knowledge that fewer sources tell stays out of the graph.
    strict:
        Stop at the first bad record instead of setting it aside.
    jobs:
        Number of processes that parse; the graph does not depend on it.
    spacy_model:
        Name of an installed spaCy pipeline instead of the one that ships.
    predict_tools:
        Add tools that no text names, as the cloze model that ships predicts them, marked as predicted.
    reader:
        Reads documents instead of the spaCy pipeline and the installed extractors.

    Raises
    ------
    InputError
        If an input cannot be read, or with `strict` at the first bad record.
    GraphDirectoryError
        If `output` is foreign, in use, damaged or cannot be written.
    ConfigurationError
        If an option lies outside its range.
    """
    for name, value in (("jobs", jobs), ("min_support", min_support), ("limit", limit)):
        if value is not None and value < 1:
            raise ConfigurationError(f"{name} is {value}", remedy="name a number from 1 upwards")
    check_base_iri(base_iri)
    files = find_files([inputs] if isinstance(inputs, str | Path) else inputs)
    given = [*(given_file(file, format) for file in files), *(given_text(text, format) for text in texts)]
    directory = Path(output)
    with locked(directory):
        run = Run(jobs=jobs)
        store = RecordStore(directory / "records")
        _Build(store, reader or TextReader(spacy_model), given, strict, limit, progress, run).read()
        run.reading_ended()
        predictor = _load_predictor() if predict_tools else None
        graph = assemble(store, directory, base_iri=base_iri, min_support=min_support, predictor=predictor)
        store.compact()
        run.ended()
        run.write(directory / "run.json")
        return report(graph, run)


def remove_source(directory: str | Path, source: str | Path) -> list[str]:
    """Take a source out of a graph directory and assemble the graph anew; the names of what was taken out.

    `source` is the path of an input, of which everything is taken out, or a source's name, its digest (or the first
    eight digits or more), or the id or IRI of its node. Given to `build_graph` again it comes back.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    InputError
        If nothing or more than one source is meant.
    """
    path = Path(directory)
    with locked(path, create=False):
        manifest = ScriptGraph.open(path).manifest
        store = RecordStore(path / "records")
        names = take_out(store, str(source), manifest.base_iri, path_key)
        min_support = int(manifest.configuration.get("min_support") or 1)
        predictor = _load_predictor() if manifest.configuration.get("predict_tools") else None
        assemble(store, path, base_iri=manifest.base_iri, min_support=min_support, predictor=predictor)
        # The records forget it last: a call that dies before can be repeated.
        store.commit()
        store.compact()
    return names


def _load_predictor() -> ToolPredictor:
    from kgscripts.assembly.predicted_tools import ToolPredictor
    from kgscripts.models.checkpoint import find_checkpoint, load_cloze_model
    from kgscripts.models.description import describe_checkpoint

    return ToolPredictor(load_cloze_model("masked"), describe_checkpoint(find_checkpoint("masked")))


@define
class _Build:
    """Reads inputs into a store."""

    store: RecordStore
    reader: Reader
    inputs: Sequence[Given]
    strict: bool
    limit: int | None
    progress: Callable[[Progress], None] | None
    run: Run
    _parsed: deque[tuple[Input, int]] = field(factory=deque, init=False)
    """Inputs that are parsed, and how many batches must have been read before they are complete."""

    def read(self) -> None:
        """Read what the store does not hold yet."""
        digest = self.store.add_reader(self.reader.models())
        batches = self._batches(digest)
        try:
            for number, records in enumerate(read_batches(self.reader, digest, batches, self.run.jobs), 1):
                self.store.add_readings(records)
                self._enter(number)
                if self.store.pending_bytes >= _BYTES_A_FLUSH:
                    self.store.flush()
        except (KeyboardInterrupt, InputError):
            self.store.commit()
            raise
        self._enter(None)
        self.store.commit()

    def _enter(self, batches: int | None) -> None:
        """Enter into the index the inputs that are complete once `batches` (None: all) were read."""
        while self._parsed and (batches is None or self._parsed[0][1] <= batches):
            self.store.add_input(self._parsed.popleft()[0])

    def _batches(self, reader: str) -> Iterator[list[Document]]:
        """What the store does not hold yet, in batches."""
        batch: list[Document] = []
        batches = characters = 0
        scheduled: set[str] = set()
        for item, document in self._documents(reader):
            if document is None:
                self._parsed.append((item, batches + bool(batch)))
                continue
            item.sources[document.digest, document.name] = reader
            if document.digest in scheduled or self.store.has(document.digest, reader):
                continue
            scheduled.add(document.digest)
            batch.append(document)
            characters += len(document.text)
            if len(batch) >= _DOCUMENTS_A_BATCH or characters >= _CHARACTERS_A_BATCH:
                batches += 1
                yield batch
                self._tell(batch)
                batch, characters = [], 0
        if batch:
            yield batch
            self._tell(batch)

    def _documents(self, reader: str) -> Iterator[tuple[Input, Document | None]]:
        """The documents of every input that changed, and None at the end of each input."""
        count = 0
        for given in self.inputs:
            if self.limit is not None and count >= self.limit:
                return
            item = Input(given.key, given.fingerprint())
            if self.store.is_current(item.key, item.fingerprint, reader):
                known = self.store.inputs[item.key]
                count += len(known.sources)
                self.run.inputs_known += 1
                for discard in known.discards:
                    self._judge(discard)
                continue
            for found in given.items():
                if isinstance(found, Discard):
                    self._judge(found)
                    item.discards.append(found)
                elif count == self.limit:
                    break
                else:
                    count += 1
                    yield item, found
            else:
                item.complete = True
            self.run.inputs_read += 1
            yield item, None

    def _judge(self, discard: Discard) -> None:
        if self.strict and discard.reason in BAD_RECORDS:
            raise InputError(
                f"{discard.reason.value}: {discard.detail}" if discard.detail else discard.reason.value,
                where=discard.where,
                remedy="mend it, or leave --strict away to set it aside",
            )

    def _tell(self, batch: list[Document]) -> None:
        self.run.sources_read += len(batch)
        self.run.words_read += sum(len(document.text.split()) for document in batch)
        if self.progress is not None:
            done = self.run.inputs_read + self.run.inputs_known
            self.progress(Progress(done, len(self.inputs), self.run.sources_read, self.run.words_read))
