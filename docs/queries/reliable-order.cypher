// Which sub-events are most surely in this order?
MATCH (activity:Scenario)-[:HAS_SUB_EVENT]->(before:SubEvent)-[told:PRECEDES]->(after:SubEvent)
WHERE told.support >= 2 AND told.probability >= 0.9
RETURN activity.label AS scenario, before.label AS first, after.label AS second, told.support AS sources,
       told.probability AS probability
ORDER BY sources DESC, probability DESC, scenario, first, second
LIMIT 20
