"""Asking: answers that are kept are not asked for again, and an answer that is not valid is asked for once more."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from kgscripts.extractors.llm.cache import KeptAnswer
from kgscripts.extractors.llm.client import BadAnswerError, Client, RefusedError
from kgscripts.extractors.llm.prompts import Message
from kgscripts.extractors.llm.questions import Question, tokens_of
from kgscripts.extractors.llm.responses import Response, json_of
from kgscripts.extractors.llm.schema import problem
from kgscripts.extractors.llm.spending import Budget, estimated_tokens
from schemas.errors import ExtractorError

Answer = dict[str, Any]


class CutOffError(ExtractorError):
    """The answer about a text is longer than answers may be."""


@define
class Asker:
    """Asks questions; several threads can use one."""

    client: Client
    budget: Budget | None = None
    _spent: dict[str, float] = field(factory=dict, init=False)
    _by_tool: bool = field(default=False, init=False)
    """Whether the server refuses a schema of the response, so that a tool has it."""
    _schema_works: bool = field(default=False, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)

    def answer(self, question: Question) -> Answer:
        """The answer to a question, which its schema allows.

        Raises
        ------
        CutOffError
            If the answer does not end, or the text is too long for the model.
        ExtractorError
            If two answers are not valid, the server fails on this request, or the budget is used up.
        ModelError
            If the server fails on all.
        OSError
            If the answer cannot be kept.
        """
        kept = question.kept
        if kept is not None and kept.is_cut:
            raise CutOffError("the answer was cut off")
        if kept is not None:
            answer, wrong = _checked(kept.text, question)
            if not wrong:
                self._count("answers kept from before", 1)
                return answer
        return self._asked(question)

    def take_spent(self) -> dict[str, float]:
        """What was spent since the last call, by name."""
        with self._lock:
            spent = {"requests": self.client.take_attempts()} | self._spent
            self._spent = {}
        return {name: number for name, number in spent.items() if number}

    def _asked(self, question: Question) -> Answer:
        messages = question.messages
        wrong = ""
        for attempt in range(2):
            if attempt:
                self._count("asked once more", 1)
            try:
                response = self._sent(question, messages)
            except BadAnswerError as error:
                wrong = error.message
                continue
            tokens = self._paid(messages, response)
            if response.is_cut:
                question.keep(KeptAnswer("", True, *tokens))
                self._count("answers cut off", 1)
                raise CutOffError("the answer was cut off")
            answer, wrong = _checked(response.text, question)
            if not wrong:
                question.keep(KeptAnswer(response.text, False, *tokens))
                return answer
            # The model sees its own answer, and what is wrong with it.
            messages = [
                *messages,
                {"role": "assistant", "content": response.text},
                {"role": "user", "content": question.prompts.repeat(wrong)},
            ]
        raise ExtractorError(f"two answers of the model are not valid: {wrong}")

    def _sent(self, question: Question, messages: Sequence[Message]) -> Response:
        reserved = tokens_of(messages) + question.settings.max_tokens
        if self.budget is not None and not self.budget.reserve(reserved):
            raise ExtractorError(f"not asked: the {self.budget.limit:,} tokens of llm.max_tokens_total are used up")
        began = time.monotonic()
        used = 0
        try:
            response = self._in_form(question, messages)
            used = sum(_tokens(messages, response))
            return response
        finally:
            # All of it after an error, when nothing is known to be used.
            if self.budget is not None:
                self.budget.give_back(reserved - used)
            self._count("seconds of waiting", time.monotonic() - began)

    def _in_form(self, question: Question, messages: Sequence[Message]) -> Response:
        refused = None
        if not self._by_tool:
            try:
                response = self.client.ask(question.body(messages, by_tool=False))
            except RefusedError as error:
                _raise_if_long(error)
                # It has taken schemas before, so that a tool would be refused, too.
                if self._schema_works:
                    raise self.client.failed(error.message) from None
                refused = error
            else:
                self._schema_works = True
                return response
        try:
            response = self.client.ask(question.body(messages, by_tool=True))
        except RefusedError as error:
            _raise_if_long(error)
            raise self.client.failed((refused or error).message) from None
        self._by_tool = True
        self._count("answers by a tool, since the server refuses a schema", 1)
        return response

    def _paid(self, messages: Sequence[Message], response: Response) -> tuple[int, int]:
        """The tokens of a request and of its answer, which are counted."""
        prompt, answer = _tokens(messages, response)
        if response.tokens is None:
            self._count("answers whose tokens are estimated", 1)
        self._count("tokens sent", prompt)
        self._count("tokens received", answer)
        return prompt, answer

    def _count(self, name: str, number: float) -> None:
        with self._lock:
            self._spent[name] = self._spent.get(name, 0) + number


def _tokens(messages: Sequence[Message], response: Response) -> tuple[int, int]:
    """The tokens of a request and of its answer; estimates where the server does not say."""
    return response.tokens or (tokens_of(messages), estimated_tokens(response.text))


def _raise_if_long(error: RefusedError) -> None:
    """A text that is too long for the context of the model is cut in halves, too."""
    if "context" in error.message.lower():
        raise CutOffError(error.message) from None


def _checked(text: str, question: Question) -> tuple[Answer, str]:
    """The answer, and what is wrong with it. What is no JSON is not mended."""
    try:
        answer = json.loads(json_of(text))
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deep"
        return {}, f"it is no JSON ({reason})"
    wrong = problem(answer, question.schema)
    return ({}, wrong) if wrong else (answer, "")
