// Which steps of cooking pasta can be done in any order, or by two people at the same time?
MATCH (activity:Scenario {label: "cooking pasta"})-[one:HAS_SUB_EVENT]->(first:SubEvent)
MATCH (activity)-[other:HAS_SUB_EVENT]->(second:SubEvent)
WHERE one.usual AND other.usual AND one.rank < other.rank AND one.support >= 2 AND other.support >= 2
  AND NOT EXISTS { MATCH (first)-[:PRECEDES*1..20]->(second) }
RETURN first.label AS step, second.label AS any_order_with, one.support AS sources, other.support AS other_sources
ORDER BY sources + other_sources DESC, step, any_order_with
LIMIT 20
