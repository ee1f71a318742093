// Which sub-events of cooking pasta are optional, and what share of the texts tells them?
MATCH (:Scenario {label: "cooking pasta"})-[told:HAS_SUB_EVENT]->(step:SubEvent)
WHERE told.`optional`
RETURN step.label AS event, told.support AS sources, told.probability AS probability
ORDER BY probability DESC, event
