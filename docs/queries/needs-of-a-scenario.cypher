// What must I have for cooking pasta: which tools and supplies, how much of them, and in how many sources?
// Needs that few sources name are left out. Tools come first; only they have a role.
// :param scenario => "cooking pasta"
MATCH (:Scenario {label: $scenario})-[n:NEEDS]->(thing)
WHERE n.usual
RETURN thing.label AS need, n.role AS role, n.amount AS amount, n.support AS sources
ORDER BY role IS NULL, sources DESC, need
