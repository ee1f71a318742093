"""What servers send: completions, how long to wait, and messages of errors."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from attrs import frozen

_BLANKS = "\ufeff \n\r\t"


@frozen
class Response:
    """What a server answers: the text, whether it was cut off, and the tokens of request and answer; None if it does
    not say."""

    text: str
    is_cut: bool
    tokens: tuple[int, int] | None


def completion(content: Any) -> Response:
    """What a response says. Raises KeyError, TypeError and the like if it is no completion."""
    choice = content["choices"][0]
    message = choice["message"]
    calls = message.get("tool_calls")
    text = calls[0]["function"]["arguments"] if calls else message["content"]
    if not isinstance(text, str):
        raise TypeError("no text")
    usage = content.get("usage") or {}
    tokens: tuple[int, int] | None = None
    match usage.get("prompt_tokens"), usage.get("completion_tokens"):
        case int(sent), int(received):
            tokens = max(sent, 0), max(received, 0)
    return Response(text, choice.get("finish_reason") == "length", tokens)


def json_of(text: str) -> str:
    """The JSON in an answer: behind a byte order mark and thoughts, in the last fence, or else from the first brace on
    to the last."""
    text = text.strip(_BLANKS)
    if text.startswith(("{", "[")):
        return text
    text = text.rpartition("</think>")[2].strip(_BLANKS)
    fenced = re.findall(r"^[ \t]*```\w*[ \t]*\n(.*?)^[ \t]*```", f"{text}\n", re.DOTALL | re.MULTILINE)
    content = fenced[-1] if fenced else text
    start, end = content.find("{"), content.rfind("}")
    return content[start : end + 1] if 0 <= start < end else text


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, as a number or a date; None if it does not say, or not so that it can be
    understood."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        # Nine digits are thirty years; any number of them would be an endless float.
        return float(text[:9])
    try:
        return parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None


def said(body: bytes) -> str:
    """The beginning of a body, for messages: that of the error's message if it is JSON that has one."""
    text = body[: 1 << 14].decode("utf-8", "replace")
    with suppress(ValueError, RecursionError, AttributeError):
        content = json.loads(text)
        error = content.get("error", content)
        text = str(error.get("message", text) if isinstance(error, dict) else error)
    first = " ".join(text.split())[:160]
    return f": {first}" if first else ""
