// What do people do in more than one scenario?
MATCH (scenario:Scenario)-[:HAS_SUB_EVENT]->(:SubEvent)-[:EXPRESSED_AS]->(shared:Action)
WITH shared.label AS action, count(DISTINCT scenario) AS scenarios
WHERE scenarios > 1
RETURN action, scenarios
ORDER BY scenarios DESC, action
