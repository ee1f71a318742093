"""Every command that writes a file: over an input, to a pipe, through a link, in place of a private file."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from pathlib import Path
from threading import Thread

import pytest
from attrs import frozen

import lightning_modules.learning.importance
from kgscripts.evaluation.result import Evaluation
from kgscripts.models import registry
from kgscripts.typicality.importance import shipped_importance
from kgscripts.typicality.weights import shipped_weights
from schemas.errors import ConfigurationError
from tests.cli.named_paths import EVALUATIONS, MODELS, path_parameters, write_inputs
from tests.cli.test_named_inputs import INPUTS
from tests.commands import run


@frozen
class Case:
    """The arguments of a command that writes to OUT; every argument that exists in the folder of inputs is one."""

    arguments: str
    out: str = "out.txt"
    beside: str = ""
    """The end of the name of a second file, beside OUT and with the same stem."""

    def inputs(self) -> list[str]:
        """Files that must not be replaced; of a folder the first one."""
        named = [Path(word) for word in self.arguments.split()]
        within = (min(filter(Path.is_file, folder.rglob("[!.]*"))) for folder in named if folder.is_dir())
        return [str(path) for path in (*filter(Path.is_file, named), *within)]


_MERGE = "corpora merge stories.jsonl --documents 4 --segments 2 2 --filler anna.jsonl"
_CHANGES, _SCHEMA, _SCENARIOS = (f"evaluate {EVALUATIONS[name]}" for name in ("state-changes", "openpi-2", "scenarios"))
_MAKE_CLOZE = "corpora cloze pairs.tsv --whitelist words.txt"

OUTPUTS = {
    **{f"evaluate {name} --output": Case(f"evaluate {arguments} -o OUT") for name, arguments in EVALUATIONS.items()},
    "explore --output": Case("explore graph -o OUT", out="out.html"),
    "plan --pddl": Case("plan graph 'cooking pasta' --pddl OUT", out="out.pddl", beside="-problem.pddl"),
    "export target": Case("export graph OUT", out="out.nq"),
    "schema --output": Case("schema ontology -o OUT"),
    "evaluate openpi-2 --predictions-out": Case(f"{_SCHEMA} --predictions-out OUT"),
    "evaluate state-changes --predictions-out": Case(f"{_CHANGES} --predictions-out OUT"),
    "evaluate scenarios --predictions-out": Case(f"{_SCENARIOS} --predictions-out OUT"),
    "evaluate all --output": Case("evaluate all --data inscript -o OUT"),
    "train typicality --out": Case("train typicality --inscript inscript --out OUT"),
    "train importance --out": Case("train importance graph --out OUT"),
    "corpora merge --output": Case(f"{_MERGE} -o OUT"),
    "corpora adjudicate --output": Case("corpora adjudicate anna.jsonl ben.jsonl --decisions decisions.jsonl -o OUT"),
    "corpora adjudicate --conflicts": Case(
        "corpora adjudicate anna.jsonl ben.jsonl --decisions decisions.jsonl -o other --conflicts OUT"
    ),
    "corpora scenarios --output": Case("corpora scenarios -o OUT"),
    "corpora cloze --output": Case(f"{_MAKE_CLOZE} -o OUT"),
    "corpora cloze --whitelist-out": Case(f"{_MAKE_CLOZE} -o other --whitelist-out OUT"),
}
"""The parameters that name a file to write."""

CHECKPOINTS = {
    "train masked --out": "train masked --train OUT/file",
    "train aligner --out": "train aligner --train pairs.tsv --labels OUT/file",
    "train transducer --out": "train transducer --config OUT/file --train pairs.tsv",
    "train state-changes --out": "train state-changes --train OUT/file",
    "train scenarios --out": "train scenarios --config detector --train stories.jsonl --development OUT/file",
    "train scenario-calibration --out": "train scenario-calibration --development OUT/file",
    "train tools --out": "train tools --train OUT/file",
    "train step-encoder --out": "train step-encoder --config OUT/file",
    "train changes --out": "train changes --config OUT/file",
    "train reader --out": "train reader --config OUT/file",
    "train text --out": "train text --treebanks OUT --work work",
    "train steps --out": "train steps --descript dev --inscript inscript --encoder OUT",
}
"""The parameters that name a directory that training replaces, with an input in it."""

DIRECTORIES = {
    "build-graph --output",
    "split-reading --output",
    "merge --output",
    "corpora fetch --into",
    "train text --work",
}
"""The parameters that name a directory that is added to, and never replaced."""


NOTHING = Evaluation(task="t", dataset="d", split="s", systems=())
_LONG = (
    "evaluation.step_changes.evaluate_step_changes",
    "evaluation.search.evaluate_search",
    "reproductions.steps.importance.evaluate_importance",
    "reproductions.steps.task_graphs.evaluate_order",
    "reproductions.events.parsing.evaluate_text",
    "reproductions.steps.typicality.evaluate_typicality",
    "evaluation.tools.evaluate_predicted_tools",
    "evaluation.titles.evaluate_titles",
    "reproductions.scenarios.mentions.evaluate_mentions",
    "reproductions.scenarios.confidence.evaluate_confidence",
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    write_inputs(folder)
    for split in ("train", "val"):
        (folder / "inscript" / split / "story").write_text("no story", encoding="utf-8")
    return folder


@pytest.fixture
def inputs(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the inputs, in which the commands run; what takes long is left out."""
    folder = tmp_path / "inputs"
    shutil.copytree(small, folder)
    monkeypatch.chdir(folder)
    load = registry.load
    monkeypatch.setattr(registry, "load", lambda task, name: MODELS[task] if task in MODELS else load(task, name))
    for name in _LONG:
        monkeypatch.setattr(f"kgscripts.{name}", lambda *_, **__: NOTHING)
    for name in ("events.extraction.evaluate_extraction", "steps.merging.evaluate_steps"):
        monkeypatch.setattr(f"kgscripts.reproductions.{name}", lambda *_, **__: [NOTHING])
    monkeypatch.setattr("kgscripts.commands.evaluate.evaluation_tasks", lambda: {})
    learning = lightning_modules.learning.importance
    monkeypatch.setattr(learning, "labelled_mentions", lambda _: {})
    monkeypatch.setattr(learning, "left_out", lambda _: ({}, 0.5))
    monkeypatch.setattr(learning, "learn_from", lambda _: shipped_weights())
    monkeypatch.setattr(lightning_modules.learning.importance, "learn_importance", lambda _: (shipped_importance(), 1))
    return folder


def write(arguments: str, out: Path) -> None:
    """Run a command with its outputs below a folder. Raises the error that it ends with."""
    run(*(word.replace("OUT", str(out)) for word in shlex.split(arguments)))


def contents(folder: Path) -> dict[Path, bytes]:
    """All files of a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def through_pipe(arguments: str, path: Path) -> bytes:
    """What a command writes to a named pipe that something reads."""
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    # The reader does not end before the command has come.
    writing = os.open(path, os.O_WRONLY)
    os.set_blocking(reading, True)
    read = list[bytes]()

    def collect() -> None:
        with os.fdopen(reading, "rb") as stream:
            read.append(stream.read())

    reader = Thread(target=collect, daemon=True)
    reader.start()
    try:
        write(arguments, path)
    finally:
        os.close(writing)
        reader.join(60)
    return read[0]


def test_every_parameter_that_names_a_path_is_known() -> None:
    known = [*OUTPUTS, *CHECKPOINTS, *DIRECTORIES, *INPUTS]
    assert len(known) == len(set(known))
    assert path_parameters() == set(known)


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_input_is_overwritten(inputs: Path, name: str) -> None:
    case = OUTPUTS[name]
    before = contents(inputs)
    suffix = Path(case.out).suffix
    for number, file in enumerate(case.inputs()):
        # An export needs a suffix, and the same file by another name is an input too.
        links = [inputs.parent / f"link{number}{suffix}", inputs.parent / f"hard{number}{suffix}"]
        links[0].symlink_to(inputs / file)
        links[1].hardlink_to(inputs / file)
        for out in (*([inputs / file] if suffix == ".txt" else []), *links):
            with pytest.raises(ConfigurationError, match="is an input and would be overwritten"):
                write(case.arguments, out)
    assert contents(inputs) == before


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_kind_of_output(inputs: Path, tmp_path: Path, name: str) -> None:
    case = OUTPUTS[name]
    plain = tmp_path / "new" / "folder" / case.out
    write(case.arguments, plain)
    expected = plain.read_bytes()
    umask = os.umask(0o77)
    os.umask(umask)
    # With decisions on all of them, no conflict is left.
    assert expected or name == "corpora adjudicate --conflicts"
    assert stat.S_IMODE(plain.stat().st_mode) == 0o666 & ~umask

    private, link = tmp_path / "private", tmp_path / f"link-{case.out}"
    private.touch(mode=0o600)
    link.symlink_to(private.name)
    write(case.arguments, link)
    assert link.is_symlink()
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert private.read_bytes() == expected

    fifo = tmp_path / case.out
    assert through_pipe(case.arguments, fifo) == expected
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    second = {f"{path.stem}{case.beside}" for path in (link, fifo) if case.beside}
    assert {path.name for path in tmp_path.iterdir()} == {"inputs", "new", private.name, link.name, fifo.name, *second}
    assert inputs.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        f"{_CHANGES} -o OUT --predictions-out OUT",
        f"{_SCENARIOS} -o OUT --predictions-out OUT",
        "corpora adjudicate anna.jsonl ben.jsonl -o OUT --conflicts OUT",
        f"{_MAKE_CLOZE} -o OUT --whitelist-out OUT",
    ],
)
def test_two_outputs_are_two_files(inputs: Path, arguments: str) -> None:
    out, other = inputs / "out.txt", inputs / "other.txt"
    other.symlink_to(out)
    first, _, second = arguments.rpartition("OUT")
    for name in (out, other):
        with pytest.raises(ConfigurationError, match="the same file as"):
            write(f"{first}{name}{second}", out)
    assert not out.exists()
    out.touch()
    other.unlink()
    other.hardlink_to(out)
    with pytest.raises(ConfigurationError, match="the same file as"):
        write(f"{first}{other}{second}", out)
    assert out.read_bytes() == b""


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_does_not_replace_what_it_is_trained_on(inputs: Path, name: str) -> None:
    (inputs / "tiny" / "file").write_text("an input", encoding="utf-8")
    before = contents(inputs)
    with pytest.raises(ConfigurationError, match="is or contains an input"):
        write(f"{CHECKPOINTS[name]} --out OUT", inputs / "tiny")
    assert contents(inputs) == before


@pytest.mark.parametrize("target", ["parquet:", "oxigraph:", "neo4j-csv:"])
def test_an_export_does_not_replace_the_folder_of_its_graph(inputs: Path, target: str) -> None:
    write(f"export graph {target}OUT", inputs / "exported")
    (inputs / "graph").rename(inputs / "exported" / "graph")
    before = contents(inputs)
    with pytest.raises(ConfigurationError, match="is or contains an input"):
        write(f"export exported/graph {target}OUT", inputs / "exported")
    assert contents(inputs) == before


@pytest.mark.parametrize("target", ["parquet:", "oxigraph:", "neo4j-csv:"])
def test_an_exported_directory_keeps_its_mode_and_its_link(inputs: Path, target: str) -> None:
    private, link = inputs / "private", inputs / "link"
    private.mkdir(mode=0o700)
    link.symlink_to("private")
    for _ in range(2):
        write(f"export graph {target}OUT", link)
        assert link.is_symlink()
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert any(private.iterdir())
