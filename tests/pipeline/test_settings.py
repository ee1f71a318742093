"""Settings of extractors and enrichers in builds, and in what is assembled later."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from kgscripts import ScriptGraph
from kgscripts.editing.correcting import correct_graph
from kgscripts.editing.merging import merge_graphs
from kgscripts.enrichers.protocol import ENRICHERS
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.registry import describe, shipped_models
from kgscripts.pipeline import build_graph, remove_source
from schemas.corrections import Correction
from schemas.errors import ConfigurationError, KGScriptsError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny, tiny_document
from tests.commands import run
from tests.pipeline.tuned import LETTERS, LetterExtractor, LetterSettings, PencilEnricher, install_tuned

TEXTS = [
    tiny_document("stir the pot. ADD the water. GO.", name="one", scenario="cooking pasta"),
    tiny_document("stir the pasta with the spoon. boil the rice.", name="two", scenario="cooking pasta"),
]


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        install_tuned(tmp_path_factory.mktemp("site"), patch)
        yield


def _actions(directory: Path) -> set[str]:
    return {row["label"] for row in ScriptGraph.open(directory).rows("Action")}


def _build(directory: Path, log: Path | None = None, **options: Any) -> int:
    """How many texts were read."""
    extractors = [*tiny(log=log), "letters"]
    return build_graph(output=directory, texts=TEXTS, **{"extractors": extractors} | options).run.sources_read


SPELLING = {"verb": "spell", "least": 3, "share": 1, "loud": True}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph without settings, with the log of its reading beside it; nobody writes to either."""
    folder = tmp_path_factory.mktemp("plain")
    assert _build(folder / "graph", folder / "log") == 2
    return folder / "graph"


@pytest.fixture(scope="module")
def spelled(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, built again with settings."""
    folder = tmp_path_factory.mktemp("spelled")
    shutil.copy(plain.with_name("log"), folder)
    shutil.copytree(plain, folder / "graph")
    assert _build(folder / "graph", folder / "log", settings={"letters": SPELLING}) == 2
    return folder / "graph"


def test_settings_change_what_is_read_by_their_extractor_alone(plain: Path, spelled: Path, tmp_path: Path) -> None:
    assert {"write stir", "write go"} <= _actions(plain)
    assert {action for action in _actions(spelled) if not action.startswith("s")} == {"ADD water", "GO", "boil rice"}
    assert {action for action in _actions(spelled) if action.startswith("spell")} == {"spell add"}
    log = spelled.with_name("log")
    assert sorted(log.read_text(encoding="utf-8").split()) == ["one", "two"], "the others read no text again"
    graph = shutil.copytree(spelled, tmp_path / "graph")
    assert _build(graph, log, settings={"letters": SPELLING}) == 0
    _build(graph, log)
    assert sorted(log.read_text(encoding="utf-8").split()) == ["one", "two"]
    assert graph_bytes(graph) == graph_bytes(plain)


def test_settings_that_are_the_default_ones_or_of_others_change_nothing(plain: Path, tmp_path: Path) -> None:
    graph = shutil.copytree(plain, tmp_path / "graph")
    nothing: list[Any] = [None, {}, {"letters": {}}, {"letters": LETTERS}, {"pencils": {}}]
    for settings in (*nothing, {"state-changes": {"least_certain": 0.9}}):
        assert _build(graph, settings=settings) == 0
        assert graph_bytes(graph) == graph_bytes(plain)


def test_versions_of_enrichers_are_what_they_were_before_there_were_settings() -> None:
    for name in ("action-vectors", "predicted-tools"):
        enricher = ENRICHERS.open(name)
        content = json.dumps([name, enricher.rules, [model.digest for model in enricher.networks]])
        assert enricher.version == hashlib.sha256(content.encode()).hexdigest()


def test_processes_have_the_settings(spelled: Path, tmp_path: Path) -> None:
    _build(tmp_path, settings={"letters": SPELLING}, jobs=2)
    assert graph_bytes(tmp_path) == graph_bytes(spelled)


def test_an_object_has_its_own_settings(spelled: Path, tmp_path: Path) -> None:
    settings = LetterSettings(verb="spell", least=3, loud=True)
    build_graph(output=tmp_path, texts=TEXTS, extractors=[*tiny(), LetterExtractor(settings=settings)])
    assert graph_bytes(tmp_path) == graph_bytes(spelled)


@pytest.mark.parametrize(
    ("settings", "message", "remedy"),
    [
        ({"leters": {"least": 2}}, "no extractor or enricher 'leters' is installed", "did you mean letters?"),
        ({"": {}}, "no extractor or enricher ''", "steps"),
        ({"letters": {"leest": 2}}, "unknown setting leest", "least, share, loud, verb"),
        ({"sentences": {"least": 2}}, "unknown setting least", "there are none"),
        ({"letters": {"least": "2"}}, "least is '2'", "a whole number"),
        ({"letters": {"least": 2.5}}, "least is 2.5", "a whole number"),
        ({"letters": {"least": True}}, "least is True", "a whole number"),
        ({"letters": {"least": 0}}, "'least' must be >= 1", None),
        ({"letters": {"share": "much"}}, "share is 'much'", "a finite number"),
        ({"letters": {"share": float("nan")}}, "share is nan", "a finite number"),
        ({"letters": {"share": float("inf")}}, "share is inf", "a finite number"),
        ({"letters": {"share": 10**400}}, "share is a number that is too large", "a finite number"),
        ({"letters": {"share": False}}, "share is False", "a finite number"),
        ({"letters": {"share": 1.5}}, "'share' must be <= 1.0", None),
        ({"letters": {"loud": 1}}, "loud is 1", "true or false"),
        ({"letters": {"loud": "true"}}, "loud is 'true'", "true or false"),
        ({"letters": {"verb": None}}, "verb is None", "a text"),
        ({"letters": {"verb": ["write"]}}, "verb is", "a text"),
        ({"letters": {"verb": ""}}, "verb", None),
        ({"letters": {"verb": "\ud800"}}, "half a surrogate pair", "valid text"),
        ({"letters": {1: 2}}, "1", None),
        ({"letters": 5}, "the settings of 'letters' is 5", "state-changes"),
        ({5: {}}, "what has settings is 5", "state-changes"),
        ([("letters", {})], "settings is", "state-changes"),
        ({"pencils": {"probability": 2}}, "'probability' must be <= 1.0", None),
        ({"state-changes": {"model": "no-such"}}, "model: no-such: no such model", "state-changes-retrieval"),
        ({"state-changes": {"model": "steps"}}, "a model for the task 'steps', not 'changes'", "change-generator"),
        ({"open-changes": {"model": "steps"}}, "a model for the task 'steps', not 'state-changes'", "change-composer"),
        ({"state-changes": {"model": ""}}, "model", None),
        ({"state-changes": {"least_certain": 1.5}}, "must be <= 1.0", None),
        ({"state-changes": {"least_likely": -0.5}}, "must be >= 0.0", None),
        ({"decompositions": {"model": "."}}, "no checkpoint", "a model that ships"),
        ({"predicted-tools": {"model": Path("nowhere")}}, "nowhere: no such model", "tools"),
    ],
)
def test_what_is_no_setting_is_refused_before_anything_is_read(
    settings: Any, message: str, remedy: str | None, tmp_path: Path
) -> None:
    with pytest.raises(KGScriptsError) as caught:
        _build(tmp_path / "graph", settings=settings)
    assert message in str(caught.value)
    assert remedy is None or remedy in str(caught.value)
    assert not (tmp_path / "graph").exists()


def test_settings_of_an_object_are_refused(tmp_path: Path) -> None:
    for item, name in ((LetterExtractor(), "letters"), (PencilEnricher(), "pencils")):
        with pytest.raises(ConfigurationError, match=f"'{name}' comes as an object"):
            build_graph(output=tmp_path / "graph", texts=TEXTS, extractors=[*tiny(), item], settings={name: {}})


PENCILS: dict[str, Any] = {"extractors": [*tiny(), "pencils"]}


def _predicted(directory: Path) -> set[float]:
    return {row["probability"] for row in ScriptGraph.open(directory).rows("USES") if row["predicted"]}


def test_enrichers_have_settings_that_the_graph_keeps(tmp_path: Path) -> None:
    settings = {"pencils": {"probability": 0.25}}
    _build(tmp_path / "graph", **PENCILS)
    assert _predicted(tmp_path / "graph") == {0.5}
    shutil.copytree(tmp_path / "graph", tmp_path / "default")
    PencilEnricher.log.clear()
    assert _build(tmp_path / "graph", **PENCILS, settings=settings) == 0
    assert _predicted(tmp_path / "graph") == {0.25}
    assert PencilEnricher.log, "they are part of its version"
    configuration = ScriptGraph.open(tmp_path / "graph").manifest.configuration
    assert configuration["pencils.probability"] == 0.25
    whole = graph_bytes(tmp_path / "graph")

    remove_source(tmp_path / "graph", "one")
    assert _predicted(tmp_path / "graph") == {0.25}
    shutil.copytree(tmp_path / "graph", tmp_path / "b")
    correction = Correction(kind="reject", scenario="cooking pasta", step="stir pot", author="Ada", time="2026-01-01")
    correct_graph(tmp_path / "graph", [correction])
    assert _predicted(tmp_path / "graph") == {0.25}

    build_graph(output=tmp_path / "a", texts=TEXTS[:1], **PENCILS, settings=settings)
    merge_graphs([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
    assert graph_bytes(tmp_path / "merged") == whole
    with pytest.raises(ConfigurationError, match=r"settings pencils.probability=0.25 and pencils.probability=0.5"):
        merge_graphs([tmp_path / "a", tmp_path / "default"], tmp_path / "other")


MERGING: dict[str, Any] = {"extractors": [*tiny(), "steps"], "without": ["action-vectors"]}


@pytest.fixture(scope="module")
def other_steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that merges steps otherwise than the one that ships."""
    checkpoint = load_checkpoint(shipped_models()["steps"])
    directory = tmp_path_factory.mktemp("models") / "other"
    save_checkpoint(attrs.evolve(checkpoint, settings={**checkpoint.settings, "least": 0.9}), directory)
    return directory


@pytest.fixture(scope="module")
def of_other_steps(other_steps: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph that was made with it; nobody writes to it."""
    directory = tmp_path_factory.mktemp("of-other") / "graph"
    _build(directory, **MERGING, settings={"steps": {"model": other_steps}})
    return directory


def test_a_graph_keeps_models_by_their_digests(other_steps: Path, of_other_steps: Path, tmp_path: Path) -> None:
    settings = {"steps": {"model": other_steps}}
    shutil.copytree(of_other_steps, tmp_path / "graph")
    manifest = ScriptGraph.open(tmp_path / "graph").manifest
    assert manifest.configuration["steps.model"] == describe(other_steps).digest
    assert describe(other_steps).digest in manifest.models
    assert str(other_steps.parent) not in (tmp_path / "graph" / "manifest.json").read_text(encoding="utf-8")
    before = graph_bytes(tmp_path / "graph")

    for call in (
        lambda **more: remove_source(tmp_path / "graph", "one", **more),
        lambda **more: correct_graph(tmp_path / "graph", [], **more),
    ):
        with pytest.raises(ConfigurationError, match="a model that does not ship") as caught:
            call()
        assert "--set steps.model=DIR" in str(caught.value)
        with pytest.raises(ConfigurationError, match="another model than default"):
            call(settings={"steps": {"model": "default"}})
        with pytest.raises(ConfigurationError, match=r"pencils.probability is neither a model of the graph"):
            call(settings=settings | {"pencils": {"probability": 0.5}})
        assert graph_bytes(tmp_path / "graph") == before
    corrections = tmp_path / "corrections.jsonl"
    corrections.write_text("", encoding="utf-8")
    run("correct", tmp_path / "graph", "--corrections", corrections, "--set", f"steps.model={other_steps}")
    assert graph_bytes(tmp_path / "graph") == before
    run("remove", tmp_path / "graph", "one", "--set", f"steps.model={other_steps}")
    for number, name in enumerate(["one", "two"]):
        build_graph(output=tmp_path / name, texts=[TEXTS[number]], **MERGING, settings=settings)
    assert graph_bytes(tmp_path / "graph") == graph_bytes(tmp_path / "two")
    parts = (tmp_path / "one", tmp_path / "two", "-o", tmp_path / "merged")
    run("merge", *parts, "--set", f"steps.model={other_steps}")
    assert graph_bytes(tmp_path / "merged") == before


def test_where_a_checkpoint_lies_changes_nothing(tmp_path: Path) -> None:
    checkpoint = load_checkpoint(shipped_models()["steps"])
    save_checkpoint(checkpoint, tmp_path / "moved")
    versions = {ENRICHERS.open("steps", {"model": model}).version for model in ("default", "steps", tmp_path / "moved")}
    assert versions == {ENRICHERS.open("steps").version}
    _build(tmp_path / "graph", **MERGING, settings={"steps": {"model": tmp_path / "moved"}})
    assert "steps.model" not in ScriptGraph.open(tmp_path / "graph").manifest.configuration
    (moved,) = EXTRACTORS.open("open-changes", {"model": "retrieval"}).networks
    assert moved.digest == describe("state-changes-retrieval").digest
    save_checkpoint(load_checkpoint(shipped_models()["changes"]), tmp_path / "changes")
    (moved, reader), plain = (
        EXTRACTORS.open("state-changes", settings).networks for settings in ({"model": tmp_path / "changes"}, {})
    )
    assert (moved.digest, reader.digest) == tuple(model.digest for model in plain)


def test_a_manifest_cannot_name_a_model_by_its_path(other_steps: Path, of_other_steps: Path, tmp_path: Path) -> None:
    graph = shutil.copytree(of_other_steps, tmp_path / "graph")
    manifest = json.loads((graph / "manifest.json").read_text(encoding="utf-8"))
    manifest["configuration"]["steps.model"] = str(other_steps)
    (graph / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="a model that does not ship"):
        correct_graph(graph, [])
