"""Servers that fail, answer nonsense or never, and models that invent: what is left of it."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import time
import traceback
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest

from kgscripts.extractors.llm import client
from schemas.errors import ConfigurationError, KGScriptsError, ModelError
from schemas.records import EventMention
from tests.exports.toy_server import toy_server
from tests.extractors.llm.reading import PASTA, extractor, failure, read, records
from tests.extractors.llm.stub_server import (
    EMPTY,
    KEY,
    Answering,
    Reply,
    Request,
    Stub,
    answer_about,
    completion,
    drained,
    for_request,
    serving,
)

GOOD = answer_about("Drain the pasta with a strainer")


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT", 0.001)


def _first(*replies: Reply) -> Answering:
    """These replies, and then right answers."""
    waiting = list(replies)
    return lambda request: waiting.pop(0) if waiting else drained(request)


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429),
        Reply(status=429, headers={"Retry-After": "0"}),
        Reply(status=429, headers={"Retry-After": formatdate(time.time() - 60)}),
        Reply(status=503, headers={"Retry-After": "soon"}),
        Reply(b"internal error", 500),
        Reply(b'{"choices": [', is_broken=True),
    ],
    ids=["429", "429 with seconds", "429 with a date", "503 with nonsense", "500", "broken connection"],
)
def test_passing_faults_are_asked_again(fault: Reply, tmp_path: Path) -> None:
    with serving(_first(fault, fault)) as stub:
        by = extractor(stub, tmp_path)
        found = read(by, PASTA)
        assert [item.action.label for item in records(found) if isinstance(item, EventMention)] == ["drain pasta"]
        assert found.spent["llm"]["requests"] == 3
        assert len(stub.requests) == 3


def test_the_server_says_how_long_to_wait_up_to_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(client, "LONGEST_WAIT", 0.4)
    with serving(_first(Reply(status=429, headers={"Retry-After": "3600"}))) as stub:
        began = time.monotonic()
        records(read(extractor(stub, tmp_path), PASTA))
        assert time.monotonic() - began >= 0.4
        assert len(stub.requests) == 2


def test_a_server_that_always_refuses_for_now_ends_the_build(tmp_path: Path) -> None:
    with serving(lambda _: Reply(b'{"error": {"message": "slow down"}}', 429)) as stub:
        with pytest.raises(ModelError, match="answers 429: slow down, 6 times") as caught:
            read(extractor(stub, tmp_path), PASTA)
        assert caught.value.remedy
        assert len(stub.requests) == client.ATTEMPTS


def test_a_server_that_cannot_be_reached_ends_the_build(tmp_path: Path) -> None:
    with serving(drained) as stub:
        by = extractor(stub, tmp_path)
    with pytest.raises(ModelError, match="cannot be reached"):
        read(by, PASTA)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(status=307, headers={"Location": "http://127.0.0.1:1/v1/chat/completions"}), "another address"),
        (Reply(b'{"error": {"message": "no such key"}}', 401), "refuses the key"),
        (Reply(b"<html>Not here</html>", 404), "answers 404"),
    ],
    ids=["redirect", "key", "address"],
)
def test_faults_of_the_settings_end_the_build_at_once(reply: Reply, message: str, tmp_path: Path) -> None:
    with serving(lambda _: reply) as stub:
        with pytest.raises(ModelError, match=message):
            read(extractor(stub, tmp_path), PASTA)
        assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(b"<html>Welcome</html>"), "sends no completion: <html>Welcome</html>"),
        (Reply('{"choices": [{"message": {"content": "été"}}]}'.encode("utf-16")), "sends no completion"),
        (Reply(b"[1]"), "sends no completion"),
        (Reply(b"[" * 100_000), "sends no completion"),
        (completion(None, text="Here is your JSON: []"), "it is no JSON"),
        (completion(None, text="Here is your JSON: {}"), "the answer lacks"),
        (completion(None, text='{"events": []'), "it is no JSON"),
        (completion({"events": []}), "the answer lacks 'changes'"),
        (completion({**EMPTY, "more": 1}), "has 'more'"),
        (completion({**EMPTY, "events": [{"quote": "Drain"}]}), "item 1 of events of the answer lacks 'action'"),
        (completion({**EMPTY, "events": "none"}), "events of the answer is not of the type array"),
        (completion({**EMPTY, "needs": [{"quote": "a", "amount": "", "role": "king"}]}), "is none of"),
        (completion({**EMPTY, "needs": [{"quote": "\ud800", "amount": "", "role": None}]}), "half a character"),
    ],
    ids=[
        "html",
        "utf-16",
        "list",
        "deep",
        "prose",
        "part in prose",
        "half",
        "part",
        "more",
        "event",
        "text",
        "role",
        "surrogate",
    ],
)
def test_an_answer_that_is_not_valid_is_asked_for_once_more_and_then_the_text_has_failed(
    reply: Reply, message: str, tmp_path: Path
) -> None:
    with serving(lambda _: reply) as stub:
        found = read(extractor(stub, tmp_path), PASTA)
        assert message in failure(found)
        assert len(stub.requests) == 2
        assert found.spent["llm"]["asked once more"] == 1
    with serving(_first(reply)) as stub:
        by = extractor(stub, tmp_path)
        assert records(read(by, PASTA)), "the next build tries again, and a second answer that is valid counts"
        assert len(stub.requests) == 2


def test_the_error_is_part_of_the_second_question(tmp_path: Path) -> None:
    with serving(_first(completion({"events": []}))) as stub:
        records(read(extractor(stub, tmp_path), PASTA))
        first, second = (request.content["messages"] for request in stub.requests)
        assert second[: len(first)] == first
        said, problem = second[len(first) :]
        assert said == {"role": "assistant", "content": '{"events": []}'}
        assert "the answer lacks 'changes'" in problem["content"]


def test_one_text_that_fails_leaves_the_others_of_its_batch(tmp_path: Path) -> None:
    def answering(request: Request) -> Reply:
        return Reply(b"no") if "Sing" in request.text else drained(request)

    with serving(answering) as stub:
        lines = (f"\n{number}. Take a deep breath, as deep as {number} fathoms." for number in range(2, 5))
        song = "# How to sing\n\n1. Sing a song." + "".join(lines)
        found = read(extractor(stub, tmp_path, characters=80), PASTA, song, PASTA.replace("2.", "9."))
        assert (len(found.readings), len(found.failures)) == (2, 1)
        assert len({request.text for request in stub.requests}) == 5
        assert len(stub.requests) == 6, "nothing is asked again because another text of the batch has failed"
        assert found.spent["llm"]["quotes"] == 14


def test_an_answer_whose_file_is_damaged_is_asked_for_again(tmp_path: Path) -> None:
    with serving(drained) as stub:
        first = records(read(extractor(stub, tmp_path), PASTA))
        (path,) = (tmp_path / "answers").rglob("*.json")
        whole = path.read_text(encoding="utf-8")
        for content in (whole[:-5], "[1]", '{"text": 1, "is_cut": false, "prompt_tokens": 1, "answer_tokens": 1}', ""):
            path.write_text(content, encoding="utf-8")
            assert records(read(extractor(stub, tmp_path), PASTA)) == first
            assert path.read_text(encoding="utf-8") == whole
        assert len(stub.requests) == 5
        assert oct((tmp_path / "answers").stat().st_mode)[-3:] == "700"


def test_a_silent_server_is_not_waited_for(tmp_path: Path) -> None:
    with serving(lambda _: Reply(is_silent=True)) as stub:
        assert "did not answer within 0.3 seconds" in failure(read(extractor(stub, tmp_path, timeout=0.3), PASTA))
        assert len(stub.requests) == 1


def test_a_server_that_fails_on_everything_ends_the_build(tmp_path: Path) -> None:
    texts = [f"# How to wait\n\n1. Wait for {number} minutes.\n" for number in range(8)]
    with serving(lambda _: Reply(is_silent=True)) as stub, pytest.raises(ModelError, match="on 5 texts in a row"):
        read(extractor(stub, tmp_path, timeout=0.1), *texts)


def test_large_and_compressed_responses_are_not_taken_in(tmp_path: Path) -> None:
    large = completion(EMPTY, text=" " * (10 << 20))
    with serving(lambda _: large) as stub:
        assert "larger than 4 MiB" in failure(read(extractor(stub, tmp_path), PASTA))
    bomb = Reply(gzip.compress(b" " * (50 << 20)), headers={"Content-Encoding": "gzip"})
    with serving(lambda _: bomb) as stub:
        assert "compressed" in failure(read(extractor(stub, tmp_path), PASTA))
        assert stub.requests[0].headers["accept-encoding"] == "identity"


def test_an_answer_that_is_cut_off_is_asked_for_in_halves(tmp_path: Path) -> None:
    def answering(request: Request) -> Reply:
        is_long = "Fill" in request.text and "Drain" in request.text
        return completion({}, finish="length") if is_long else drained(request)

    with serving(answering) as stub:
        found = read(extractor(stub, tmp_path), PASTA)
        assert [item.action.label for item in records(found) if isinstance(item, EventMention)] == ["drain pasta"]
        assert [request.text for request in stub.requests[1:]] == [
            "Fill a pot with water.",
            "Drain the pasta with a strainer.",
        ]
        assert found.spent["llm"]["answers cut off"] == 1
        read(extractor(stub, tmp_path), PASTA)
        assert len(stub.requests) == 3, "that the whole is too long is known"
    with serving(lambda _: completion({}, finish="length")) as stub:
        assert "cut off, about a single sentence" in failure(read(extractor(stub, tmp_path, seed=2), PASTA))


def test_a_text_that_is_too_long_for_the_model_is_asked_about_in_halves(tmp_path: Path) -> None:
    def answering(request: Request) -> Reply:
        is_long = len(request.text) > 40
        return Reply(b'{"error": {"message": "exceeds the context size"}}', 400) if is_long else drained(request)

    with serving(answering) as stub:
        assert records(read(extractor(stub, tmp_path), PASTA))
        assert len(stub.requests) == 3


def test_a_server_without_schemas_is_asked_by_a_tool_which_the_report_says(tmp_path: Path) -> None:
    def answering(request: Request) -> Reply:
        if "response_format" in request.content:
            return Reply(b'{"error": {"message": "response_format is not supported"}}', 400)
        said = json.dumps(for_request(GOOD, request))
        call = {"function": {"name": "records", "arguments": said}}
        message = {"content": None, "tool_calls": [call]}
        return Reply(json.dumps({"choices": [{"finish_reason": "tool_calls", "message": message}]}).encode())

    with serving(answering) as stub:
        found = read(extractor(stub, tmp_path), PASTA, PASTA.replace("2.", "9."))
        assert len(records(found)) == 4
        assert len(stub.requests) == 3
        spent = found.spent["llm"]
        assert spent["answers by a tool, since the server refuses a schema"] == 2
        assert spent["answers whose tokens are estimated"] == 2
        assert spent["tokens sent"] > spent["tokens received"] > 0


def test_a_server_that_refuses_both_forms_says_why(tmp_path: Path) -> None:
    with serving(lambda _: Reply(b'{"error": {"message": "max_tokens is not allowed"}}', 400)) as stub:
        assert "max_tokens is not allowed" in failure(read(extractor(stub, tmp_path), PASTA))


def test_the_key_goes_into_the_header_and_into_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    echo = Reply(f"you sent {KEY}".encode(), 401)
    with serving(lambda _: echo) as stub:
        with pytest.raises(ModelError) as caught:
            read(extractor(stub, tmp_path, key_variable="TEST_LLM_KEY"), PASTA)
        assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in str(caught.value)
    with serving(lambda _: completion(None, text=f"no JSON, but {KEY}")) as stub:
        found = read(extractor(stub, tmp_path, key_variable="TEST_LLM_KEY"), PASTA)
        assert KEY not in failure(found)
        assert KEY not in json.dumps(stub.requests[1].content)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"endpoint": ""}, "llm.endpoint is missing"),
        ({"model": ""}, "llm.model is missing"),
        ({"endpoint": "ftp://host/v1"}, "not the address of a server"),
        ({"endpoint": f"http://user:{KEY}@host/v1"}, "the address holds a user name"),
        ({"endpoint": f"http://host/v1?key={KEY}"}, "the address has a query"),
        ({"key_variable": KEY}, "key_variable is no name of an environment variable"),
        ({"key_variable": "TEST_LLM_NO_KEY"}, "the environment variable TEST_LLM_NO_KEY has no key"),
        ({"key_variable": "TEST_LLM_BAD_KEY"}, "has characters that no key has"),
        ({"prompts": "no-such-folder"}, "there is no such folder"),
        ({"prompts": "folder"}, "example.md: it is no JSON"),
    ],
)
def test_settings_that_cannot_work_are_refused_without_repeating_a_key(
    settings: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("folder", "example.md").write_text("Sing.\n\nla la\n", encoding="utf-8")
    monkeypatch.setenv("TEST_LLM_BAD_KEY", f"{KEY}\nX-Evil: 1")
    with serving(drained) as stub:
        with pytest.raises((ConfigurationError, KGScriptsError)) as caught:
            read(extractor(stub, tmp_path, **settings), PASTA)
        assert message in str(caught.value)
        assert KEY not in str(caught.value)
        assert not stub.requests


@pytest.mark.parametrize("start", ["", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\n\r\n", "interim"])
def test_a_request_ends_after_its_time_limit_whatever_arrives(start: str, tmp_path: Path) -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    answer = itertools.repeat(interim) if start == "interim" else _slowly(start.encode())
    with toy_server(lambda _: answer) as server:
        stub = Stub(f"http://127.0.0.1:{server.port}/v1", drained)
        found = read(extractor(stub, tmp_path, timeout=0.4), PASTA)
        assert "did not answer within 0.4 seconds" in failure(found)
        assert len(server.requests) == 1


def _slowly(start: bytes) -> Iterator[bytes]:
    yield start
    while True:
        time.sleep(0.05)
        yield b"x"


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "socks5://127.0.0.1:1", "ftp://proxy"])
@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_server_of_this_machine_is_asked_without_a_proxy(
    name: str, proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, proxy)
    with serving(drained) as stub:
        for host in ("127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"):
            stub.address = re.sub(r"//.*:", f"//{host}:", stub.address)
            assert records(read(extractor(stub, tmp_path / host), PASTA))
    with pytest.raises(ConfigurationError if proxy != "http://127.0.0.1:1" else ModelError) as caught:
        read(extractor(Stub("http://host.invalid/v1", drained), tmp_path), PASTA)
    assert ("socksio" in str(caught.value)) == proxy.startswith("socks")
    monkeypatch.setenv("NO_PROXY", "other.invalid,.invalid")
    with pytest.raises(ModelError, match="cannot be reached"):
        read(extractor(Stub("http://host.invalid/v1", drained), tmp_path), PASTA)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429])
def test_a_key_in_escapes_of_json_is_in_no_message(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_LLM_KEY", KEY)
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    body = f'{{"error": {{"message": "bad {escaped}", "code": "{escaped}"}}}}'.encode()
    with serving(lambda _: Reply(body, status, {"Location": f"/{KEY}", "X-Key": KEY})) as stub:
        try:
            said = failure(read(extractor(stub, tmp_path, key_variable="TEST_LLM_KEY"), PASTA))
        except ModelError as error:
            said = "".join(traceback.format_exception(error))
    assert "bad ..." in said
    assert KEY not in said


@pytest.mark.parametrize(
    "around",
    [
        "\ufeff{}",
        "```json\n{}\n```",
        "```\n{}\n```\nThat is all.",
        "Here it is:\n\n```JSON\n{}\n```",
        '<think>\nShould it be {{"events": []}}?\n</think>\n{}',
        "<think>no</think>```json\n{}\n```",
        "</think>\n\ufeff{}",
        "The answer is {} I hope.",
    ],
)
def test_json_is_taken_whatever_stands_around_it(around: str, tmp_path: Path) -> None:
    def answering(request: Request) -> Reply:
        return completion(None, text=around.format(json.dumps(for_request(GOOD, request))))

    with serving(answering) as stub:
        assert records(read(extractor(stub, tmp_path), PASTA))
        assert len(stub.requests) == 1
