"""Arguments of the wrong type: each public function says what is wrong and what to give, before it does anything."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import kgscripts
from exports.cypher.cypher import run_query as run_cypher
from exports.query.sparql import run_query as run_sparql
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from kgscripts.assembly import assemble as assembling
from schemas.errors import ConfigurationError, InputError, KGScriptsError
from tests.assembly.tiny_reader import tiny
from tests.graphs import odd_rows, write_graph

_WRONG: tuple[Any, ...] = (
    *(5, -1, 0, 10**40, 1.5, math.nan, math.inf, True, "", "one string", "3", "nul\0", "\ud800", b"x"),
    *([], [5], [None], [b"x"], [[]], [{}], {}, {"a": [5]}, {5: 5}, (), object(), Path("nul\0"), iter([5]), len),
)
_OPTIONS = (
    *("format", "scenario", "scenarios", "scenario_list", "limit", "spacy_model", "base_iri", "licence"),
    *("corrections", "memory", "progress"),
)
_READING = ("texts", "inputs", "without", "jobs", "limit", "spacy_model", "format", "progress")
_NO_TEXTS: tuple[Any, ...] = ([5], [None], [b"x"], [[]], "one string", {"text": "one"}, b"x", 5)
_UNTOLD = (TypeError, AttributeError, ValueError, KeyError, OverflowError)


class _AssembledError(KGScriptsError):
    """Raised in place of assembly."""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return write_graph(tmp_path_factory.mktemp("arguments") / "graph", odd_rows(2))


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _functions(graph: ScriptGraph) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Public functions, with arguments that are right but for the one that is exchanged."""
    return {
        "build_graph": (
            kgscripts.build_graph,
            {
                **{"texts": ["boil the water."], "output": "made", "extractors": tiny(), "inputs": (), "without": ()},
                **{"min_support": 1, "jobs": 1, **dict.fromkeys(_OPTIONS)},
            },
        ),
        "correct_graph": (kgscripts.correct_graph, {"directory": "none", "corrections": []}),
        "merge_graphs": (kgscripts.merge_graphs, {"directories": ["a", "b"], "output": "merged"}),
        "remove_source": (kgscripts.remove_source, {"directory": "none", "source": "none"}),
        "load_model": (kgscripts.load_model, {"name_or_directory": "none"}),
        "ScriptGraph.open": (ScriptGraph.open, {"directory": "none"}),
        "query": (graph.query, {"sparql": "ASK {}"}),
        "query in Cypher": (graph.query, {"cypher": "RETURN $a", "parameters": {"a": 1}}),
        "table": (graph.table, {"name": "Tool"}),
        "rows": (lambda name: list(graph.rows(name)), {"name": "Tool"}),
        "export": (export, {"graph": graph, "target": "g.ttl", "options": None}),
        "run_sparql": (run_sparql, {"source": graph, "text": "ASK {}", "timeout": 60, "max_rows": 1}),
        "run_cypher": (
            run_cypher,
            {"source": graph, "text": "RETURN 1", "parameters": None, "timeout": 60, "max_rows": 1},
        ),
    }


_PLACES = [
    (name, argument)
    for name, (_, arguments) in _functions(ScriptGraph(Path("none"), None)).items()  # type: ignore[arg-type]
    for argument in arguments
]


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(("name", "argument"), _PLACES, ids=str)
def test_a_wrong_argument_is_told(name: str, argument: str, graph: ScriptGraph) -> None:
    function, arguments = _functions(graph)[name]
    told: list[str] = []
    for value in _WRONG:
        if argument == "progress" and callable(value):
            continue
        # A few are right: assembly is no other with these.
        stop = mock.patch.object(assembling, "assemble", side_effect=_AssembledError("the value is right"))
        try:
            with stop if name == "build_graph" and argument in _READING else nullcontext():
                function(**{**arguments, argument: value})
        except KGScriptsError:
            pass
        except _UNTOLD as error:
            told.append(f"{value!r}: {type(error).__name__} {error}")
    assert not told, "\n".join(told)


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    "arguments",
    [
        *({"texts": texts} for texts in _NO_TEXTS),
        *({"min_support": number} for number in (math.nan, 1.5, "3", True, 0, 10**40)),
        *({"jobs": number} for number in (True, 1.0, "2", math.inf, -1)),
        *({"limit": number} for number in ("3", 2.5, False)),
        *({name: 5} for name in ("output", "inputs", "scenario", "format", "base_iri", "licence", "extractors")),
        {"scenario": "a\0b"},
        {"memory": "2G"},
        {"inputs": [5]},
        {"extractors": "events"},
        {"extractors": [5]},
        {"progress": 5},
    ],
    ids=str,
)
def test_a_build_says_what_is_wrong_and_makes_nothing(arguments: dict[str, Any]) -> None:
    with pytest.raises((ConfigurationError, InputError)) as caught:
        kgscripts.build_graph(**{"texts": ["boil the water."], "output": "made", "extractors": tiny(), **arguments})
    assert caught.value.remedy
    assert not Path("made").exists()


@pytest.mark.usefixtures("_here")
def test_a_path_is_a_target_and_anything_else_is_none(graph: ScriptGraph, tmp_path: Path) -> None:
    export(graph, Path("graph.ttl"))
    export(graph, str(tmp_path / "text.ttl"))
    assert Path("graph.ttl").read_bytes() == Path("text.ttl").read_bytes()
    for target in (5, None, "", b"g.ttl", ["g.ttl"], "g\0.ttl"):
        with pytest.raises(ConfigurationError) as caught:
            export(graph, target)  # type: ignore[arg-type]
        assert caught.value.remedy
    for arguments in (("graph", "g.ttl"), (graph, "g.ttl", {"prune": True})):
        with pytest.raises(ConfigurationError) as caught:
            export(*arguments)
        assert caught.value.remedy
    export(graph, "b.ttl", ExportOptions())


@pytest.mark.parametrize("parameters", [[], [1], "a", 5, b"x", iter("a"), {5: 1}], ids=lambda item: type(item).__name__)
def test_parameters_are_a_mapping(parameters: Any, graph: ScriptGraph) -> None:
    with pytest.raises(ConfigurationError) as caught:
        graph.query(cypher="RETURN 1", parameters=parameters)
    assert "parameters={" in str(caught.value.remedy)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=5,
)


@given(value=_VALUES)
@example(value="\ud800")
@example(value=10**40)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_parameter_of_any_type_has_an_answer_or_an_error(value: Any, graph: ScriptGraph) -> None:
    with suppress(KGScriptsError):
        graph.query(cypher="RETURN $a AS a", parameters={"a": value})
