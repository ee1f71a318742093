// Who and what takes part in cooking pasta, in which role, and in how many steps?
// :param scenario => "cooking pasta"
MATCH (:Scenario {label: $scenario})-[:HAS_SUB_EVENT]->(step:SubEvent)-[part:HAS_PARTICIPANT]->(entity:Entity)
RETURN part.role AS role, entity.label AS participant, count(step) AS events
ORDER BY role, events DESC, participant
