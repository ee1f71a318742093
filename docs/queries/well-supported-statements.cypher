// Which statements have a support of at least three texts?
MATCH (one)-[link:HAS_SUB_EVENT|USES|HAS_PARTICIPANT]->(other)
WHERE link.support >= 3
MATCH (statement:Statement)
WHERE statement.iri = link.statement
RETURN one.label AS subject, statement.relation AS relation, other.label AS object, link.support AS sources
ORDER BY sources DESC, relation, subject, object
