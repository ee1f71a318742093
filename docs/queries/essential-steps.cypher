// Without which steps is cooking pasta likely not done, and which ones are often left out?
// The probability is known if the graph was built with vectors of actions, as it is unless extractors are named.
// :param scenario => "cooking pasta"
MATCH (:Scenario {label: $scenario})-[part:HAS_SUB_EVENT]->(step:SubEvent)
RETURN step.label_text AS event, part.essential AS essential, part.`optional` AS `optional`,
       part.essential_probability AS essentialProbability, part.support AS sources
ORDER BY essentialProbability DESC, sources DESC, event
