"""The extractor that asks a language model. It is used on request (``--also llm``)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from functools import partial
from itertools import chain, islice

from attrs import define, field

from kgscripts.changes.attributes import attributes_digest
from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.extractors.llm.asking import Answer, Asker, CutOffError
from kgscripts.extractors.llm.cache import AnswerCache
from kgscripts.extractors.llm.client import Client
from kgscripts.extractors.llm.pieces import Piece, pieces_of
from kgscripts.extractors.llm.prompts import read_prompts
from kgscripts.extractors.llm.questions import Question
from kgscripts.extractors.llm.records import AnswerReader, joined
from kgscripts.extractors.llm.schema import schema_digest
from kgscripts.extractors.llm.settings import LanguageModelSettings
from kgscripts.extractors.llm.spending import Budget
from kgscripts.extractors.llm.threads import started
from kgscripts.extractors.llm.words import Words
from kgscripts.extractors.protocol import PARSE, Extractor, ParsedDocument
from kgscripts.text.lexicon import word_list_digests
from kgscripts.text.pipeline import describe_pipeline
from schemas.errors import ExtractorError
from schemas.provenance import Model
from schemas.records import Discard, Document, EventMention, Need, Record, Segment, StateChange

Answers = list[tuple[Piece, Answer]]


@define
class LanguageModelExtractor(Extractor):
    """Gives what a model quotes from the text: events with tools and participants, changes, needs, and the scenarios of
    texts whose label or title names none. Words that the text does not have are discards.

    Answers are kept (`cache.py`). A document is set aside if the model fails on a piece of it.
    """

    name = "llm"
    rules = "1"
    task = "events, changes, needs and scenarios by a language model"
    requires = (PARSE,)
    gives = (EventMention, StateChange, Need, Segment, Discard)
    cost = "a language model at an endpoint of yours"
    licence = "Apache-2.0"

    settings: LanguageModelSettings = field(factory=LanguageModelSettings, kw_only=True)
    _budget: Budget | None = field(default=None, init=False, eq=False, repr=False)
    _asker: Asker | None = field(default=None, init=False, eq=False, repr=False)
    _quotes: Counter[str] = field(factory=Counter, init=False, eq=False, repr=False)
    _known: dict[str, list[Record] | Exception] = field(factory=dict, init=False, eq=False, repr=False)
    """What was read in a batch in which another document failed: its documents are read again, one by one."""

    def __attrs_post_init__(self) -> None:
        if self.settings.max_tokens_total:
            self._budget = Budget(self.settings.max_tokens_total)

    @property
    def data(self) -> Mapping[str, str]:
        """The prompts, the schema and the word lists. Raises ConfigurationError without an endpoint or a model."""
        self.settings.check_complete()
        return {
            **word_list_digests(),
            "attributes": attributes_digest(),
            "lemmas": describe_pipeline().digest,
            "prompts": read_prompts(self.settings.prompts).digest,
            "schema": schema_digest(),
        }

    @property
    def networks(self) -> tuple[Model, ...]:
        """The model, by its name, the host that has it, and what it is asked; none is known without settings."""
        if not (self.settings.endpoint and self.settings.model):
            return ()
        prompts = read_prompts(self.settings.prompts).digest
        content = json.dumps([self.settings.of_answers(), prompts, schema_digest()], sort_keys=True)
        return (
            Model(
                name=self.settings.model,
                version=f"{self.settings.host}, prompts {prompts[:12]}",
                digest=hashlib.sha256(content.encode()).hexdigest(),
                task="language model",
            ),
        )

    @property
    def texts(self) -> Mapping[str, str]:
        """The prompts, by the names of their files."""
        return read_prompts(self.settings.prompts).files

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        by_digest: dict[str, list[Record] | Exception] = {}
        for item in documents:
            if (known := self._known.pop(item.document.digest, None)) is not None:
                by_digest[item.document.digest] = known
        new = [item for item in documents if item.document.digest not in by_digest]
        by_digest |= zip((item.document.digest for item in new), self._outcomes(new), strict=True)
        failed = next((outcome for outcome in by_digest.values() if isinstance(outcome, Exception)), None)
        if failed is not None:
            # Each is asked for alone next (`DocumentReader`): what is known is not paid twice.
            if len(documents) > 1:
                self._known = by_digest
            raise failed
        outcomes = (by_digest[item.document.digest] for item in documents)
        return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]

    def spent(self) -> Mapping[str, float]:
        """See `Extractor`."""
        spent = dict(self._quotes)
        self._quotes.clear()
        return spent | (self._asker.take_spent() if self._asker is not None else {})

    def estimate(self, document: Document) -> Mapping[str, float]:
        """See `Extractor`: the tokens to send are a quarter of the characters."""
        ask = self._question()
        kept = requests = tokens = 0
        for piece in self._pieces(document):
            question = ask(document.text[piece.start : piece.end], not scenario_of(document))
            if question.kept is not None:
                kept += 1
                continue
            requests += 1
            tokens += question.prompt_tokens
        return {
            "requests": requests,
            "answers kept from before": kept,
            "tokens to send, estimated": tokens,
            "tokens to receive, at most": requests * self.settings.max_tokens,
        }

    def _question(self) -> partial[Question]:
        """Gives the question about a text, and about its scenarios or not."""
        self.settings.check_complete()
        return partial(
            Question, self.settings, read_prompts(self.settings.prompts), AnswerCache.of(self.settings.cache)
        )

    def _outcomes(self, documents: Sequence[ParsedDocument]) -> list[list[Record] | Exception]:
        """For each document its records, or why there are none."""
        if not documents:
            return []
        ask = self._question()
        if self._asker is None:
            self._asker = Asker(Client(self.settings), self._budget)
        asker = self._asker
        calls = [
            [partial(_answers, asker, ask, item.document, piece) for piece in self._pieces(item.document)]
            for item in documents
        ]
        waiting = started(chain.from_iterable(calls), self.settings.concurrency)
        outcomes: list[list[Record] | Exception] = []
        try:
            answered = iter(waiting)
            for item, own_calls in zip(documents, calls, strict=True):
                own = list(islice(answered, len(own_calls)))
                try:
                    answers = [answer for future in own for answer in future.result()]
                except ExtractorError as error:
                    outcomes.append(error)
                else:
                    outcomes.append(self._records(item, answers))
        except BaseException:
            # What is under way is not waited for.
            for future in waiting:
                future.cancel()
            asker.client.close()
            self._asker = None
            raise
        wait(waiting)
        return outcomes

    def _pieces(self, document: Document) -> list[Piece]:
        return pieces_of(document, self.settings.characters)

    def _records(self, parsed: ParsedDocument, answers: Answers) -> list[Record]:
        words = Words(parsed.parses)
        records: list[Record] = []
        for piece, answer in answers:
            reader = AnswerReader(parsed.document.text, piece, words, self.settings.confidence)
            records += reader.records(answer)
            self._quotes.update({"quotes": reader.quotes.asked, "quotes held": reader.quotes.held})
        segments = joined([item for item in records if isinstance(item, Segment)])
        return [*(item for item in records if not isinstance(item, Segment)), *segments]


def _answers(asker: Asker, ask: partial[Question], document: Document, piece: Piece) -> Answers:
    """The answers about a piece, or about its halves if that about the whole is cut off."""
    text = document.text[piece.start : piece.end]
    try:
        return [(piece, asker.answer(ask(text, not scenario_of(document))))]
    except CutOffError as error:
        halves = piece.halves(document.text)
        if halves is None:
            raise ExtractorError(f"{error.message}, about a single sentence") from None
    return [answer for half in halves for answer in _answers(asker, ask, document, half)]
