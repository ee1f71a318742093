// The usual steps of a scenario, in order
MATCH (:Scenario {label: SCENARIO})-[has:HAS_SUB_EVENT]->(step:SubEvent)
WHERE has.usual
RETURN step.iri AS step, step.label_text AS words, has.support AS sources, has.probability AS share
ORDER BY has.rank

// What a scenario needs, and how much of it
MATCH (:Scenario {label: SCENARIO})-[needs:NEEDS]->(thing)
WHERE needs.usual
RETURN thing.label AS need, needs.role AS role, needs.amount AS amount, needs.support AS sources
ORDER BY role IS NULL, sources DESC, need

// The tools that most scenarios use
MATCH (scenario:Scenario)-[:HAS_SUB_EVENT]->(step:SubEvent)-[:USES]->(tool:Tool)
RETURN tool.iri AS tool, tool.label AS name, count(DISTINCT scenario) AS scenarios, count(DISTINCT step) AS steps
ORDER BY scenarios DESC, steps DESC, name
LIMIT 50

// The passages that are evidence for the uses of tools
MATCH (:Scenario {label: SCENARIO})-[:HAS_SUB_EVENT]->(event:SubEvent)-[use:USES]->(used:Tool)
MATCH (statement:Statement)-[:EVIDENCED_BY]->(evidence:Passage)
WHERE statement.iri = use.statement
RETURN event.label AS step, used.label AS tool, evidence.text AS passage
ORDER BY step, tool, passage
LIMIT 100

// The order of steps, with probabilities
MATCH (:Scenario {label: SCENARIO})-[:HAS_SUB_EVENT]->(before:SubEvent)-[precedes:PRECEDES]->(after:SubEvent)
RETURN before.label AS first, after.label AS second, precedes.support AS sources,
       precedes.probability AS probability
ORDER BY sources DESC, probability DESC, first, second
