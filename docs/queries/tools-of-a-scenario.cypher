// Which tools does a scenario need, for how many of its sub-events, and with how much support at most?
// Instruments and appliances come first, then containers and surfaces. A tool may have both parts.
MATCH (:Scenario {label: "cooking pasta"})-[:HAS_SUB_EVENT]->(step:SubEvent)-[use:USES]->(used:Tool)
RETURN used.label AS tool, use.role AS role, count(step) AS events, max(use.support) AS sources
ORDER BY role IN ["container", "support"], sources DESC, events DESC, tool, role
