"""`build-graph --config` and `--set`: what a file may say, and that the command line wins over it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import attrs
import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph, pipeline
from kgscripts.building.configuration import read_configuration, read_settings
from kgscripts.enrichers.protocol import ENRICHERS
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.registry import describe, shipped_models
from kgscripts.settings import settings_of
from schemas.errors import KGScriptsError
from tests.assembly.built import graph_bytes
from tests.pipeline.tuned import install_tuned

EVERYTHING = """
inputs = ["texts", "/elsewhere/more.txt"]
output = "graph"
device = "cpu"
format = "text"
scenario = "making tea"
scenarios = "both"
scenario-list = "list.txt"
limit = 5
min-support = 2
strict = true
jobs = 3
spacy-model = "parser"
also = ["llm"]
without = ["labels", "sentences"]
predict-tools = true
corrections = "../corrections.jsonl"
memory = "2GB"
base-iri = "https://example.org/kg/"
licence = "https://creativecommons.org/licenses/by/4.0/"
json = true

[extractors]
only = ["letters", "events", "steps"]

[extractors.letters]
least = 3
share = 0.5
loud = true
verb = "spell"

[extractors.state-changes]
model = "changes"
least-likely = 1

[extractors.open-changes]
model = "retrieval"

[extractors.decompositions]
model = "aligner copy"

[enrichers.pencils]
probability = 1
"""
LINE = """
FOLDER/texts /elsewhere/more.txt -o FOLDER/graph --device cpu --format text
--scenario 'making tea' --limit 5
--scenarios both --scenario-list FOLDER/list.txt --min-support 2 --strict --jobs 3 --spacy-model parser
--without labels --without sentences --predict-tools --corrections FOLDER/../corrections.jsonl --memory 2GB --json
--also llm
--base-iri https://example.org/kg/ --licence https://creativecommons.org/licenses/by/4.0/
--extractors letters,events,steps --set letters.least=3 --set letters.share=0.5 --set letters.loud=true
--set letters.verb=spell --set state-changes.model=changes --set state-changes.least-likely=1
--set open-changes.model=retrieval
--set 'decompositions.model=FOLDER/aligner copy' --set pencils.probability=1
"""
"""The same as options of the command."""


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        install_tuned(tmp_path_factory.mktemp("site"), patch)
        yield


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The arguments of the last build, which the command only begins."""
    found: dict[str, Any] = {}

    def build(**options: Any) -> None:
        found.clear()
        found.update(json.loads(json.dumps(options, default=str)))
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "build_graph", build)
    return found


def _run(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, ["build-graph", *(str(argument) for argument in arguments)])
    if isinstance(result.exception, KGScriptsError):
        raise result.exception
    return result.output


def _file(folder: Path, text: str) -> Path:
    path = folder / "build.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    (tmp_path / "aligner copy").symlink_to(shipped_models()["aligner"])
    return _file(tmp_path, EVERYTHING)


def test_a_file_says_what_the_options_say(everything: Path, given: dict[str, Any]) -> None:
    _run("--config", everything)
    of_file = dict(given)
    _run(*shlex.split(LINE.replace("FOLDER", str(everything.parent))))
    assert given == of_file
    read = read_configuration(everything)
    assert given == json.loads(json.dumps(read.options | {"progress": None}, default=str))
    assert (read.as_json, given["memory"], given["jobs"]) == (True, 2 * 10**9, 3)


OVER: list[tuple[list[str], dict[str, Any]]] = [
    (["more.txt"], {"inputs": ["more.txt"]}),
    (["-o", "there"], {"output": "there"}),
    (["--scenario-list", "mine.txt"], {"scenario_list": "mine.txt"}),
    (["--no-strict"], {"strict": False}),
    (["-j", "1"], {"jobs": 1}),
    (["--without", "events"], {"without": ["events"]}),
    (["--corrections", "mine.jsonl"], {"corrections": "mine.jsonl"}),
    (["--memory", "1GB"], {"memory": 10**9}),
    (["--licence", ""], {"licence": ""}),
    (["--no-json"], {}),
]


@pytest.mark.parametrize(("arguments", "change"), OVER)
def test_the_command_line_wins(
    arguments: list[str], change: dict[str, Any], everything: Path, given: dict[str, Any]
) -> None:
    _run("--config", everything)
    of_file = dict(given)
    _run("--config", everything, *arguments)
    assert given == of_file | change


def test_single_settings_win(everything: Path, given: dict[str, Any]) -> None:
    options = ["letters.verb=cry", "letters.loud=false", "steps.model=nowhere", "letters.verb=call"]
    _run("--config", everything, *(word for option in options for word in ("--set", option)))
    assert given["settings"]["letters"] == {"least": 3, "share": 0.5, "loud": False, "verb": "call"}
    assert given["settings"]["steps"] == {"model": "nowhere"}
    assert given["settings"]["pencils"] == {"probability": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        (" -0.5 ", -0.5),
        ("true", True),
        ("True", "True"),
        ("a/b c", "a/b c"),
        ("a=b.c", "a=b.c"),
        ('"3"', "3"),
        ("'a'", "a"),
        ("", ""),
        ("2026-01-01", "2026-01-01"),
        ("[1]", "[1]"),
        ("{a = 1}", "{a = 1}"),
        ("1\nother = 2", "1\nother = 2"),
        ("[" * 5_000, "[" * 5_000),
        ("9" * 5_000, "9" * 5_000),
    ],
)
def test_values_of_texts(text: str, value: object) -> None:
    found = read_settings([f"state-changes.least-certain={text}"])
    assert found == {"state-changes": {"least_certain": value}}
    assert type(found["state-changes"]["least_certain"]) is type(value)


@pytest.mark.parametrize("text", ["", "steps", "steps.model", "model=x", ".model=x", "steps.=x", "=x", "steps=x.model"])
def test_texts_that_are_no_setting(text: str, tmp_path: Path) -> None:
    with pytest.raises(KGScriptsError, match=r"--set: .*is no setting") as caught:
        _run("text.txt", "-o", tmp_path / "graph", "--set", text)
    assert "NAME.SETTING=VALUE" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("colour = 5", "unknown option colour", "known are inputs, output, device, format"),
        ("Jobs = 5", "unknown option Jobs", "[extractors.NAME]"),
        ("set = []", "unknown option set", "[extractors.NAME]"),
        ("config = 'a.toml'", "unknown option config", "min-support"),
        ("[settings.letters]\nleast = 1", "unknown option settings", "[extractors.NAME]"),
        ("min-support = 1\nmin_support = 2", "min_support is given twice, with hyphens and", "leave one out"),
        ("jobs = 'many'", "jobs is 'many'", "a whole number"),
        ("jobs = 0", "jobs is 0", "from 1"),
        ("jobs = 1.0", "jobs is 1.0", "a whole number"),
        ("limit = true", "limit is True", "a whole number"),
        ("strict = 1", "strict is 1", "true or false"),
        ("json = 'yes'", "json is 'yes'", "true or false"),
        ("inputs = 'texts'", "inputs is 'texts'", 'inputs = ["..."]'),
        ("inputs = [1]", "inputs is [1]", "a list of texts"),
        ("inputs = ['']", "inputs is empty", "a path"),
        ("output = ''", "output is empty", "a path"),
        ("output = ['a']", "output is ['a']", "a path"),
        ("corrections = 1979-05-27", "corrections is datetime.date", "a path"),
        ("memory = 2", "memory is 2", "a text"),
        ("memory = 'plenty'", "plenty is not a size", "2GB"),
        ("scenario = ['a']", "scenario is ['a']", "a text"),
        ("extractors = 'letters'", "extractors is 'letters'", "[extractors.NAME]"),
        ("extractors = [1]", "extractors is [1]", "a list of texts"),
        ("[extractors]\nonly = 'letters'", "extractors.only is 'letters'", "[extractors.only]"),
        ("[extractors]\nletters = 3", "extractors.letters is 3", "[extractors.letters]"),
        ("enrichers = ['steps']", "enrichers is ['steps']", "[enrichers.NAME]"),
        ("[extractors.leters]\nleast = 3", "no extractor or enricher 'leters'", "did you mean letters?"),
        ("[extractors.steps]\nmodel = 'steps'", "'steps' is not one of the extractors", "[enrichers.steps]"),
        ("[enrichers.letters]\nleast = 3", "'letters' is not one of the enrichers", "[extractors.letters]"),
        ("[extractors.letters]\nleest = 3", "[extractors.letters]: unknown setting leest", "least, share, loud, verb"),
        ("[extractors.letters]\nleast = '3'", "[extractors.letters]: least is '3'", "a whole number"),
        ("[extractors.letters]\nleast = 0", "'least' must be >= 1", None),
        ("[extractors.letters]\nshare = nan", "share is nan", "a finite number"),
        ("[extractors.letters.verb]\na = 3", "verb is {'a': 3}", "a text"),
        ("[extractors.labels]\nleast = 3", "unknown setting least", "there are none"),
        ("[extractors.state-changes]\nmodel = 'nowhere'", "nowhere: no such model", "those that ship"),
        ("[extractors.state-changes]\nmodel = 'steps'", "for the task 'steps', not 'changes'", None),
        ("[extractors.state-changes]\nmodel = 'retrieval'", "retrieval: no such model", "those that ship"),
        ("[extractors.open-changes]\nmodel = 'changes'", "for the task 'changes', not 'state-changes'", None),
        ("[extractors.state-changes]\nmodel = 3", "model is 3", "a text"),
        ("[extractors.state-changes]\nmodel = ''", "model", None),
        (
            "[extractors.state-changes]\nleast-certain = 1\nleast_certain = 1",
            "extractors.state-changes.least_certain is given twice, with hyphens and with underscores",
            "leave one out",
        ),
        ("jobs = ", "no TOML", "toml.io"),
        ("jobs = 1\njobs = 2", "no TOML", "toml.io"),
        ("extractors = ['letters']\n[extractors.letters]\nleast = 3", "no TOML", "toml.io"),
    ],
)
def test_a_bad_file_is_named_with_its_fault(text: str, message: str, remedy: str | None, tmp_path: Path) -> None:
    file = _file(tmp_path, text)
    with pytest.raises(KGScriptsError) as caught:
        _run("text.txt", "-o", tmp_path / "graph", "--config", file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
    assert remedy is None or remedy in str(caught.value)
    assert not (tmp_path / "graph").exists()


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["-o", "graph"], "", "INPUT is missing"),
        (["-o", "graph"], "inputs = []", "INPUT is missing"),
        (["text.txt"], "inputs = ['a']", "--output is missing"),
    ],
)
def test_inputs_and_an_output_are_needed(arguments: list[str], text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(KGScriptsError, match=message) as caught:
        _run(*arguments, "--config", _file(tmp_path, text))
    assert "kgscripts build-graph INPUT -o DIR" in str(caught.value.remedy)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(KGScriptsError, match="no such configuration"):
        _run("--config", tmp_path / "build.toml")


def test_file_command_line_and_python_build_the_same_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "tea.txt").write_text("I boiled water. I poured the TEA.", encoding="utf-8")
    file = _file(
        tmp_path,
        'inputs = ["texts"]\noutput = "by file"\nscenario = "making tea"\n'
        'extractors.only = ["labels", "letters"]\nextractors.letters.verb = "spell"\nextractors.letters.least = 4\n',
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.chdir("texts")
    _run("--config", file)
    line = "../texts -o ../by-line --scenario 'making tea' --extractors labels,letters"
    _run(*shlex.split(line), "--set", "letters.verb=spell", "--set", "letters.least=4")
    settings = {"letters": {"verb": "spell", "least": 4}}
    extractors = ["labels", "letters"]
    pipeline.build_graph(
        tmp_path / "texts", "../by-python", scenario="making tea", extractors=extractors, settings=settings
    )
    built = graph_bytes(tmp_path / "by file")
    assert {row["label"] for row in ScriptGraph.open(tmp_path / "by file").rows("Action")} == {
        "spell boiled",
        "spell poured",
        "spell water",
    }
    for name in ("by-line", "by-python"):
        assert graph_bytes(tmp_path / name) == built


def test_the_file_of_the_documentation(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "building.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    file = _file(tmp_path, text)
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "tea.md").write_text("# How to make tea\n\n1. Boil the water.\n", encoding="utf-8")
    (tmp_path / "stories.jsonl").write_text('{"id": 1, "text": "We drank tea."}\n', encoding="utf-8")
    checkpoint = load_checkpoint(shipped_models()["steps"])
    other = attrs.evolve(checkpoint, settings={**checkpoint.settings, "least": 0.9})
    save_checkpoint(other, tmp_path / "models" / "steps")
    report = json.loads(_run("--config", file, "--json"))
    assert report["sources"] == 2
    manifest = ScriptGraph.open(tmp_path / "graph").manifest
    assert manifest.configuration["steps.model"] == describe(tmp_path / "models" / "steps").digest
    assert describe("changes").digest in manifest.models
    line = ["--config", file, "-o", tmp_path / "other", "--no-strict", "--set", "steps.model=default"]
    assert shlex.join(map(str, line[4:])) in page
    _run(*line, "--without", "state-changes")
    assert "steps.model" not in ScriptGraph.open(tmp_path / "other").manifest.configuration


def test_the_documentation_names_every_setting_that_ships() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "building.md").read_text(encoding="utf-8")
    for group, plugins in (("kgscripts.extractors", EXTRACTORS), ("kgscripts.enrichers", ENRICHERS)):
        for entry in distribution("kgscripts").entry_points.select(group=group):
            settings = settings_of(plugins.open(entry.name).settings)
            assert all(f"`{setting.name}`" in page for setting in settings)
            assert not settings or f"`{entry.name}`" in page
