// Which tools does cooking pasta need, and in which order do its steps come?
// Steps of a single text and unusual steps are left out. The others are ordered by rank, which agrees with
// PRECEDES.
// :param scenario => "cooking pasta"
MATCH (:Scenario {label: $scenario})-[part:HAS_SUB_EVENT]->(step:SubEvent)
WHERE part.usual AND part.support >= 2
OPTIONAL MATCH (step)-[:USES]->(tool:Tool)
WITH step, part.rank AS rank, part.support AS sources, collect(tool.label) AS tools
RETURN step.label_text AS event, tools, sources
ORDER BY rank
