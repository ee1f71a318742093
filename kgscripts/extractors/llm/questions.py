"""The question about a piece of text: its messages, its request in two forms, and the answer that is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from kgscripts.extractors.llm.cache import AnswerCache, KeptAnswer
from kgscripts.extractors.llm.prompts import Message, Prompts
from kgscripts.extractors.llm.schema import Schema, schema
from kgscripts.extractors.llm.settings import LanguageModelSettings
from kgscripts.extractors.llm.spending import estimated_tokens

_NAME = "records"


@frozen
class Question:
    """The question about a text; `scenarios`: whether its scenarios are asked for, too."""

    settings: LanguageModelSettings
    prompts: Prompts
    cache: AnswerCache
    text: str
    scenarios: bool

    @property
    def messages(self) -> list[Message]:
        """The messages of its request."""
        return self.prompts.messages(self.text, scenarios=self.scenarios)

    @property
    def schema(self) -> Schema:
        """The schema of its answer."""
        return schema(scenarios=self.scenarios)

    @property
    def kept(self) -> KeptAnswer | None:
        """The answer that is kept, if there is one."""
        return self.cache.get(self._key)

    def keep(self, answer: KeptAnswer) -> None:
        """Keep an answer. Raises OSError if it cannot be written."""
        self.cache.put(self._key, answer)

    @property
    def prompt_tokens(self) -> int:
        """An estimate of the tokens of the request, its schema included."""
        return tokens_of(self.messages) + estimated_tokens(json.dumps(self.schema))

    def body(self, messages: Sequence[Message], *, by_tool: bool) -> Mapping[str, Any]:
        """The request: the schema is that of the response, or `by_tool` that of the arguments of a function."""
        settings = self.settings
        form: Mapping[str, Any] = {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": _NAME, "strict": True, "schema": self.schema},
            }
        }
        if by_tool:
            function = {"name": _NAME, "strict": True, "parameters": self.schema}
            form = {
                "tools": [{"type": "function", "function": function}],
                "tool_choice": {"type": "function", "function": {"name": _NAME}},
            }
        return {
            "model": settings.model,
            "messages": list(messages),
            "temperature": 0,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
            **form,
        }

    @property
    def _key(self) -> str:
        content = {"messages": self.messages, "schema": self.schema, "again": self.prompts.again}
        return self.cache.key(content | self.settings.of_answers())


def tokens_of(messages: Sequence[Message]) -> int:
    """An estimate of the tokens of messages."""
    return estimated_tokens(*(item["content"] for item in messages))
