// Which tools does cooking pasta need, and in what order do its events come?
// Events that one text alone tells are left out; the others come by their rank, which follows PRECEDES.
MATCH (:Scenario {label: "cooking pasta"})-[told:HAS_SUB_EVENT]->(step:SubEvent)
WHERE told.support >= 2
OPTIONAL MATCH (step)-[:USES]->(tool:Tool)
WITH step, told.rank AS rank, told.support AS sources, collect(tool.label) AS tools
RETURN step.label AS event, tools, sources
ORDER BY rank
