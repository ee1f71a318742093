// Which steps come directly before draining the pasta, and how certain is that?
MATCH (:Scenario {label: "cooking pasta"})-[:HAS_SUB_EVENT]->(step:SubEvent {label: "drain pasta"})
MATCH (before:SubEvent)-[precedes:PRECEDES]->(step)
RETURN before.label AS event, precedes.support AS sources, precedes.probability AS probability
ORDER BY sources DESC, probability DESC, event
