// Which passages of a text are about which scenario, and with what confidence?
MATCH (passage:Passage)-[about:ABOUT]->(scenario:Scenario)
MATCH (document:Source)
WHERE document.iri = passage.source
RETURN document.name AS source, passage.start AS start, passage.`end` AS `end`, scenario.label AS activity,
       about.confidence AS confidence
ORDER BY source, start, `end`, confidence DESC, activity
