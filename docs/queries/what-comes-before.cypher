// Which steps come directly before draining the pasta, and how certain is that?
// :param scenario => "cooking pasta"
// :param step => "drain pasta"
MATCH (:Scenario {label: $scenario})-[:HAS_SUB_EVENT]->(step:SubEvent {label: $step})
MATCH (before:SubEvent)-[precedes:PRECEDES]->(step)
RETURN before.label AS event, precedes.support AS sources, precedes.probability AS probability
ORDER BY sources DESC, probability DESC, event
