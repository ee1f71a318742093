"""Choosing extractors: their order, their versions, and which of them are imported."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.extractors.decomposition.decomposition import DecompositionExtractor
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import PARSE, Extractor, ParsedDocument, Requirement
from kgscripts.extractors.registry import Chosen, choose, installed_extractors
from kgscripts.score_files import read_scores, scores_of_package
from kgscripts.settings import model_setting
from kgscripts.text.pipeline import describe_pipeline
from schemas.errors import ConfigurationError, ModelError
from schemas.provenance import Model
from schemas.records import Record

PARSER = Model(name="parser", version="1", digest="a" * 64, task="syntactic analysis")
NETWORK = Model(name="network", version="1", digest="b" * 64, task="something")


@frozen
class K0:
    """A kind of record, and so are those below."""


@frozen
class K1:
    pass


@frozen
class K2:
    pass


@frozen
class K3:
    pass


@frozen
class _Settings:
    threshold: float = 0.25


@frozen
class _ModelSettings:
    model: str = model_setting("steps")


KINDS: tuple[type[Record], ...] = (K0, K1, K2, K3)


def _extractor(name: str, requires: Sequence[Requirement], gives: Sequence[type[Record]], **more: Any) -> Extractor:
    """An extractor that finds nothing."""

    def read(_: Extractor, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [[] for _ in documents]

    content = {"name": name, "rules": "1", "task": "test", "requires": tuple(requires), "gives": tuple(gives)}
    made: Extractor = type(name, (Extractor,), {**content, "read": read, **more})()
    return made


@st.composite
def _extractors(draw: st.DrawFn) -> list[Extractor]:
    """Up to six extractors with any requirements."""
    kinds = st.lists(st.sampled_from(KINDS), unique=True, max_size=2)
    anything: tuple[Requirement, ...] = (*KINDS, PARSE)
    requirements = st.lists(st.sampled_from(anything), unique=True, max_size=2)
    count = draw(st.integers(1, 6))
    return [_extractor(f"e{number}", draw(requirements), draw(kinds)) for number in range(count)]


def _needs(extractors: Sequence[Extractor]) -> nx.DiGraph:
    """An edge from each extractor to those that require what it gives."""
    graph = nx.DiGraph()
    graph.add_nodes_from(item.name for item in extractors)
    for giver in extractors:
        for user in extractors:
            if giver is not user and set(giver.gives) & set(user.requires):
                graph.add_edge(giver.name, user.name)
    return graph


def _lacks_something(extractors: Sequence[Extractor]) -> bool:
    return any(
        not any(requirement in other.gives for other in extractors if other is not item)
        for item in extractors
        for requirement in item.requires
        if requirement is not PARSE
    )


def _versions(extractors: Sequence[Extractor], parser: Model = PARSER) -> dict[str, str]:
    return {item.extractor.name: item.version for item in _choose(extractors, parser=parser)}


def _choose(extractors: Sequence[Extractor], without: Sequence[str] = (), parser: Model = PARSER) -> list[Chosen]:
    return choose(extractors, without, lambda: parser)


@given(_extractors(), st.randoms(use_true_random=False))
def test_each_comes_after_those_that_it_requires(extractors: list[Extractor], draw: random.Random) -> None:
    needs = _needs(extractors)
    if _lacks_something(extractors) or not nx.is_directed_acyclic_graph(needs):
        with pytest.raises(ConfigurationError, match=r"require") as caught:
            _choose(extractors)
        assert caught.value.remedy
        return
    chosen = _choose(extractors)
    names = [item.extractor.name for item in chosen]
    assert sorted(names) == sorted(item.name for item in extractors)
    assert all(names.index(first) < names.index(second) for first, second in needs.edges)
    shuffled = draw.sample(extractors, len(extractors))
    assert _choose(shuffled) == chosen


@given(_extractors(), st.data())
def test_a_version_follows_the_extractor_and_what_it_requires_and_nothing_else(
    extractors: list[Extractor], data: st.DataObject
) -> None:
    needs = _needs(extractors)
    if _lacks_something(extractors) or not nx.is_directed_acyclic_graph(needs):
        return
    before = _versions(extractors)
    changed = data.draw(st.sampled_from(extractors))
    newer = _extractor(changed.name, changed.requires, changed.gives, rules="2")
    after = _versions([newer if item is changed else item for item in extractors])
    affected = {changed.name, *nx.descendants(needs, changed.name)}
    assert {name for name in before if before[name] != after[name]} == affected
    alone = [item for item in extractors if item.name in {changed.name, *nx.ancestors(needs, changed.name)}]
    assert _versions(alone) == {item.name: before[item.name] for item in alone}
    other_parser = _versions(extractors, evolve(PARSER, digest="c" * 64))
    parsing = {item.name for item in extractors if PARSE in item.requires}
    affected = parsing.union(*(nx.descendants(needs, name) for name in parsing))
    assert {name for name in before if before[name] != other_parser[name]} == affected


@pytest.mark.parametrize(
    ("change", "changes"),
    [
        ({"rules": "2"}, True),
        ({"settings": _Settings(threshold=0.5)}, True),
        ({"settings": _Settings()}, True),
        ({"settings": _ModelSettings(model="elsewhere")}, False),
        ({"data": {"words.txt": "d" * 64}}, True),
        ({"networks": (NETWORK,)}, True),
        ({"task": "other words"}, False),
        ({"licence": "MIT"}, False),
        ({"cost": "free"}, False),
        ({"scores": lambda *_: read_scores(scores_of_package("events"))}, False),
        ({"__doc__": "Another docstring."}, False),
    ],
)
def test_what_a_version_depends_on(change: dict[str, Any], changes: bool) -> None:
    plain = _versions([_extractor("one", [PARSE], [K0])])
    assert (_versions([_extractor("one", [PARSE], [K0], **change)]) != plain) is changes


def test_a_network_counts_by_its_digest() -> None:
    with_network = _versions([_extractor("one", [], [K0], networks=(NETWORK,))])
    renamed = evolve(NETWORK, name="another", version="2", scores=read_scores(scores_of_package("events")))
    assert _versions([_extractor("one", [], [K0], networks=(renamed,))]) == with_network
    retrained = evolve(NETWORK, digest="c" * 64)
    assert _versions([_extractor("one", [], [K0], networks=(retrained,))]) != with_network


def test_extractor_networks_and_parser_are_models_of_their_own() -> None:
    (chosen,) = _choose([_extractor("one", [PARSE], [K0], networks=(NETWORK,), rules="7", licence="MIT")])
    itself, *others = chosen.models
    assert (itself.name, itself.version, itself.digest) == ("one", "7", chosen.version)
    assert (itself.task, itself.licence) == ("test", "MIT")
    assert others == [NETWORK, PARSER]


def test_scores_are_those_of_the_parser_that_they_were_measured_with() -> None:
    assert _choose([EventExtractor()], parser=describe_pipeline())[0].models[0].scores == read_scores(
        scores_of_package("events")
    )
    assert _choose([EventExtractor()])[0].models[0].scores == ()
    assert {"tool F1", "pronoun precision", "event head precision", "participant head F1"} <= {
        score.metric for score in read_scores(scores_of_package("events"))
    }


def test_the_parser_is_described_only_where_it_is_required() -> None:
    def refuse() -> Model:
        raise AssertionError

    (chosen,) = choose([_extractor("one", [], [K0])], (), refuse)
    assert len(chosen.models) == 1


def test_two_with_one_name_are_refused_unless_they_are_the_same() -> None:
    one, other = (_extractor("one", [], [kind]) for kind in (K0, K1))
    with pytest.raises(ConfigurationError, match="two extractors have the name 'one'"):
        _choose([one, other])
    with pytest.raises(ConfigurationError, match="two extractors have the name 'events'"):
        choose(["events", EventExtractor()], (), lambda: PARSER)
    assert len(_choose([one, one])) == 1
    assert len(choose(["labels", "labels"], (), lambda: PARSER)) == 1


def test_what_cannot_be_hashed_can_be_chosen() -> None:
    chosen = _choose([DecompositionExtractor(), EventExtractor()])
    assert [item.extractor.name for item in chosen] == ["events", "decompositions"]


def test_without_leaves_out() -> None:
    one, other = _extractor("one", [], [K0]), _extractor("other", [K0], [K1])
    assert [item.extractor for item in _choose([other, one])] == [one, other]
    assert [item.extractor for item in _choose([other, one], without=["other"])] == [one]
    with pytest.raises(ConfigurationError, match="'other' requires K0 records"):
        _choose([other, one], without=["one"])
    with pytest.raises(ConfigurationError, match="'two' is not among the extractors"):
        _choose([other, one], without=["two"])
    with pytest.raises(ConfigurationError, match="no extractor is left"):
        _choose([one], without=["one"])


def test_an_unknown_name_has_a_suggestion() -> None:
    with pytest.raises(ConfigurationError, match="no extractor 'event' is installed") as caught:
        choose(["event"], (), lambda: PARSER)
    assert caught.value.remedy == "did you mean events?"
    with pytest.raises(ConfigurationError) as caught:
        choose(["xyzzy"], (), lambda: PARSER)
    names = "decompositions, events, labels, llm, open-changes, scenarios, scripts, sentences, state-changes"
    assert caught.value.remedy == f"installed are: {names}"


def test_only_what_was_chosen_is_imported(tmp_path: Path) -> None:
    """Labels need no parser: neither spaCy nor torch is imported by the whole build."""
    code = (
        "import sys\n"
        "import kgscripts\n"
        "kgscripts.build_graph(output=sys.argv[1], texts=['How to boil water'], extractors=['labels'])\n"
        "assert 'kgscripts.extractors.labels' in sys.modules\n"
        "heavy = {'spacy', 'torch', 'kgscripts.extractors.events', 'kgscripts.extractors.decomposition'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "graph")], check=True, timeout=120)


def _install(folder: Path, code: str, target: str) -> None:
    """A distribution on the path with one entry point, as a package installer leaves it."""
    (folder / "broken_extractor.py").write_text(code, encoding="utf-8")
    info = folder / "broken_extractor-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-extractor\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[kgscripts.extractors]\nbroken = {target}\n", encoding="utf-8")


WITHOUT_RULES = """
from kgscripts.extractors.protocol import Extractor
class Broken(Extractor):
    name = "broken"
    task = "nothing"
    def read(self, documents):
        return []
"""


@pytest.mark.parametrize(
    ("code", "target", "message"),
    [
        ("", "broken_extractor:Missing", "cannot be loaded"),
        ("import no_such_module_anywhere", "broken_extractor:Anything", "no_such_module_anywhere"),
        ("def make(:", "broken_extractor:make", "cannot be loaded"),
        ("raise OSError('no such file')", "broken_extractor:make", "no such file"),
        ("import sys; sys.exit(0)", "broken_extractor:make", "it ends the program (SystemExit)"),
        ("raise BaseException('x')", "broken_extractor:make", "it ends the program (BaseException)"),
        ("class Odd(BaseException): pass\nraise Odd", "broken_extractor:make", "it ends the program (Odd)"),
        ("def make(): exit()", "broken_extractor:make", "it ends the program"),
        ("", ":::", "cannot be loaded"),
        ("def make(setting): return 1", "broken_extractor:make", "setting"),
        ("def make(): return object()", "broken_extractor:make", "no subclass of Extractor"),
        (WITHOUT_RULES, "broken_extractor:Broken", "has no 'rules'"),
        (WITHOUT_RULES + "    rules = '1'\n", "broken_extractor:Broken", "has no 'gives'"),
        (WITHOUT_RULES + "    rules, gives, name = '1', (), 'other'\n", "broken_extractor:Broken", "the name 'other'"),
        ("from kgscripts.extractors.protocol import Extractor", "broken_extractor:Extractor", "abstract"),
    ],
)
def test_a_broken_one_is_named(
    code: str, target: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    _install(tmp_path, code, target)
    with pytest.raises(ModelError, match="broken") as caught:
        choose(["broken"], (), lambda: PARSER)
    sys.modules.pop("broken_extractor", None)
    assert message in caught.value.message
    assert caught.value.where == target
    assert caught.value.remedy


def test_ctrl_c_in_the_import_of_an_extractor_stays_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    _install(tmp_path, "raise KeyboardInterrupt", "broken_extractor:make")
    with pytest.raises(KeyboardInterrupt):
        choose(["broken"], (), lambda: PARSER)
    sys.modules.pop("broken_extractor", None)


@pytest.mark.parametrize("content", [b"[kgscripts.extractors]\nbroken\n", b"\xff\xfe[a]", b"[a]\n= b =\nc\n"])
def test_a_damaged_list_of_entry_points_names_its_package(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, "", "broken_extractor:make")
    (path,) = tmp_path.glob("*.dist-info/entry_points.txt")
    path.write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelError, match=r"entry_points\.txt cannot be read") as caught:
        installed_extractors()
    assert caught.value.where == "broken-extractor"
