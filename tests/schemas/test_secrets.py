"""A secret leaves what a server says, however the server writes it."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import secrets

KEY = "sk-Xq7verySecretKey"
PASSWORD = 'p/a"s&s+w%rd\\ü9'

_WRITTEN: dict[str, Callable[[str], str]] = {
    "itself": str,
    "JSON": json.dumps,
    "JSON in JSON": lambda secret: json.dumps(json.dumps(secret)),
    "JSON with a slash": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "all of it in JSON": lambda secret: "".join(f"\\u{ord(one):04X}" for one in secret),
    "half of it in JSON": lambda secret: "".join(
        one if at % 2 else f"\\u{ord(one):04x}" for at, one in enumerate(secret)
    ),
    "an address": lambda secret: quote(secret, safe=""),
    "all of it in an address": lambda secret: "".join(f"%{byte:02x}" for byte in secret.encode()),
    "an address in an address": lambda secret: quote(quote("".join(f"%{byte:02X}" for byte in secret.encode()))),
    "HTML": html.escape,
    "all of it in HTML": lambda secret: "".join(f"&#{ord(one)};" for one in secret),
    "HTML in HTML": lambda secret: html.escape(html.escape("".join(f"&#x{ord(one):X};" for one in secret))),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "user and password": lambda secret: base64.b64encode(f"neo4j:{secret}".encode()).decode(),
    "base64 of addresses": lambda secret: base64.urlsafe_b64encode(f"me:{secret}!".encode()).decode(),
    "hexadecimal": lambda secret: secret.encode().hex(),
    "capitals of it": lambda secret: secret.encode().hex(":").upper(),
    "Python": lambda secret: "".join(f"\\x{byte:02x}" for byte in secret.encode()),
    "octal": lambda secret: "".join(f"\\{byte:03o}" for byte in secret.encode()),
    "JavaScript": lambda secret: "".join(f"\\u{{{ord(one):x}}}" for one in secret),
    "in two lines": lambda secret: f"{secret[:6]}\n  {secret[6:]}",
    "UTF-16": lambda secret: secret.encode("utf-16-le").decode("latin-1"),
    "zeros of no width": "\u200b".join,
    "capitals": str.upper,
    "a list": lambda secret: json.dumps(list(secret)),
    "bytes": lambda secret: str(list(secret.encode())),
}
_AROUND: dict[str, Callable[[str], str]] = {
    "alone": str,
    "in a sentence": lambda text: f"the key {text} is wrong",
    "in a message": lambda text: json.dumps({"error": {"message": f"bad key {text}"}}),
}


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", set())
    monkeypatch.setenv("HTTPS_PROXY", "http://me:ofTheProxy7@proxy")
    secrets.keep_secret(KEY, PASSWORD, "none", "")


@pytest.mark.parametrize("around", _AROUND)
@pytest.mark.parametrize("written", _WRITTEN)
@pytest.mark.parametrize("secret", [KEY, PASSWORD, "ofTheProxy7"], ids=["key", "password", "proxy"])
def test_a_secret_is_removed_however_it_is_written(secret: str, written: str, around: str) -> None:
    text = _AROUND[around](_WRITTEN[written](secret))
    left = secrets.hidden(text)
    assert "..." in left
    assert len(left) < len(text) - 3
    assert secrets.hidden(left) == left
    if around == "in a message":
        assert json.loads(left).keys() == {"error"}


def test_a_secret_that_is_cut_off_is_removed() -> None:
    assert secrets.hidden(f"bad key {KEY[:12]}") == "bad key ..."


@given(st.text(st.sampled_from('ab%&#;\\u0073x"[]{}5k') | st.characters()))
def test_what_holds_no_secret_is_not_changed(text: str) -> None:
    assert secrets.hidden(text) == text
    assert secrets.hidden_in(body := text.encode("utf-8", "surrogatepass")) == body
