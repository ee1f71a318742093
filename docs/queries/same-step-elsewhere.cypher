// Which steps of cooking pasta do other scenarios also have, and how similar are they?
// :param of_scenario => "cooking pasta"
MATCH (:Scenario {label: $of_scenario})-[:HAS_SUB_EVENT]->(step:SubEvent)-[match:CLOSE_MATCH]-(other:SubEvent)
MATCH (elsewhere:Scenario)-[:HAS_SUB_EVENT]->(other)
RETURN step.label AS event, elsewhere.label AS scenario, other.label AS same, match.similarity AS similarity
ORDER BY similarity DESC, event, scenario, same
