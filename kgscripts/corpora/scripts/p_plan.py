"""Plans in P-Plan's vocabulary (Garijo and Gil 2012), in Turtle, as written scripts.

A step has its label, its variables as participants, and the steps that it is preceded by. The text of a document is
that of the script which says the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pyoxigraph as ox

from kgscripts.corpora.scripts.format import Script, Step, StepParticipant, script_text, step_ids
from kgscripts.corpora.scripts.reader import document_of
from kgscripts.corpora.source import Source, whole_text
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Role

NAMESPACE = "http://purl.org/net/p-plan#"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_BASE = "https://w3id.org/kgscripts/input#"
_PRECEDED = ("isPreceededBy", "isPrecededBy")
"""The vocabulary's own spelling, and the usual one."""
_VARIABLES = {"hasInputVar": Role.PATIENT, "hasOutputVar": Role.OTHER}

Node = ox.NamedNode | ox.BlankNode


def read_p_plan(source: Source) -> Iterator[Document | Discard]:
    """Yield a document for each plan of a file that has steps; a discard for what is no Turtle or has a circle."""
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    try:
        graph = _Graph(text)
        plans = graph.subjects("isStepOfPlan")
        for number, (plan, steps) in enumerate(plans.items(), 1):
            name = source.name if len(plans) == 1 else f"{source.name}#{number}"
            yield document_of(script_text(graph.script(plan, steps)), name)
    except SyntaxError as error:
        yield source.discard(DiscardReason.MALFORMED, error.lineno or 1, f"no Turtle: {error.msg}")
    except CycleError as error:
        names = " < ".join(graph.name(step) for step in reversed(error.args[1]))
        yield source.discard(DiscardReason.MALFORMED, 1, f"a circle in the order: {names}")
    except (InputError, ValueError) as error:  # what a script does not allow, such as a label without words
        yield source.discard(DiscardReason.MALFORMED, 1, str(error).splitlines()[0])


class _Graph:
    """What the triples of a file say, by predicate and subject."""

    def __init__(self, text: str) -> None:
        self._objects: dict[str, dict[Node, list[Node | ox.Literal]]] = defaultdict(lambda: defaultdict(list))
        for quad in ox.parse(text, format=ox.RdfFormat.TURTLE, base_iri=_BASE):
            if isinstance(quad.subject, Node) and not isinstance(quad.object, ox.Triple):
                self._objects[quad.predicate.value.removeprefix(NAMESPACE)][quad.subject].append(quad.object)

    def subjects(self, predicate: str) -> dict[Node, list[Node]]:
        """What has each object of a predicate, in the order of the file."""
        subjects: dict[Node, list[Node]] = defaultdict(list)
        for subject in list(self._objects[predicate]):
            for item in self._nodes(predicate, subject):
                subjects[item].append(subject)
        return subjects

    def name(self, node: Node) -> str:
        """Its first label, or the end of its IRI in words."""
        labels = [item.value for item in self._objects[_LABEL][node] if isinstance(item, ox.Literal)]
        return " ".join((labels or [node.value.replace("/", "#").rpartition("#")[2].replace("_", " ")])[0].split())

    def script(self, plan: Node, steps: list[Node]) -> Script:
        """The script of a plan. Raises CycleError if its order has a circle."""
        before = {
            step: [item for name in _PRECEDED for item in self._nodes(name, step) if item in steps and item != step]
            for step in steps
        }
        order = list(TopologicalSorter(before).static_order())
        ids = dict(zip(order, step_ids([self.name(step) for step in order]), strict=True))
        return Script(
            scenario=self.name(plan),
            steps=tuple(
                Step(id=ids[step], name=self.name(step), participants=tuple(self._participants(step))) for step in order
            ),
            order=tuple(f"{ids[item]} < {ids[step]}" for step in order for item in order if item in before[step]),
        )

    def _participants(self, step: Node) -> Iterator[StepParticipant]:
        for predicate, role in _VARIABLES.items():
            for item in self._nodes(predicate, step):
                yield StepParticipant(thing=self.name(item), role=role)

    def _nodes(self, predicate: str, subject: Node) -> list[Node]:
        return [item for item in self._objects[predicate][subject] if not isinstance(item, ox.Literal)]
