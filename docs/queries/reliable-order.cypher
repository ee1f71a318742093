// Which pairs of steps have the most certain order?
MATCH (activity:Scenario)-[:HAS_SUB_EVENT]->(before:SubEvent)-[precedes:PRECEDES]->(after:SubEvent)
WHERE precedes.support >= 2 AND precedes.probability >= 0.9
RETURN activity.label AS scenario, before.label AS first, after.label AS second, precedes.support AS sources,
       precedes.probability AS probability
ORDER BY sources DESC, probability DESC, scenario, first, second
LIMIT 20
