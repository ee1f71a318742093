// Which tools does a scenario need, for how many of its sub-events, and with how much support at most?
MATCH (:Scenario {label: "cooking pasta"})-[:HAS_SUB_EVENT]->(step:SubEvent)-[use:USES]->(used:Tool)
RETURN used.label AS tool, count(step) AS events, max(use.support) AS sources
ORDER BY sources DESC, events DESC, tool
