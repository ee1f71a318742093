// What comes right before draining the pasta, and how sure is that?
MATCH (:Scenario {label: "cooking pasta"})-[:HAS_SUB_EVENT]->(step:SubEvent {label: "drain pasta"})
MATCH (before:SubEvent)-[told:PRECEDES]->(step)
RETURN before.label AS event, told.support AS sources, told.probability AS probability
ORDER BY sources DESC, probability DESC, event
