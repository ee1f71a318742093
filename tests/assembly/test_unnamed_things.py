"""Actions with a pronoun as their object join the step of their scenario that names the thing, if it is clear."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgscripts.assembly.tables.clusters import PRONOUNS, with_named_steps

POUR_IT = ("pour", "", "it", "into", "mug")
POUR_COFFEE = ("pour", "", "coffee", "into", "mug")
POUR_MILK = ("pour", "", "milk", "into", "mug")


def joined(*others: tuple[tuple[str, ...], int], action: tuple[str, ...] = POUR_IT) -> int | None:
    """The number of the other action whose step `action` joins; each has its own step."""
    actions = [action, *(other for other, _ in others)]
    found = with_named_steps(actions, [9, *(sources for _, sources in others)], list(range(len(actions))))
    assert found[1:] == list(range(1, len(actions)))
    return found[0] - 1 if found[0] else None


def test_an_action_joins_the_step_with_its_verb_particle_and_phrase() -> None:
    assert joined((POUR_COFFEE, 3), (("pour", "", "tea", "into", "pot"), 9)) == 0
    assert joined((("pour", "out", "coffee", "into", "mug"), 9)) is None
    assert joined((("pour", "", "coffee", "into", "sink"), 9)) is None
    assert joined((("carry", "", "coffee", "into", "mug"), 9)) is None


def test_a_phrase_that_only_one_has_does_not_count_unless_another_has_it_too() -> None:
    assert joined((("pour", "", "coffee", "", ""), 3)) == 0
    assert joined((("pour", "", "tea", "", ""), 9), (POUR_COFFEE, 2)) == 1


def test_an_action_stays_by_itself_if_the_step_is_not_clear() -> None:
    assert joined((POUR_COFFEE, 3), (POUR_MILK, 3)) is None
    assert joined((POUR_COFFEE, 3), (POUR_MILK, 2)) is None
    assert joined((POUR_COFFEE, 4), (POUR_MILK, 2)) == 0
    assert joined((POUR_COFFEE, 1)) is None
    assert joined((("pour", "", "them", "into", "mug"), 9)) is None
    assert joined((POUR_COFFEE, 9), action=("pour", "", "", "into", "mug")) is None


def test_an_action_stays_with_the_step_that_a_model_found_if_that_names_the_thing() -> None:
    actions = [POUR_IT, POUR_MILK, POUR_COFFEE]
    assert with_named_steps(actions, [1, 1, 9], [0, 0, 1]) == [0, 0, 1]
    assert with_named_steps(actions, [1, 9, 1], [0, 1, 0]) == [0, 1, 0]


_ACTION = st.tuples(
    st.sampled_from(["pour", "put"]),
    st.sampled_from(["", "in"]),
    st.sampled_from([*PRONOUNS, "", "tea", "milk"]),
    *[st.sampled_from(["", "mug"])] * 2,
)


@given(st.dictionaries(_ACTION, st.tuples(st.integers(1, 5), st.integers(0, 3))), st.randoms())
def test_only_actions_with_a_pronoun_move_and_the_order_does_not_matter(
    given_actions: dict[tuple[str, ...], tuple[int, int]], random: object
) -> None:
    def moved(items: list[tuple[tuple[str, ...], tuple[int, int]]]) -> dict[tuple[str, ...], int]:
        actions = [action for action, _ in items]
        found = with_named_steps(actions, [n for _, (n, _) in items], [c for _, (_, c) in items])
        return dict(zip(actions, found, strict=True))

    items = list(given_actions.items())
    found = moved(items)
    assert all(found[action] == c for action, (_, c) in items if action[2] not in PRONOUNS)
    random.shuffle(items)  # type: ignore[attr-defined]
    assert moved(items) == found
