// Which sub-events of cooking pasta are optional, and in what share of the texts do they occur?
// A sub-event is optional if few of the texts that tell what comes before and after it tell it. The most typical of
// the scenario come first.
MATCH (:Scenario {label: "cooking pasta"})-[part:HAS_SUB_EVENT]->(step:SubEvent)
WHERE part.`optional`
RETURN step.label AS event, part.support AS sources, part.probability AS probability,
       part.typicality AS typicality
ORDER BY typicality DESC, probability DESC, event
