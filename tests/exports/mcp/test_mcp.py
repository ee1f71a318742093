"""`kgscripts mcp`, tried with the SDK's own client: in memory, on standard input and output, and over HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextResourceContents

from exports.mcp.server import mcp_server
from kgscripts import ScriptGraph
from schemas.errors import GraphDirectoryError
from tests.exports.kitchen import kitchen_graph
from tests.graphs import odd_graph

TOOLS = {"search", "script", "needs", "tools_for", "changes", "plan", "passage", "sparql"}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


def with_client(server: Any, work: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(server) as client:
            return await work(client)

    return anyio.run(run)


async def text_of(client: Client, name: str) -> str:
    [content] = (await client.read_resource(name)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


def call(graph: ScriptGraph, tool: str, **arguments: Any) -> Any:
    async def work(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    return with_client(mcp_server(graph.directory), work)


def answer(graph: ScriptGraph, tool: str, **arguments: Any) -> dict[str, Any]:
    result = call(graph, tool, **arguments)
    assert not result.is_error, result.content
    content: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == content
    return content


def test_every_tool_says_what_it_does_and_takes(kitchen: ScriptGraph) -> None:
    async def work(client: Client) -> Any:
        return await client.list_tools()

    tools = {tool.name: tool for tool in with_client(mcp_server(kitchen.directory), work).tools}
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.description
        assert all("description" in item for item in tool.input_schema["properties"].values())


def test_an_assistant_finds_its_way(kitchen: ScriptGraph) -> None:
    found = answer(kitchen, "search", question="dish out the meal", kind="step", limit=1)["found"]
    assert found[0]["name"] == "serve pasta"
    script = answer(kitchen, "script", scenario=found[0]["scenario"])
    assert "serve pasta" in [step["step"] for step in script["steps"]]
    assert all(1 <= number <= len(script["steps"]) for pair in script["order"] for number in pair)
    assert "colander" in [need["name"] for need in answer(kitchen, "needs", scenario="cooking pasta")["needs"]]
    used = answer(kitchen, "tools_for", action="drain the pasta", limit=1)["steps"][0]
    assert (used["step"], used["scenario"]) == ("drain pasta", "cooking pasta")
    assert "colander" in [tool["name"] for tool in used["tools"]]
    assert answer(kitchen, "changes", scenario="cooking pasta", step="drain pasta")["changes"]
    quoted = answer(kitchen, "passage", scenario="cooking pasta", step="drain pasta", limit=1)["passages"]
    assert len(quoted) == 1
    assert answer(kitchen, "plan", scenario="cooking pasta")["title"] == "cooking pasta"
    rows = answer(kitchen, "sparql", query="SELECT (count(*) AS ?n) { ?s a kgs:Scenario }")["rows"]
    assert rows == [[kitchen.manifest.rows("Scenario")]]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("script", {"scenario": "flying to the moon"}, "moon"),
        ("script", {"scenario": ""}, ""),
        ("script", {"scenario": "cooking pasta", "limit": 0}, "limit"),
        ("script", {"scenario": "cooking pasta", "limit": 10_000}, "limit"),
        ("script", {}, "scenario"),
        ("script", {"scenario": 7}, "scenario"),
        ("changes", {"scenario": "cooking pasta", "step": "99"}, "no step 99"),
        ("passage", {"scenario": "cooking pasta", "step": "fly"}, "fly"),
        ("search", {"question": "?!"}, "no word"),
        ("search", {"question": "pasta", "kind": "verb"}, "kind"),
        ("sparql", {"query": "SELECT * {"}, "does not parse"),
        ("sparql", {"query": "DROP ALL"}, ""),
        ("sparql", {"query": "INSERT DATA { <a:a> <a:b> <a:c> }"}, ""),
        ("sparql", {"query": "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"}, ""),
        ("fly", {}, "fly"),
    ],
)
def test_bad_calls_are_answered_with_what_is_wrong(
    kitchen: ScriptGraph, tool: str, arguments: dict[str, Any], message: str
) -> None:
    result = call(kitchen, tool, **arguments)
    assert result.is_error
    assert message in result.content[0].text


def test_resources_have_statistics_and_schema(kitchen: ScriptGraph) -> None:
    async def work(client: Client) -> Any:
        names = [str(item.uri) for item in (await client.list_resources()).resources]
        return {name: await text_of(client, name) for name in names}

    found = with_client(mcp_server(kitchen.directory), work)
    assert json.loads(found["kgscripts://statistics"])["build"] == kitchen.build_id
    assert "kgs:Scenario" in found["kgscripts://schema"]


def test_odd_names_are_data(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    for row in list(graph.rows("Scenario", ("label",)))[:10]:
        if any(char.isalnum() for char in row["label"]):
            names = [
                each["name"]
                for each in answer(graph, "search", question=row["label"], kind="scenario", limit=50)["found"]
            ]
            assert row["label"] in names


def test_a_graph_that_is_built_again_is_used(tmp_path: Path) -> None:
    graph = kitchen_graph(tmp_path / "kitchen")
    server = mcp_server(graph.directory)

    async def work(client: Client) -> Any:
        before = await text_of(client, "kgscripts://statistics")
        odd_graph(graph.directory)
        return before, await text_of(client, "kgscripts://statistics")

    before, after = with_client(server, work)
    assert json.loads(before)["build"] == graph.build_id != json.loads(after)["build"]


def test_no_graph_is_no_server(tmp_path: Path) -> None:
    with pytest.raises(GraphDirectoryError):
        mcp_server(tmp_path)


def test_standard_input_and_output(kitchen: ScriptGraph) -> None:
    arguments = ["-m", "cli", "mcp", str(kitchen.directory)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})

    async def work(client: Client) -> Any:
        return await client.call_tool("script", {"scenario": "cooking pasta"})

    assert with_client(parameters, work).structured_content["scenario"] == "cooking pasta"


@contextmanager
def served(graph: ScriptGraph) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "cli", "mcp", str(graph.directory), "--port", str(port)])
    try:
        while process.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(30)


def test_streamable_http(kitchen: ScriptGraph) -> None:
    async def work(client: Client) -> Any:
        return await client.call_tool("needs", {"scenario": "cooking pasta"})

    with served(kitchen) as address:
        assert with_client(address, work).structured_content["scenario"] == "cooking pasta"


_HELLO = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
_ODD = {
    1: rb'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "meta": "\ud83d"}}',
    2: rb'{"method": "tools/call", "params": {"name": "\udc00"}, "jsonrpc": "2.0", "id": 2}',
    3: b'{"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"limit": ' + b"9" * 5000 + b"}}",
    4: b'{"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    5: b'{"jsonrpc": "2.0", "id": 5, "method": 7}',
    6: b'{"jsonrpc": "2.0", "id": 6, "method": "tools/list", "params": {"cursor": "\xff"',
    "a": rb'{"jsonrpc": "2.0", "id": "a", "method": "\ud800"}',
    None: b"no JSON",
}


def test_each_call_on_standard_input_is_answered(kitchen: ScriptGraph) -> None:
    hello = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _HELLO}).encode()
    last = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/list"}'
    sent = b"\n".join([hello, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', *_ODD.values(), last, b""])
    command = [sys.executable, "-m", "kgscripts", "mcp", str(kitchen.directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(sent)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(len(_ODD) + 2)]
        process.stdin.close()
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id.keys() == {0, *_ODD, 7}
    assert all("valid Unicode" in by_id[name]["error"]["message"] for name in _ODD)
    assert "result" in by_id[7]


def test_numbers_that_json_lacks_are_text(kitchen: ScriptGraph) -> None:
    query = "SELECT (1e0/0e0 AS ?a) (-1e0/0e0 AS ?b) (0e0/0e0 AS ?c) {}"
    assert answer(kitchen, "sparql", query=query)["rows"] == [["Infinity", "-Infinity", "NaN"]]
