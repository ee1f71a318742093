"""Base IRIs: what is refused says why, and what is accepted is an IRI to every tool that reads the exports."""

from __future__ import annotations

import json

import pyoxigraph
import pytest
import rdflib
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.errors import ConfigurationError
from schemas.vocabulary import DEFAULT_BASE_IRI, check_base_iri, node_id

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")

REFUSED = {
    "": "empty",
    "data/": "begins with neither",
    "no iri": "contains ' ' (SPACE)",
    "ftp://example.org/": "begins with neither",
    "HTTP://example.org/": "begins with neither",
    "javascript://example.org/": "begins with neither",
    "https://example.org": "does not end in",
    "https://exa mple.org/": "contains ' '",
    "https://example.org/a\nb/": "contains '\\n'",
    "https://example.org/\x00/": "contains '\\x00'",
    "https://example.org/\x7f/": "contains '\\x7f'",
    "https://example.org/\x85/": "contains '\\x85'",
    "https://example.org/\ud800/": "contains '\\ud800'",
    "https://example.org/\u202e/": "RIGHT-TO-LEFT OVERRIDE",
    "https://example.org/\u200b/": "ZERO WIDTH SPACE",
    "https://example.org/\u00a0/": "NO-BREAK SPACE",
    "https://example.org/\u2028/": "LINE SEPARATOR",
    "https://example.org/\ue000/": "contains '\\ue000'",
    "https://example.org/\ufffe/": "contains '\\ufffe'",
    "https://example.org/\ufffc/": "OBJECT REPLACEMENT CHARACTER",
    "https://example.org/a\U000e0100/": "VARIATION SELECTOR-17",
    "https://example.org/<a>/": "contains '<'",
    'https://example.org/"/': "contains '\"'",
    "https://example.org/\\u0041/": "contains '\\\\'",
    "https://example.org/{a}/": "contains '{'",
    "https://example.org/a|b/": "contains '|'",
    "https://example.org/^`/": "contains '^'",
    "https://example.org/%zz/": "%zz is no percent-encoded byte",
    "https://example.org/%4/": "%4/ is no percent-encoded byte",
    "https://example.org/%#": "%# is no percent-encoded byte",
    "https://ex%zample.org/": "is no percent-encoded byte",
    "http://[x/": "[x is neither a host",
    "http://[x]/": "[x] is no IPv6 address",
    "http://[::1/": "[::1 is neither a host",
    "http://[::1%25eth0]/": "is no IPv6 address",
    "http://x]/": "x] is neither",
    "http://a:b/": "a:b is neither",
    "https://e\u2100.example/": "is neither",
    "http://::1/": "::1 is neither",
    "http://x:99999/": "99999 is no port",
    "http://x:/": "x: is neither",
    "http://x:": "x: is neither",
    "http://": "has no host",
    "http:///": "has no host",
    "http:///kg/": "has no host",
    "http://:80/": "has no host",
    "https://example.org/../": "segment",
    "https://example.org/./kg/": "segment",
    "https://example.org/a[b]/": "bracket outside the host",
    "https://example.org/a#b#": "# twice",
    "urn:": "no namespace",
    "urn:x:": "no namespace",
    "urn:-x:": "no namespace",
    "urn:/": "no namespace",
    f"https://example.org/{'a' * 500}/": "more than 500",
}
ACCEPTED = [
    DEFAULT_BASE_IRI,
    "https://example.org/kg#",
    "http://[::1]/?q=%20#",
    "http://[2001:db8::7]:8080/kg/",
    "http://127.0.0.1:3030/kg/",
    "urn:example:scripts:",
    "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66#",
    "https://example.org/it's/$1/;'+RETURN/",
    "https://例え.jp/知識/",
    "https://example.org/a//b/",
    "https://example.org/🍝/",
]
IDS = [node_id("Tool", "rolling pin", "x"), node_id("SubEvent", "", "y"), "dataset/script-graph.Tool"]


@pytest.mark.parametrize("value", REFUSED)
def test_what_is_wrong_is_named(value: str) -> None:
    with pytest.raises(ConfigurationError, match="is no base IRI: ") as caught:
        check_base_iri(value)
    assert REFUSED[value] in caught.value.message
    assert caught.value.remedy
    str(caught.value).encode()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("sign", ["@", "\uff20"])
def test_a_user_and_password_are_refused_and_not_repeated(sign: str) -> None:
    with pytest.raises(ConfigurationError, match="contains an @") as caught:
        check_base_iri(f"https://user:secret{sign}example.org/")
    assert "secret" not in str(caught.value)


_ODD = st.text(
    st.sampled_from("ab1:/?#[]@%2e.-_~!$'();=,+ <>\\\"{}|^`\n\x00\ud800é知\u202e\u00a0\ufdd0🍝"), max_size=12
)
_MILD = st.text(st.one_of(st.sampled_from("ab1-_~!$'();=,+:@/"), st.characters(min_codepoint=0xA0)), max_size=6)
_BASES = st.builds(
    lambda scheme, host, rest, end: scheme + host + rest + end,
    st.sampled_from(["http://", "https://", "urn:ab:", "urn:"]),
    st.one_of(st.sampled_from(["example.org", "[::1]", "例え.jp", "x:80", "EXAMPLE.org"]), _MILD, _ODD),
    st.one_of(_MILD.map(lambda text: f"/{text}"), _MILD.map(lambda text: f"/?{text}"), _ODD),
    st.sampled_from(["/", "#", ":"]),
)


def accepted(base: str) -> bool:
    try:
        check_base_iri(base)
    except ConfigurationError:
        return False
    return True


def triples(graph: rdflib.Dataset) -> set[tuple[str, ...]]:
    return {(str(s), str(p), str(o), str(g)) for s, p, o, g in graph.quads()}


@given(_BASES)
@example("http://a/%00/")
@example("https://ExAmple.org/e\u0301/")
def test_an_accepted_base_iri_makes_iris_that_survive_every_format(base: str) -> None:
    if accepted(base):
        check_formats(base)


@pytest.mark.parametrize("base", ACCEPTED)
def test_usual_and_unusual_base_iris_are_accepted(base: str) -> None:
    check_base_iri(base)
    check_formats(base)


def check_formats(base: str) -> None:
    """pyoxigraph and rdflib read and write the IRIs unchanged, each what the other wrote."""
    iris = [base + identifier for identifier in IDS]
    nodes = [pyoxigraph.NamedNode(iri) for iri in iris]
    quads = [pyoxigraph.Quad(node, nodes[0], nodes[1], nodes[2]) for node in nodes]
    expected = {(iri, *iris) for iri in iris}
    for form, name in ((pyoxigraph.RdfFormat.N_QUADS, "nquads"), (pyoxigraph.RdfFormat.TRIG, "trig")):
        written = pyoxigraph.serialize(quads, format=form, prefixes={"tool": f"{base}tool/"})
        assert written is not None
        assert set(pyoxigraph.parse(written, form)) == set(quads)
        dataset = rdflib.Dataset()
        dataset.parse(data=written, format=name)
        assert triples(dataset) == expected
        for again in ("nquads", "trig", "json-ld"):
            text = dataset.serialize(format=again)
            copy = rdflib.Dataset()
            copy.parse(data=text, format=again)
            assert triples(copy) == expected, again
    compact = {"@context": {"data": base}, "@id": f"data:{IDS[0]}", iris[0]: {"@id": f"data:{IDS[1]}"}}
    flat = rdflib.Graph().parse(data=json.dumps(compact), format="json-ld")
    assert {tuple(map(str, triple)) for triple in flat} == {(iris[0], iris[0], iris[1])}
