// Which scenarios share tools, and how many?
MATCH (one:Scenario)-[:HAS_SUB_EVENT]->(:SubEvent)-[:USES]->(tool:Tool)
WITH DISTINCT one, tool
MATCH (two:Scenario)-[:HAS_SUB_EVENT]->(:SubEvent)-[:USES]->(tool)
WHERE one.label < two.label
RETURN one.label AS scenario, two.label AS other, count(DISTINCT tool) AS tools
ORDER BY tools DESC, scenario, other
