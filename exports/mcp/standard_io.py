"""The server on standard input and output: each call that cannot be read is answered too."""

from __future__ import annotations

import json
import re
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

_ID = re.compile(r'"id"\s*:\s*(-?\d{1,15}\b|"[^"\\]{0,200}")(?!\.)')


class StandardServer(MCPServer[Any]):
    """The SDK's server, which would log what it cannot read and let the assistant wait."""

    async def run_stdio_async(self) -> None:
        """Serve until standard input ends."""
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)

            async def pass_on() -> None:
                async with send:
                    async for item in read:
                        if isinstance(item, Exception):
                            await write.send(SessionMessage(_refusal(item)))
                        else:
                            await send.send(item)

            tasks.start_soon(pass_on)
            server = self._lowlevel_server
            await server.run(receive, write, server.create_initialization_options())


def _refusal(error: Exception) -> JSONRPCError:
    inputs = [item["input"] for item in error.errors()] if isinstance(error, ValidationError) else []
    given = next((item for item in inputs if isinstance(item, dict)), inputs[0] if inputs else None)
    said = "the message is no request: it must be JSON-RPC 2.0 in valid Unicode, with an id that is text or a number"
    return JSONRPCError(jsonrpc="2.0", id=_id_of(given), error=ErrorData(code=PARSE_ERROR, message=said))


def _id_of(given: object) -> int | str | None:
    """The id of a message that cannot be read, as far as it can be told."""
    content: Any = given
    if isinstance(given, str):
        try:
            content = json.loads(given)
        except (ValueError, RecursionError):
            found = _ID.search(given)
            content = {"id": json.loads(found[1])} if found else None
    number = content.get("id") if isinstance(content, dict) else None
    if isinstance(number, str):
        return number.encode("utf-8", "replace").decode()
    return number if type(number) is int else None
