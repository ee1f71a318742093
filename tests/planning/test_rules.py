"""Plans of random scripts against a slow and plain reading of the rules, and in every order that they allow."""

from __future__ import annotations

import random

from hypothesis import given

from kgscripts.changes.attributes import agree, leading_attribute
from kgscripts.planning.making import SourceChange, SourceStep, is_relative
from tests.planning.executing import any_order, do
from tests.planning.random_scripts import Random, random_scripts


@given(random_scripts())
def test_every_order_that_a_plan_allows_can_be_done(given_script: Random) -> None:
    plan = given_script.plan()
    after = do(plan, plan.steps)
    places = {item.id: place for place, item in enumerate(plan.steps)}
    assert all(places[other] < places[item.id] for item in plan.steps for other in item.follows)
    for seed in range(4):
        steps = any_order(plan, random.Random(seed))
        assert do(plan, steps) == after
        places = {item.id: place for place, item in enumerate(steps)}
        assert all(places[earlier] < places[later] for earlier, later in given_script.order)


@given(random_scripts())
def test_suppliers_and_contradictions_are_those_of_the_rules(given_script: Random) -> None:
    plan = given_script.plan()
    by_id = {item.id: item for item in given_script.steps}
    expected, contradicted = set(), set()
    for place, item in enumerate(plan.steps):
        for own in _taken(by_id[item.id], given_script.likely):
            if not own.before or is_relative(own.before):
                continue
            earlier = next(
                (
                    (other.id, found)
                    for other in plan.steps[:place][::-1]
                    if (found := _same(by_id[other.id], own, given_script.likely))
                ),
                None,
            )
            if earlier is None or agree(earlier[1].after, own.before):
                value = own.before if earlier is None else earlier[1].after
                expected.add((item.id, own.entity, _attribute(own), value, earlier[0] if earlier else None))
            else:
                contradicted.add((earlier[0], item.id, own.entity, _attribute(own), own.before, earlier[1].after))
    assert expected == {
        (item.id, each.entity, each.attribute, each.value, each.supplier)
        for item in plan.steps
        for each in item.preconditions
    }
    assert contradicted == {
        (
            item.earlier,
            item.later,
            item.required.entity,
            item.required.attribute,
            item.required.value,
            item.effect.value,
        )
        for item in plan.contradictions
        if item.required.value != "at hand"
    }


def _attribute(own: SourceChange) -> str:
    return leading_attribute(own.attribute)


def _taken(item: SourceStep, likely: bool) -> list[SourceChange]:
    """The changes of a step that count and have a value, without those of which another of the attribute is surer."""
    counting = [own for own in item.changes if own.after and (likely or own.level == "certain")]
    changes = sorted(counting, key=lambda own: (own.level != "certain", -own.probability))
    return [own for place, own in enumerate(changes) if not any(_of_one(own, other) for other in changes[:place])]


def _same(item: SourceStep, own: SourceChange, likely: bool) -> SourceChange | None:
    return next((other for other in _taken(item, likely) if _of_one(own, other)), None)


def _of_one(one: SourceChange, other: SourceChange) -> bool:
    return (one.entity, _attribute(one)) == (other.entity, _attribute(other))
