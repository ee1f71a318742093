// What could I do with a knife, and when would I do it?
MATCH (step:SubEvent)-[use:USES]->(:Tool {label: "knife"})
OPTIONAL MATCH (activity:Scenario)-[:HAS_SUB_EVENT]->(step)
RETURN activity.label AS scenario, step.label AS event, use.support AS sources
ORDER BY sources DESC, event, scenario
