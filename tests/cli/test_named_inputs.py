"""Every command that reads a file or folder that a user names, given a pipe without a writer and an endless device."""

from __future__ import annotations

import os
import resource
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import cli
from kgscripts.commands.evaluate import app
from schemas.errors import KGScriptsError
from tests.cli.named_paths import EVALUATIONS, path_parameters, write_inputs

_CLOZE = "corpora cloze pairs.tsv -o out"
_STEPS = "train steps --out out"
_STORIES = "train scenarios --config detector --train stories.jsonl"

_BESIDE = {
    "evaluate openpi-2 --gold": "--predictions answers.json",
    "evaluate state-changes --gold": "--predictions changes.jsonl",
    "evaluate state-changes --questions": "--predictions changes.jsonl",
    "evaluate scenarios --gold": "--predictions scenarios.jsonl",
    "evaluate scenarios --scenario-list": "--predictions scenarios.jsonl",
    "evaluate steps --model": "--descript sets",
    "evaluate matches --model": "--descript sets",
    "evaluate procedures --model": "procedures",
}
"""What tasks of `kgscripts evaluate` need besides their required options."""


def _evaluations() -> Iterator[tuple[str, str]]:
    """Each parameter of the tasks that names what is read, with the arguments of its command."""
    commands: Any = get_command(app)
    for name, arguments in EVALUATIONS.items():
        words = arguments.split()[1:]
        required = {item.opts[0] for item in commands.commands[name].params if item.required}
        given = {option: value for option, value in zip(words[::2], words[1::2], strict=False) if option in required}
        for place in sorted(path_parameters(f"evaluate {name} ")):
            parameter = place.rpartition(" ")[2]
            options = given | {parameter: "BAD"} if parameter.startswith("--") else {"BAD": ""}
            if parameter not in ("--output", "--predictions-out"):
                shown = " ".join(f"{option} {value}" for option, value in options.items())
                yield place, f"evaluate {name} {shown} {_BESIDE.get(place, '')}"


INPUTS = {
    **dict(_evaluations()),
    "build-graph inputs": "build-graph BAD -o out",
    "build-graph --config": "build-graph story.txt -o out --config BAD",
    "build-graph --scenario-list": "build-graph story.txt -o out --scenario-list BAD",
    "build-graph --corrections": "build-graph story.txt -o out --corrections BAD",
    "split-reading inputs": "split-reading BAD -o out",
    "split-reading --config": "split-reading story.txt -o out --config BAD",
    "split-reading --scenario-list": "split-reading story.txt -o out --scenario-list BAD",
    "read-piece place": "read-piece BAD --piece 0",
    "remove directory": "remove BAD story",
    "remove source": "remove read BAD",
    "correct directory": "correct BAD reject a b",
    "correct --corrections": "correct graph --corrections BAD",
    "merge graphs": "merge read BAD -o out",
    "diff one": "diff BAD graph",
    "diff other": "diff graph BAD",
    "show directory": "show BAD",
    "explore directory": "explore BAD",
    "needs directory": "needs BAD tea",
    "plan directory": "plan BAD tea",
    "compare directory": "compare BAD tea",
    "search directory": "search BAD tea",
    "prepare directory": "prepare BAD",
    "query directory": "query BAD --sparql 'ASK {}'",
    "query --sparql": "query graph --sparql BAD",
    "query --cypher": "query graph --cypher BAD",
    "mcp directory": "mcp BAD",
    "serve directories": "serve BAD",
    "serve --token-file": "serve graph --token-file BAD",
    "export directory": "export BAD out.nq",
    "validate directory": "validate BAD",
    "align pairs": "align BAD",
    "align --model": "align pairs.tsv --model BAD",
    "changes --model": "changes drain --model BAD",
    "track file": "track BAD",
    "track --model": "track tea.md --model BAD",
    "segment inputs": "segment BAD",
    "read --model": "read 'Cut the rope.' --model BAD",
    "read text": "read BAD",
    "segment --model": "segment story.txt --model BAD",
    "segment --scenario-list": "segment story.txt --scenario-list BAD",
    "models show model": "models show BAD",
    "train importance graphs": "train importance BAD --out out",
    "evaluate all --data": "evaluate all --data BAD",
    "train masked --train": "train masked --out out --train BAD",
    "train masked --config": "train masked --out out --train pairs.tsv --config BAD",
    "train aligner --train": "train aligner --out out --train BAD",
    "train aligner --config": "train aligner --out out --train pairs.tsv --config BAD",
    "train aligner --labels": "train aligner --out out --train pairs.tsv --labels BAD",
    "train transducer --config": "train transducer --out out --train pairs.tsv --config BAD",
    "train transducer --train": "train transducer --out out --config seq2seq --train BAD",
    "train transducer --glove": "train transducer --out out --config seq2seq --train many.tsv --glove BAD",
    "train state-changes --config": "train state-changes --out out --train dev --config BAD",
    "train state-changes --train": "train state-changes --out out --config retrieval --train BAD",
    "train scenario-calibration --development": "train scenario-calibration --out out --development BAD",
    "train scenario-calibration --model": "train scenario-calibration --out out --development anna.jsonl --model BAD",
    "train scenarios --config": "train scenarios --out out --train stories.jsonl --development anna.jsonl --config BAD",
    "train scenarios --train": "train scenarios --out out --config detector --development anna.jsonl --train BAD",
    "train scenarios --development": f"{_STORIES} --out out --development BAD",
    "train scenarios --held-out": f"{_STORIES} --out out --development anna.jsonl --held-out BAD",
    "train cross-validate --train": "train cross-validate --development anna.jsonl --train BAD",
    "train cross-validate --development": "train cross-validate --train stories.jsonl --development BAD",
    "train cross-validate --config": (
        "train cross-validate --train stories.jsonl --development anna.jsonl --config BAD"
    ),
    "train text --treebanks": "train text --out out --work work --treebanks BAD",
    "train text --config": "train text --out out --work work --treebanks inscript --config BAD",
    "train changes --config": "train changes --out out --config BAD",
    "train reader --procedures": "train reader --out out --procedures BAD",
    "train reader --recipe-flow": "train reader --out out --recipe-flow BAD",
    "train reader --inscript": "train reader --out out --inscript BAD",
    "train reader --config": "train reader --out out --config BAD",
    "train tools --config": "train tools --out out --config BAD",
    "train tools --train": "train tools --out out --train BAD",
    "train step-encoder --config": "train step-encoder --out out --config BAD",
    "train steps --descript": f"{_STEPS} --descript BAD --inscript inscript",
    "train steps --inscript": f"{_STEPS} --descript sets --inscript BAD",
    "train reader --start": "train reader --out out --start BAD",
    "train steps --encoder": f"{_STEPS} --descript sets --inscript inscript --encoder BAD",
    "train steps --config": f"{_STEPS} --descript sets --inscript inscript --config BAD",
    "train cross-validate-steps --config": (
        "train cross-validate-steps --descript sets --inscript inscript --config BAD"
    ),
    "train cross-validate-steps --descript": "train cross-validate-steps --descript BAD --inscript inscript",
    "train cross-validate-steps --inscript": "train cross-validate-steps --descript sets --inscript BAD",
    "train cross-validate-steps --encoder": (
        "train cross-validate-steps --descript sets --inscript inscript --encoder BAD"
    ),
    "train cross-validate-steps --attach": (
        "train cross-validate-steps --descript sets --inscript inscript --attach BAD"
    ),
    "train typicality --inscript": "train typicality --out out --inscript BAD",
    "corpora merge stories": "corpora merge BAD -o out",
    "corpora merge --filler": "corpora merge stories.jsonl -o out --filler BAD",
    "corpora agreement annotators": "corpora agreement anna.jsonl BAD",
    "corpora adjudicate annotators": "corpora adjudicate anna.jsonl BAD -o out",
    "corpora adjudicate --decisions": "corpora adjudicate anna.jsonl ben.jsonl -o out --decisions BAD",
    "corpora cloze files": "corpora cloze BAD -o out",
    "corpora cloze --whitelist": f"{_CLOZE} --whitelist BAD",
}
"""The parameters that name what is read, each with the arguments of a command that reads nothing else that is bad."""

_MORE_BYTES = 8 << 30
"""What a test may allocate: reading an endless device would otherwise take all memory of the machine."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("small")
    write_inputs(found)
    return found


@pytest.fixture(autouse=True)
def _little_memory() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + _MORE_BYTES, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


# For what would wait, or read, for ever.
@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", ["pipe", "zeros"])
@pytest.mark.parametrize("name", INPUTS)
def test_what_is_no_file_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    bad = Path("/dev/zero")
    if kind == "pipe":
        bad = tmp_path / "pipe"
        os.mkfifo(bad)
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(cli.app, shlex.split(INPUTS[name].replace("BAD", str(bad))))
    assert isinstance(result.exception, KGScriptsError), (result.output, result.exception)
    assert str(bad) in str(result.exception)
    assert result.exception.remedy
