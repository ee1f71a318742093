"""The graph of the example texts says of an aligned part, a generated change and a detected segment who read it,
and how good this model is."""

from __future__ import annotations

import pytest

import kgscripts
from kgscripts.models.registry import describe
from tests.example_graph import example_graph

_SPARQL = """
PREFIX kgs: <https://w3id.org/kgscripts/ontology#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX dqv: <http://www.w3.org/ns/dqv#>
SELECT DISTINCT ?said ?dataset ?metric ?value WHERE {
  %s
  ?reading rdf:subject ?statement ; rdf:predicate kgs:readBy ; rdf:object ?reader .
  ?reader kgs:name "%s" ; kgs:scored ?score .
  ?score kgs:dataset ?dataset ; kgs:metric ?metric ; dqv:value ?value .
}
"""
_CYPHER = """
MATCH %s
MATCH (statement:Statement)-[:READ_BY]->(:Model {name: "%s"})-[:SCORED]->(score:BenchmarkScore)
WHERE statement.iri = r.statement
RETURN DISTINCT said.%s AS said, score.dataset AS dataset, score.metric AS metric, score.value AS value
"""


@pytest.mark.parametrize(
    ("model", "statement", "path", "said"),
    [
        (
            "aligner",
            """?statement rdf:predicate kgs:decomposesInto ; rdf:subject/rdfs:label "drain pasta"@en ;
                          rdf:object/rdfs:label ?said .""",
            "(:SubEvent {label: 'drain pasta'})-[r:DECOMPOSES_INTO]->(said:SubEvent)",
            ("label", "pour pasta into colander"),
        ),
        (
            "changes",
            """?statement rdf:predicate kgs:changes ; rdf:subject/rdfs:label "fill pot"@en ; rdf:object ?change .
               ?change kgs:ofEntity/rdfs:label "pot"@en ; kgs:ofAttribute/rdfs:label "fullness"@en ;
                       kgs:after ?said .""",
            "(:SubEvent {label: 'fill pot'})-[r:CHANGES]->(said:StateChange)-[:OF_ENTITY]->"
            "(:Entity {label: 'pot'}), (said)-[:OF_ATTRIBUTE]->(:Attribute {label: 'fullness'})",
            ("after", "full"),
        ),
        (
            "scenarios",
            """GRAPH ?document { ?passage kgs:kind "segment" ; kgs:text ?said .
                 ?about rdf:subject ?passage ; rdf:predicate kgs:about ; rdf:object ?scenario }
               ?scenario rdfs:label "washing dishes"@en .
               ?statement rdf:predicate kgs:hasSubEvent ; rdf:subject ?scenario .""",
            "(said:Passage {kind: 'segment'})-[:ABOUT]->(:Scenario {label: 'washing dishes'})"
            "-[r:HAS_SUB_EVENT]->(:SubEvent)",
            (
                "text",
                "Then I filled the sink with hot water and soap. I washed the crockery with a sponge and rinsed it "
                "under the tap. Next I washed the glasses and the forks. I scrubbed the greasy pan with a brush. "
                "I put the plates in the dish rack.",
            ),
        ),
    ],
)
def test_a_statement_its_model_and_the_scores_of_this_model(
    model: str, statement: str, path: str, said: tuple[str, str]
) -> None:
    graph = kgscripts.ScriptGraph.open(example_graph())
    of_sparql = {tuple(row) for row in graph.query(_SPARQL % (statement, model)).rows}
    of_cypher = {tuple(row) for row in graph.query(cypher=_CYPHER % (path, model, said[0])).rows}
    scores = {(score.dataset, score.metric, score.value) for score in describe(model).scores}
    assert scores
    assert {row[1:] for row in of_sparql if row[0] == said[1]} == scores
    assert of_sparql == of_cypher
