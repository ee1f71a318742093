// What is the usual script of cooking pasta, in ten steps?
// These are the steps of `kgscripts show graph "cooking pasta" --limit 10`: usual steps have the first salience ranks.
// :param scenario => "cooking pasta"
MATCH (:Scenario {label: $scenario})-[part:HAS_SUB_EVENT]->(step:SubEvent)
WHERE part.usual AND part.salience_rank <= 10
RETURN step.label AS event, part.support AS sources, part.probability AS probability
ORDER BY part.rank
