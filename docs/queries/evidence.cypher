// What is the evidence that pasta is drained in a colander? The passages, their sources and spans.
// :param step => "drain pasta"
// :param tool => "colander"
MATCH (:SubEvent {label: $step})-[use:USES]->(:Tool {label: $tool})
MATCH (statement:Statement)-[:EVIDENCED_BY]->(passage:Passage)
WHERE statement.iri = use.statement
MATCH (document:Source)
WHERE document.iri = passage.source
RETURN document.name AS source, passage.start AS start, passage.`end` AS `end`, passage.text AS text
ORDER BY source, start, `end`
