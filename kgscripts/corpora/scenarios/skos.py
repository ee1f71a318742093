"""The 200 scenarios as a SKOS concept scheme (https://www.w3.org/TR/skos-reference/) in Turtle."""

from __future__ import annotations

import json
from collections.abc import Iterator

from schemas.scenario_documents import ScenarioConcept, concept_scheme
from schemas.vocabulary import DEFAULT_BASE_IRI, check_base_iri, node_id

SCHEME = "dataset/scenarios"
"""The id of the scheme, the same as in the RDF of graphs."""


def turtle_lines(base_iri: str = DEFAULT_BASE_IRI) -> Iterator[str]:
    """Yield the lines of the scheme; a scenario has the IRI that it has in graphs with this base IRI.

    Raises
    ------
    ConfigurationError
        If it is no base IRI.
    """
    check_base_iri(base_iri)
    yield "@prefix skos: <http://www.w3.org/2004/02/skos/core#> ."
    yield "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    yield ""
    yield f'<{base_iri}{SCHEME}> a skos:ConceptScheme ; rdfs:label "Everyday scenarios"@en .'
    for concept in concept_scheme():
        yield ""
        yield f"{_iri(concept.label, base_iri)} a skos:Concept ;"
        yield "    " + " ;\n    ".join(_properties(concept, base_iri)) + " ."


def _properties(concept: ScenarioConcept, base_iri: str) -> Iterator[str]:
    yield f"skos:inScheme <{base_iri}{SCHEME}>"
    yield f"skos:prefLabel {_text(concept.label)}"
    if concept.alternative_labels:
        yield f"skos:altLabel {', '.join(map(_text, concept.alternative_labels))}"
    for predicate, labels in (("broader", concept.broader), ("related", concept.related)):
        if labels:
            yield f"skos:{predicate} {', '.join(_iri(label, base_iri) for label in labels)}"
    if narrower := [other.label for other in concept_scheme() if concept.label in other.broader]:
        yield f"skos:narrower {', '.join(_iri(label, base_iri) for label in narrower)}"


def _iri(label: str, base_iri: str) -> str:
    return f"<{base_iri}{node_id('Scenario', label, label)}>"


def _text(text: str) -> str:
    return f"{json.dumps(text, ensure_ascii=False)}@en"
