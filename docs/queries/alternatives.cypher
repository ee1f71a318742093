// Which steps are done in the place of which others?
// ALTERNATIVE_TO holds both ways and is stored once: each pair is found from either end, in Cypher without an arrow.
MATCH (activity:Scenario)-[:HAS_SUB_EVENT]->(step:SubEvent)-[either:ALTERNATIVE_TO]-(other:SubEvent)
RETURN activity.label AS scenario, step.label AS event, other.label AS alternative, either.support AS sources,
       either.probability AS probability
ORDER BY sources DESC, probability DESC, scenario, event, alternative
LIMIT 20
