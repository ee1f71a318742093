// Which steps of cooking pasta can be done in any order?
// :param scenario => "cooking pasta"
MATCH (activity:Scenario {label: $scenario})-[one:HAS_SUB_EVENT]->(first:SubEvent)
MATCH (activity)-[other:HAS_SUB_EVENT]->(second:SubEvent)
WHERE one.usual AND other.usual AND one.rank < other.rank
  AND NOT EXISTS { MATCH (first)-[:PRECEDES*1..20]->(second) }
RETURN first.label AS step, second.label AS any_order_with, one.support AS sources, other.support AS other_sources
ORDER BY sources + other_sources DESC, step, any_order_with
LIMIT 20
