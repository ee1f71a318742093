// What can I do with a knife of any kind, and in which scenarios?
// Steps of no scenario are listed too.
// :param kind => "knife"
MATCH (step:SubEvent)-[use:USES]->(used:Tool)-[:BROADER*0..5]->(:Tool {label: $kind})
OPTIONAL MATCH (activity:Scenario)-[:HAS_SUB_EVENT]->(step)
RETURN activity.label AS scenario, step.label AS event, used.label AS tool, use.support AS sources
ORDER BY sources DESC, event, scenario, tool
