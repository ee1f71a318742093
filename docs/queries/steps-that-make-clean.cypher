// Which steps make something clean, and with which tools?
MATCH (scenario:Scenario)-[:HAS_SUB_EVENT]->(event:SubEvent)-[changes:CHANGES]->(change:StateChange {after: "clean"})
OPTIONAL MATCH (event)-[:USES]->(tool:Tool)
WITH scenario, event, changes, change, collect(tool.label) AS tools
RETURN scenario.label AS activity, event.label AS step, change.label AS what, tools, changes.support AS sources
ORDER BY sources DESC, activity, step, what
