"""Downloads from a local server that breaks off, sends wrong content, refuses or is missing."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kgscripts.corpora import fetching
from kgscripts.corpora.fetching import ATTEMPTS, GITHUB, Fetched, Outcome, RemoteFile, corpora, fetch, select
from kgscripts.evaluation.registry import evaluation_tasks
from kgscripts.reproductions.openpi.reading import read_openpi
from schemas.errors import ConfigurationError, InputError, StoreError

_ROOT = Path(__file__).parents[2]
CONTENT = bytes(range(256)) * 2000

REMOTE = RemoteFile(
    file="tiny/a file.bin",
    repository="owner/repository",
    commit="0123abc",
    path="data/a file#1.bin",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    bytes=len(CONTENT),
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        behaviour = self.server.behaviours.pop(0) if len(self.server.behaviours) > 1 else self.server.behaviours[0]
        if behaviour.isdecimal():
            self.send_response(int(behaviour))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = {"wrong": CONTENT[::-1], "short": CONTENT[:-9], "long": CONTENT + b"more"}.get(behaviour, CONTENT)
        self.send_response(200)
        if behaviour in ("close", "long without length"):
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        body = content
        if behaviour in ("break", "close"):
            body = body[: len(body) // 2]
            self.close_connection = True
        elif behaviour == "long without length":
            body += bytes(100_000)
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    """Answers request after request with the next of `behaviours`; the last one repeats."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviours = ["good"]
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that disconnect are part of the tests."""


@pytest.fixture(autouse=True)
def _no_proxy_and_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(fetching, "_PAUSE", 0)


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _fetch(server: _Server, into: Path, *behaviours: str) -> Fetched:
    server.behaviours = list(behaviours)
    (fetched,) = fetch([REMOTE], into, base_url=server.url)
    assert fetched.path.read_bytes() == CONTENT
    assert [path for path in into.rglob("*") if path.is_file()] == [fetched.path]
    return fetched


def test_a_file(server: _Server, tmp_path: Path) -> None:
    progress: list[int] = []
    (fetched,) = fetch([REMOTE], tmp_path, base_url=f"{server.url}/", on_bytes=progress.append)
    assert fetched == Fetched(REMOTE, tmp_path / "tiny" / "a file.bin", Outcome.FETCHED)
    assert fetched.path.read_bytes() == CONTENT
    assert sum(progress) == REMOTE.bytes
    assert server.requests == ["/owner/repository/0123abc/data/a%20file%231.bin"]


def test_existing_files_are_not_requested(server: _Server, tmp_path: Path) -> None:
    _fetch(server, tmp_path, "good")
    assert _fetch(server, tmp_path, "500").outcome is Outcome.PRESENT
    assert len(server.requests) == 1


@pytest.mark.parametrize("how", ["break", "close"])
def test_a_broken_transfer_is_tried_again(server: _Server, tmp_path: Path, how: str) -> None:
    progress: list[int] = []
    server.behaviours = [how, how, "good"]
    (fetched,) = fetch([REMOTE], tmp_path, base_url=server.url, on_bytes=progress.append)
    assert fetched.path.read_bytes() == CONTENT
    assert sum(progress) == REMOTE.bytes
    assert len(server.requests) == 3


def test_a_later_call_may_succeed(server: _Server, tmp_path: Path) -> None:
    server.behaviours = ["break", "503"]
    with pytest.raises(StoreError, match="run the command again") as caught:
        list(fetch([REMOTE], tmp_path, base_url=server.url))
    assert "503" in caught.value.message
    assert len(server.requests) == ATTEMPTS
    assert not (tmp_path / "tiny" / "a file.bin").exists()
    _fetch(server, tmp_path, "good")


@pytest.mark.parametrize("behaviour", ["wrong", "short", "long", "long without length"])
def test_wrong_content_is_refused(server: _Server, tmp_path: Path, behaviour: str) -> None:
    server.behaviours = [behaviour]
    with pytest.raises(InputError, match=REMOTE.sha256) as caught:
        list(fetch([REMOTE], tmp_path, base_url=server.url))
    assert caught.value.where is not None
    assert caught.value.where.startswith(server.url)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(server.requests) == 1
    _fetch(server, tmp_path, "good")


def test_another_file_is_not_overwritten(server: _Server, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "a file.bin").write_text("mine")
    with pytest.raises(InputError, match="not overwritten"):
        list(fetch([REMOTE], tmp_path, base_url=server.url))
    assert (tmp_path / "tiny" / "a file.bin").read_text() == "mine"
    assert server.requests == []


@pytest.mark.parametrize("status", ["404", "403", "301"])
def test_permanent_errors_are_not_retried(server: _Server, tmp_path: Path, status: str) -> None:
    server.behaviours = [status]
    with pytest.raises(StoreError, match=status):
        list(fetch([REMOTE], tmp_path, base_url=server.url))
    assert len(server.requests) == 1


def test_no_server(server: _Server, tmp_path: Path) -> None:
    url = server.url
    server.server_close()
    with pytest.raises(StoreError, match="cannot be fetched"):
        list(fetch([REMOTE], tmp_path, base_url=url))


@pytest.mark.parametrize("url", ["", "example.org", "file:///etc", "http://x:port"])
def test_no_base_url(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match="not the address of a mirror"):
        list(fetch([REMOTE], tmp_path, base_url=url))


def test_a_folder_that_cannot_be_written(server: _Server, tmp_path: Path) -> None:
    (tmp_path / "tiny").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="--into"):
        list(fetch([REMOTE], tmp_path, base_url=server.url))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(server: _Server, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "a file.bin.part").symlink_to("/dev/full")
    with pytest.raises(StoreError, match="No space left"):
        list(fetch([REMOTE], tmp_path, base_url=server.url))
    assert not (tmp_path / "tiny" / "a file.bin").exists()


class TestCatalogue:
    def test_files(self) -> None:
        files = [file for corpus in corpora() for file in corpus.files]
        assert len(files) == 44
        assert all(
            re.fullmatch("[0-9a-f]{64}", file.sha256) and re.fullmatch("[0-9a-f]{40}", file.commit) for file in files
        )
        assert all(".." not in file.file and not file.file.startswith("/") for file in files)
        assert files[0].url() == (
            f"{GITHUB}/coli-saar/SSP_sem/8c2a30ff7c8502cdc6fc144a94e4990f2ba6dc8c/data_combinations/data_train/bath_inscript"
        )

    def test_selection(self) -> None:
        assert [corpus.name for corpus in select(["openpi", "inscript", "openpi"])] == ["openpi", "inscript"]
        assert {corpus.name for corpus in select(["all"])} == {corpus.name for corpus in corpora() if corpus.files}
        with pytest.raises(ConfigurationError, match="inscript"):
            select(["inscripts"])
        with pytest.raises(ConfigurationError, match="https://"):
            select(["mcscript"])

    def test_it_has_all_that_evaluate_takes(self) -> None:
        tasks = evaluation_tasks().values()
        texts = [path.read_text(encoding="utf-8") for path in (_ROOT / "docs").rglob("*.md")]
        texts += [f"{task.example} " for task in tasks]
        named = {name for text in texts for name in re.findall(r"corpora/([a-z-]+)[/\s]", text)}
        needs = (need for task in tasks for benchmark in task.benchmarks for need in benchmark.needs.values())
        needed = {Path(need).parts[0] for need in needs}
        assert {"ara", "recipe-flow"} < needed | named
        assert needed | named <= {corpus.name for corpus in corpora()} | {"scenarios"}

    def test_the_catalogue_matches_the_corpora(self, shared_corpora: Path) -> None:
        for corpus in corpora():
            for file in corpus.files:
                content = (shared_corpora / file.file).read_bytes()
                assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256), file.file


def _cli(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cli", "corpora", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


class TestCommands:
    def test_list(self, tmp_path: Path) -> None:
        facts = json.loads(_cli("list", "--json", cwd=tmp_path).stdout)
        assert [corpus["name"] for corpus in facts] == [corpus.name for corpus in corpora()]
        assert "MIT" in _cli("list", cwd=tmp_path).stdout

    def test_fetch(self, tmp_path: Path, shared_corpora: Path) -> None:
        files = [file for corpus in select(["openpi", "openpi-c"]) for file in corpus.files]
        by_path = {f"/{file.repository}/{file.commit}/{file.path}": shared_corpora / file.file for file in files}

        class Mirror(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(by_path[self.path].read_bytes())

            def log_message(self, format: str, *args: object) -> None:
                """Silence."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Mirror) as mirror:
            thread = threading.Thread(target=mirror.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            options = ["--into", "data", "--base-url", f"http://127.0.0.1:{mirror.server_port}"]
            first = _cli("fetch", "openpi", "openpi-c", *options, "--json", cwd=tmp_path)
            second = _cli("fetch", "openpi-c", *options, cwd=tmp_path)
            mirror.shutdown()
            thread.join()
        assert first.returncode == second.returncode == 0
        assert [item["outcome"] for item in json.loads(first.stdout)] == ["fetched"] * len(files)
        assert "licence" in first.stderr
        assert "\x1b" not in first.stderr
        assert "2 already present" in second.stdout
        assert len(read_openpi(tmp_path / "data" / "openpi" / "gold" / "dev")) == 274
        assert len(read_openpi(tmp_path / "data" / "openpi-c" / "dev.jsonl")) == 219

    @pytest.mark.parametrize("name", ["no-such-corpus", "descript"])
    def test_errors(self, tmp_path: Path, name: str) -> None:
        result = _cli("fetch", name, cwd=tmp_path)
        assert result.returncode == 2
        assert result.stderr.startswith("error: ")
        assert "Traceback" not in result.stderr
        assert list(tmp_path.iterdir()) == []
