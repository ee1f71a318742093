"""Actions whose object is a pronoun ("pour it into the mug"): the step of their scenario that names the thing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from kgscripts.assembly.tables.choices import ActionKey

PRONOUNS = ("it", "them")
"""The objects of actions whose thing the text does not tell (`kgscripts.extractors.pronouns.pronouns`)."""

_LEAST_SOURCES = 2
_CLEAR = 2 / 3
"""The step has at least this share of the sources of all steps that the action could be."""


def with_named_steps(actions: Sequence[ActionKey], sources: Sequence[int], clusters: Sequence[int]) -> list[int]:
    """The clusters of the actions of one scenario, where an action with a pronoun joins the step that it must be.

    That step has actions with the same verb, particle and phrase and with a noun as their object; if there are none,
    with the same verb and particle, where one of the two has no phrase. An action stays where it is if no step has
    enough of the sources of such actions, or if its cluster already names what its verb acts on.

    Parameters
    ----------
    actions, sources, clusters:
        Of each action its parts, the number of its sources and its cluster.
    """
    named: dict[tuple[str, ...], list[int]] = defaultdict(list)
    naming = set()
    for place, (predicate, particle, thing, *_) in enumerate(actions):
        if thing and thing not in PRONOUNS:
            named[predicate, particle].append(place)
            naming.add((clusters[place], predicate))
    found = list(clusters)
    for place, (predicate, particle, thing, *phrase) in enumerate(actions):
        if thing not in PRONOUNS or (clusters[place], predicate) in naming:
            continue
        others = named[predicate, particle]
        fitting = [other for other in others if list(actions[other][3:]) == phrase]
        fitting = fitting or [other for other in others if not (phrase[0] and actions[other][3])]
        support: Counter[int] = Counter()
        for other in fitting:
            support[clusters[other]] += sources[other]
        # Of equal ones none has the share.
        best = max(support, key=lambda number: support[number], default=None)
        if best is not None and support[best] >= max(_LEAST_SOURCES, _CLEAR * support.total()):
            found[place] = best
    return found
