// Which sub-events of cooking pasta are optional, and in what share of the texts do they occur?
MATCH (:Scenario {label: "cooking pasta"})-[part:HAS_SUB_EVENT]->(step:SubEvent)
WHERE part.`optional`
RETURN step.label AS event, part.support AS sources, part.probability AS probability
ORDER BY probability DESC, event
