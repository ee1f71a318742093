// Which tools does draining the pasta need that only its concrete steps name, which model aligned them, how good is it?
// Tools that no text names are in a graph that was built with `--predict-tools`; they are marked as predicted.
// :param step => "drain pasta"
MATCH (:SubEvent {label: $step})-[use:USES]->(used:Tool)
WHERE use.predicted OR use.log_probability IS NOT NULL
MATCH (statement:Statement)-[:READ_BY]->(reader:Model)
WHERE statement.iri = use.statement
  AND NOT reader.task IN ["syntactic analysis", "event extraction", "decomposition of abstract events"]
OPTIONAL MATCH (reader)-[:SCORED]->(score:BenchmarkScore)
RETURN used.label AS tool, use.predicted AS predicted, use.support AS sources, use.log_probability AS log_probability,
       reader.name AS model, score.metric AS metric, score.value AS value
ORDER BY predicted, sources DESC, tool, model, metric, value
