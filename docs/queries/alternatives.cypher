// Which steps are alternatives to each other?
// ALTERNATIVE_TO holds in both directions and is stored once. Both queries find a pair from either end; Cypher does so
// without an arrow.
MATCH (activity:Scenario)-[:HAS_SUB_EVENT]->(step:SubEvent)-[either:ALTERNATIVE_TO]-(other:SubEvent)
RETURN activity.label AS scenario, step.label AS event, other.label AS alternative, either.support AS sources,
       either.probability AS probability
ORDER BY sources DESC, probability DESC, scenario, event, alternative
LIMIT 20
