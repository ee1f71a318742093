"""Secrets in what servers send: keys and passwords are removed before a message, a log or a file has the text."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from os.path import commonprefix
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies

_SHORTEST = 5
"""Shorter secrets are left: keys that servers of one's own do not check, such as "none", are words of texts."""
_LEAST = 3
"""Letters and digits of a secret; other characters are not compared."""
_LONG = 8
"""Secrets from this length on are found in any case, and from twice this length on also if they are cut off."""
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"(?:\\+|%(?:25)*)u({_HEX}{{4}})|\\+U({_HEX}{{8}})|\\+[ux]\{{({_HEX}{{1,8}})\}}|\\+x({_HEX}{{2}})"
    r"|\\+(?P<octal>[0-3][0-7]{2})|\\+(?:[abfnrtv]|(?=[^\w\s]))"
)
_BYTES = re.compile(rf"(?:%(?:25)*{_HEX}{{2}})+")
_AMPERSANDS = re.compile(r"&(?:amp;)+")
_NOISE = re.compile(r"[\W_]+")
_ROUNDS = 8
"""Of decoding: each undoes what others have encoded once more."""
_INSTEAD = "..."
_known: set[str] = set()


def keep_secret(*secrets: str) -> None:
    """Let `hidden` remove these from now on."""
    _known.update(secrets)


def hidden_in(body: bytes) -> bytes:
    """The whole body of a response without the secrets of this process."""
    return hidden(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def hidden(text: str) -> str:
    """The text without the secrets of this process and the passwords of proxies.

    They are found in escapes of JSON, of HTML and of addresses, in hexadecimal digits and in base64, and with other
    characters in between. JSON stays JSON, and a text without a secret is not changed.
    """
    pattern, forms = _pattern_of(frozenset((*_known, *_of_proxies())))
    decoded = _decoded(text)
    squeezed = _NOISE.sub("", decoded)
    if not pattern.search(squeezed):
        return text
    with suppress(ValueError, RecursionError):
        # What is JSON stays JSON, unless a secret is spread over several of its values.
        left = json.dumps(_hidden_values(json.loads(text)))
        if not pattern.search(_NOISE.sub("", _decoded(left))):
            return left
    places = [place for place, character in enumerate(decoded) if not _NOISE.match(character)]
    pieces, end = [], 0
    for match in pattern.finditer(squeezed):
        start = match.start()
        length = max(len(commonprefix((squeezed[start : start + len(form)].lower(), form))) for form in forms)  # noqa: RUF071
        pieces += [decoded[end : places[start]], _INSTEAD]
        end = places[start + max(length, len(match[0])) - 1] + 1
    return "".join([*pieces, decoded[end:]])


def _hidden_values(content: Any) -> Any:
    match content:
        case str():
            return hidden(content)
        case list():
            return list(map(_hidden_values, content))
        case dict():
            return {hidden(name): _hidden_values(item) for name, item in content.items()}
    return content


def _of_proxies() -> Iterator[str]:
    for proxy in getproxies().values():
        with suppress(ValueError):
            yield urlsplit(proxy if "//" in proxy else f"//{proxy}").password or ""


def _decoded(text: str) -> str:
    for _ in range(_ROUNDS):
        before = text
        text = html.unescape(_AMPERSANDS.sub("&", _ESCAPE.sub(_character, text)))
        text = _BYTES.sub(lambda match: unquote(match[0].replace("%25", "%")), text)
        if text == before:
            break
    # Escapes of halves of a character are joined.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return unicodedata.normalize("NFKC", text)


def _character(escape: re.Match[str]) -> str:
    if not escape.lastindex:
        return ""
    number = int(escape[escape.lastindex], 8 if escape["octal"] else 16)
    return chr(number) if 0 < number <= 0x10FFFF else ""


@cache
def _pattern_of(secrets: frozenset[str]) -> tuple[re.Pattern[str], list[str]]:
    """What finds the beginnings of secrets among the letters and digits of a text, and the whole forms of secrets."""
    forms = {_NOISE.sub("", form) for item in secrets if len(item) >= _SHORTEST for form in _forms(item)}
    usual = sorted((form for form in forms if len(form) >= _LEAST), key=len, reverse=True)
    starts = (form[: max(_LONG, len(form) // 2)] if len(form) >= 2 * _LONG else form for form in usual)
    marked = (f"(?{'i' if len(start) >= _LONG else ''}:{start})" for start in starts)
    return re.compile("|".join(marked) or r"(?!)"), [form.lower() for form in usual]


def _forms(secret: str) -> Iterator[str]:
    """A secret as servers write it: itself, hexadecimal, as numbers, and in base64 at each of three places."""
    content = secret.encode("utf-8", "surrogateescape")
    yield _decoded(secret)
    yield _decoded(content.decode("latin-1"))
    yield content.hex()
    yield "".join(map(str, content))
    for before, start in enumerate((0, 2, 3)):
        # The first and the last characters depend on what stands before and behind.
        yield base64.b64encode(bytes(before) + content).decode()[start : (before + len(content)) * 8 // 6]
