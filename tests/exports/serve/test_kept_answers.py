"""What is kept of answers: of one version of a graph, up to a size, and never what differs each time."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.serve.protocol import ProtocolRequest
from exports.serve.responses import KeptAnswer, KeptAnswers
from exports.serve.sparql import key

_MOST = 100


@given(st.lists(st.tuples(st.sampled_from("AB"), st.text(max_size=3), st.integers(0, 80)), max_size=40))
def test_no_more_is_kept_than_allowed_and_of_one_version(added: list[tuple[str, str, int]]) -> None:
    kept = KeptAnswers(_MOST)
    for version, address, size in added:
        answer = KeptAnswer(b"x" * size, is_packed=False)
        kept.add(version, address, answer)
        assert kept.get("A" if version == "B" else "B", address) is None
        fits = size + len(address.encode()) <= _MOST / 2
        assert kept.get(version, address) is (answer if fits else None)
        taken = sum(len(name.encode()) + each.size for name, each in kept._answers.items())
        assert taken == kept._size <= _MOST


def test_the_least_recently_used_is_forgotten_first() -> None:
    kept = KeptAnswers(_MOST)
    for address in "abc":
        kept.add("A", address, KeptAnswer(b"x" * 30, is_packed=False))
    assert kept.get("A", "a")
    kept.add("A", "d", KeptAnswer(b"x" * 30, is_packed=False))
    assert [address for address in "abcd" if kept.get("A", address)] == ["a", "c", "d"]


def test_a_response_is_packed_and_not_sent_twice() -> None:
    answer = KeptAnswer(b"x" * 2_000, "text/csv", {"Vary": "Accept"})
    found = answer.response("gzip, br", "")
    assert gzip.decompress(found.body) == answer.content
    assert found.headers["vary"] == "Accept, Accept-Encoding"
    assert answer.response("", "").body == answer.content
    again = answer.response("gzip", f'"other", {answer.tag}')
    assert (again.status_code, again.body, again.headers["vary"]) == (304, b"", "Accept, Accept-Encoding")


@pytest.mark.parametrize("call", ["now()", "RAND ( )", "uuid()", "StrUUID()"])
def test_answers_that_differ_each_time_have_no_key(call: str) -> None:
    assert key(ProtocolRequest(query=f"SELECT ({call} AS ?x) {{}}"), None) is None


def test_requests_with_other_answers_have_other_keys() -> None:
    query, graph = "SELECT * { ?s ?p ?o }", ("urn:a",)
    requests = [
        (ProtocolRequest(query=query), None),
        (ProtocolRequest(query=query), "text/csv"),
        (ProtocolRequest(query=f"{query} LIMIT 1"), None),
        (ProtocolRequest(query=query, default_graphs=graph), None),
        (ProtocolRequest(query=query, named_graphs=graph), None),
        (ProtocolRequest(query=query, named_graphs=("urn:a", "urn:b")), None),
    ]
    keys = [key(*each) for each in requests]
    assert None not in keys
    assert len(set(keys)) == len(keys)
