// What do at least three texts say?
MATCH (one)-[said:HAS_SUB_EVENT|USES|HAS_PARTICIPANT]->(other)
WHERE said.support >= 3
MATCH (statement:Statement)
WHERE statement.iri = said.statement
RETURN one.label AS subject, statement.relation AS relation, other.label AS object, said.support AS sources
ORDER BY sources DESC, relation, subject, object
