// What are the concrete steps of draining the pasta, how probable is the alignment, and what is the evidence?
// :param of_step => "drain pasta"
MATCH (:SubEvent {label: $of_step})-[part:DECOMPOSES_INTO]->(concrete:SubEvent)
MATCH (statement:Statement)-[:EVIDENCED_BY]->(passage:Passage)
WHERE statement.iri = part.statement
MATCH (document:Source)
WHERE document.iri = passage.source
RETURN concrete.label AS step, part.support AS sources, part.pmi AS pmi, part.log_probability AS log_probability,
       document.name AS source, passage.text AS text
ORDER BY part.position, step, source, text
