// Which tools do the steps of a scenario use, how many steps, and what is their highest support?
// Instruments and appliances come first, then containers and surfaces. A tool may have both parts.
// :param scenario => "cooking pasta"
MATCH (:Scenario {label: $scenario})-[:HAS_SUB_EVENT]->(step:SubEvent)-[use:USES]->(used:Tool)
RETURN used.label AS tool, use.role AS role, count(step) AS events, max(use.support) AS sources
ORDER BY role IN ["container", "support"], sources DESC, events DESC, tool, role
