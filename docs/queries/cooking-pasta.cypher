// Which tools does cooking pasta need, and in what order do its events come?
// Events of a single text and those that are not usual are left out; the others are ordered by rank, which follows
// PRECEDES.
MATCH (:Scenario {label: "cooking pasta"})-[part:HAS_SUB_EVENT]->(step:SubEvent)
WHERE part.usual AND part.support >= 2
OPTIONAL MATCH (step)-[:USES]->(tool:Tool)
WITH step, part.rank AS rank, part.support AS sources, collect(tool.label) AS tools
RETURN step.label AS event, tools, sources
ORDER BY rank
