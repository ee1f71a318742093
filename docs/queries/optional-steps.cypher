// Which steps of cooking pasta are optional, and in which share of the texts do they occur?
// A step is optional if few of the texts that have the steps before and after it have the step too. The most typical of
// the scenario come first.
MATCH (:Scenario {label: "cooking pasta"})-[part:HAS_SUB_EVENT]->(step:SubEvent)
WHERE part.`optional`
RETURN step.label AS event, part.support AS sources, part.probability AS probability,
       part.typicality AS typicality
ORDER BY typicality DESC, probability DESC, event
