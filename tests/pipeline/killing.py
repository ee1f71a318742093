"""Builds that die: a process that kills itself at its n-th step on the file system.

Run as a program it reads one order a line from standard input, ``[operation, directory, inputs, n]`` as JSON, carries
it out in a child of its own, and answers with how many steps the child took, or -1 where it was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from kgscripts import pipeline
from kgscripts.building import build, jobs
from kgscripts.distributed.ingest import take_in_pieces
from kgscripts.distributed.reading import read_piece
from kgscripts.editing.merging import merge_graphs
from schemas.errors import InputError
from tests.assembly.tiny_reader import tiny
from tests.disk import no_fsync

_CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def carry_out(operation: str, directory: str, inputs: list[str]) -> None:
    """Build from `inputs`, merge them, remove them, read the piece with this number, or take all in."""
    if operation == "build":
        pipeline.build_graph(inputs, directory, extractors=tiny())
    elif operation == "merge":
        merge_graphs(inputs, directory)
    elif operation == "piece":
        read_piece(directory, int(inputs[0]))
    elif operation == "take in":
        take_in_pieces(directory)
    else:
        for item in inputs:
            pipeline.remove_source(directory, item)


def _count_steps(directory: str, at: Callable[[int], None]) -> None:
    """Call `at` before each thing that is made, opened to be written, renamed or deleted in `directory`.

    A kill before a reading leaves what a kill before the next change leaves.
    """
    steps = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal steps
        changes = arguments[2] & _WRITES if event == "open" else event.startswith(_CHANGES)
        if changes and any(str(argument).startswith(directory) for argument in arguments[:2]):
            steps += 1
            at(steps)

    sys.addaudithook(hook)


def _child(operation: str, directory: str, inputs: list[str], last: int, answer: int) -> None:
    taken = 0

    def at(step: int) -> None:
        nonlocal taken
        taken = step
        if step == last:
            os.kill(os.getpid(), signal.SIGKILL)

    # A merge works beside its directory.
    _count_steps(str(Path(directory).parent) if operation == "merge" else directory, at)
    # A removal that was killed when all but the deletion of files was done finds nothing to remove.
    with suppress(InputError) if operation == "remove" else nullcontext():
        carry_out(operation, directory, inputs)
    os.write(answer, str(taken).encode())


def main() -> None:
    # Several batches and flushes in a build of a few stories; a kill, unlike a power failure, needs no fsync.
    no_fsync(pytest.MonkeyPatch())
    jobs._DOCUMENTS_A_BATCH, build._BYTES_A_COMMIT = 3, 1
    for line in sys.stdin:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            operation, directory, inputs, last = json.loads(line)
            _child(operation, directory, inputs, last, write)
            os._exit(0)
        os.close(write)
        _, status = os.waitpid(child, 0)
        steps = os.read(read, 20).decode()
        os.close(read)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(-1 if killed else int(steps), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
