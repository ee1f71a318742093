"""Must-links and cannot-links change the clusters of a model, and only those that they are about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgscripts.assembly.tables.links import Link, agreeing, linked_clusters

Case = tuple[list[int], list[Link]]


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    clusters = draw(st.lists(st.integers(0, 4), min_size=2, max_size=9))
    place = st.integers(0, len(clusters) - 1)
    links = st.builds(Link, place, place, st.booleans()).filter(lambda link: link.one != link.other)
    return clusters, draw(st.lists(links, max_size=6))


@given(_cases())
def test_links_that_agree_are_kept_and_nothing_else_changes(case: Case) -> None:
    clusters, links = case
    kept = [link for link, agrees in zip(links, agreeing([link] for link in links), strict=True) if agrees]
    found = linked_clusters(clusters, kept)
    for link in kept:
        assert (found[link.one] == found[link.other]) == link.same
    touched = {clusters[place] for link in kept for place in (link.one, link.other)}
    for one, cluster in enumerate(clusters):
        for other, another in enumerate(clusters):
            if cluster not in touched:
                assert (cluster == another) == (found[one] == found[other])


@given(_cases())
def test_a_link_is_refused_only_for_one_that_prevails(case: Case) -> None:
    _, links = case
    verdicts = agreeing([link] for link in links)
    assert all(verdicts[:1])
    kept = [link for link, agrees in zip(links, verdicts, strict=True) if agrees]
    for link, agrees in zip(links, verdicts, strict=True):
        if not agrees:
            assert agreeing([*([item] for item in kept), [link]])[-1] is False
    assert all(agreeing([link] for link in kept))


def test_a_correction_is_accepted_as_a_whole() -> None:
    different = [Link(0, 1, False)]
    same = [Link(2, 3, True), Link(0, 1, True)]
    assert agreeing([different, same, [Link(2, 3, False)]]) == [True, False, True]
    assert agreeing([same, different]) == [True, False]


def test_the_second_of_two_leaves_with_what_it_is_one_with() -> None:
    assert linked_clusters([0, 0, 0, 0], [Link(0, 2, False), Link(2, 3, True)]) == [0, 0, 1, 1]
    assert linked_clusters([0, 0, 1], [Link(1, 2, True)]) == [0, 0, 0]
    # 2 joins the cluster of 0 and 1, and stays away from 0.
    assert linked_clusters([0, 0, 1], [Link(1, 2, True), Link(0, 2, False)]) == [0, 1, 1]
