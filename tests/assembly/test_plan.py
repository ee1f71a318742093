"""The plan of assembly: checked and in order before anything runs, and tables that never change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.assembly.engine import DocumentRule, Engine, Rule
from kgscripts.assembly.step import AssemblyPlan, Step, made_by, rows, tables_in, view
from schemas.errors import ConfigurationError
from tests.assembly.table_page import PAGE, page, whole_assembly

REFERENCE = Path(__file__).parents[2] / "docs/reference"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "next/scratch", memory=None, partitions=3, min_support=1, records=0) as found:
        yield found


def _step(name: str, makes: Sequence[str], reads: Sequence[str] = ()) -> Step:
    return Step(name, tuple(makes), reads, lambda _: None)


def _numbers(name: str, *numbers: int) -> Step:
    return rows(name, lambda: pa.table({"number": list(numbers)}))


@pytest.mark.parametrize(
    ("query", "tables"),
    [
        ("SELECT * FROM a JOIN b USING (x), UNNEST(a.y) AS t(z)", {"a", "b"}),
        ("WITH own AS (SELECT * FROM a) SELECT * FROM own ASOF LEFT JOIN b ON own.x >= b.x", {"a", "b"}),
        ("FROM a SEMI JOIN b USING (x)", {"a", "b"}),
        ("SELECT * FROM a WHERE x IN (SELECT x FROM (FROM b UNION ALL BY NAME FROM c)) QUALIFY x = 1", {"a", "b", "c"}),
        ("SELECT '' WHERE false", set()),
        ("FROM read_parquet(['x.parquet'])", set()),
    ],
)
def test_what_a_query_reads_is_found(query: str, tables: set[str]) -> None:
    assert tables_in(query) == tables


@pytest.mark.parametrize(
    "query", ["INSERT INTO a SELECT 1", "DROP TABLE a", "UPDATE a SET x = 1", "SELECT (", "COPY a TO 'b'"]
)
def test_a_rule_that_does_more_than_read_is_refused(query: str) -> None:
    with pytest.raises(ConfigurationError):
        made_by(Rule("a", query))


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([_step("one", ["a"], ["b"])], "the step 'one' reads 'b', which no step makes"),
        ([_step("one", ["a"]), _step("two", ["b", "a"])], "the step 'two' makes 'a', and so does the step 'one'"),
        ([_step("one", ["given"])], "the step 'one' makes 'given', and so does what the plan is given"),
        ([_step("one", ["a"]), _step("one", ["b"])], "two steps have the name 'one'"),
        (
            [_step("one", ["a"], ["c"]), _step("two", ["b"], ["a"]), _step("three", ["c"], ["b"])],
            "steps of assembly need each other: 'one' -> 'three' -> 'two' -> 'one'",
        ),
        ([_step("one", ["a"], ["a"])], "steps of assembly need each other: 'one' -> 'one'"),
    ],
)
def test_what_cannot_run_is_said_before_anything_runs(steps: list[Step], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        AssemblyPlan(steps, given=["given"])


@given(st.data())
def test_each_step_comes_after_what_it_reads_and_each_table_goes_after_its_last_reader(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    reads = [data.draw(st.sets(st.integers(0, place - 1), max_size=3)) if place else set() for place in range(count)]
    views = [data.draw(st.booleans()) for _ in range(count)]
    steps = [
        Step(f"s{place}", (f"t{place}",), [f"t{other}" for other in reads[place]], lambda _: None, is_view=views[place])
        for place in range(count)
    ]
    plan = AssemblyPlan(data.draw(st.permutations(steps)))
    assert sorted(step.name for step in plan.steps) == sorted(step.name for step in steps)
    there: set[str] = set()
    for step in plan.steps:
        assert step.reads <= there

        def below(table: str) -> set[str]:
            own = reads[int(table[1:])] if views[int(table[1:])] else set()
            return {table}.union(*(below(f"t{other}") for other in own))

        assert set().union(*map(below, step.reads)) <= there, "a view needs what it reads"
        there |= set(step.makes)
        there -= set(plan.dropped_after(step))
    assert not there, "nothing is left over"


def test_steps_in_an_order_that_works_keep_it() -> None:
    steps = [_step("z", ["a"]), _step("y", ["b"]), _step("x", ["c"], ["a"])]
    assert [step.name for step in AssemblyPlan(steps).steps] == ["z", "y", "x"]
    assert [step.name for step in AssemblyPlan(steps[::-1]).steps] == ["y", "z", "x"]


def test_tables_are_made_partition_by_partition_and_dropped(engine: Engine) -> None:
    seen: list[object] = []

    def look(tables: Engine) -> None:
        seen.append(sorted(tables.values("SELECT number FROM even_of_all")))
        seen.append(tables.values("SELECT count(DISTINCT part) FROM parts"))

    plan = AssemblyPlan(
        [
            Step("look", (), ["even_of_all", "parts"], look),
            view("even_of_all", "FROM doubled WHERE number % 2 = 0"),
            made_by(
                DocumentRule("own", "FROM numbers WHERE in_partition(number)", temporary=True),
                DocumentRule("doubled", "SELECT 2 * number AS number FROM own"),
                DocumentRule("parts", "SELECT getvariable('first_document') AS part FROM numbers"),
            ),
            _numbers("numbers", *range(100)),
        ]
    )
    engine.number_documents(100, 0)
    plan.run(engine)
    assert seen == [list(range(0, 200, 2)), [3]]
    for table in ("numbers", "own", "doubled", "even_of_all"):
        with pytest.raises(Exception, match="does not exist"):
            engine.table(f"FROM {table}")


def test_the_page_has_the_tables_of_the_plan_with_their_columns() -> None:
    text = "\n".join(page())
    assert (REFERENCE / PAGE).read_text(encoding="utf-8") == text, (
        "run python -m tests.assembly.table_page docs/reference"
    )
    plan = whole_assembly().plan()
    made = {table for step in plan.steps for table in step.makes if "/" not in table}
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == plan.given | made


@pytest.mark.parametrize(
    ("memory", "documents", "characters", "least", "most"),
    [
        (1 << 30, 20_000, 20_000_000, 1, 1),
        (1 << 28, 20_000, 20_000_000, 2, 8),
        (1 << 30, 20_000, 2_000_000_000, 20, 100),
        (1 << 28, 3, 0, 1, 1),
        (1 << 28, 0, 0, 1, 1),
    ],
)
def test_partitions_of_documents_follow_their_texts_and_the_memory(
    tmp_path: Path, memory: int, documents: int, characters: int, least: int, most: int
) -> None:
    with Engine(tmp_path / "next/scratch", memory=memory, partitions=1, min_support=1, records=0) as engine:
        engine.number_documents(documents, characters)
        bounds = "SELECT getvariable('first_document'), getvariable('last_document')"
        found = [tuple(engine.table(bounds).to_pylist()[0].values()) for _ in engine.partitions()]
    assert least <= len(found) <= most
    assert sum(last - first + 1 for first, last in found) == documents
    assert all(later == last + 1 for (_, last), (later, _) in pairwise(found))
