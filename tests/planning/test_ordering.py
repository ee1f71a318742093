"""The order of the steps of a plan, and orders that no plan can have."""

from __future__ import annotations

import pytest

from schemas.errors import InputError
from tests.planning.hand_made import plan_of, step


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "a")], r"in a circle: 'a' before 'b' before 'c' before 'a'|'b' before 'c'"),
        ([("a", "a")], "in a circle: 'a' before 'a'"),
        ([("c", "b"), ("b", "c")], "in a circle: "),
        ([("a", "x")], "the order names the step 'x', which is none of the steps"),
    ],
)
def test_orders_that_no_plan_can_have(order: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        plan_of(step("a"), step("b"), step("c"), order=order)
    assert error.value.where == "making tea"
    assert error.value.remedy


def test_a_long_circle_is_cut() -> None:
    ids = [str(number) for number in range(1000)]
    with pytest.raises(InputError) as error:
        plan_of(*map(step, ids), order=list(zip(ids, [*ids[1:], "0"], strict=True)))
    assert len(str(error.value)) < 300


def test_ids_are_different() -> None:
    with pytest.raises(InputError, match="two steps have the same id"):
        plan_of(step("a"), step("a"))


def test_the_order_of_pairs_comes_first() -> None:
    plan = plan_of(step("a"), step("b"), step("c"), step("d"), order=[("d", "a"), ("d", "a"), ("c", "b")])
    assert [item.id for item in plan.steps] == ["c", "b", "d", "a"]
    assert [item.follows for item in plan.steps] == [(), ("c",), (), ("d",)]
