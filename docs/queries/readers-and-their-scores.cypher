// Which models read that pasta is drained in a colander, and how good are they?
// The exposure says whether rules or settings were chosen in view of the data (development) or not (unseen).
// :param step => "drain pasta"
// :param tool => "colander"
MATCH (:SubEvent {label: $step})-[use:USES]->(:Tool {label: $tool})
MATCH (statement:Statement)-[reading:READ_BY]->(reader:Model)
WHERE statement.iri = use.statement
OPTIONAL MATCH (reader)-[:SCORED]->(score:BenchmarkScore)
RETURN DISTINCT reader.name AS model, reader.version AS version, reading.score AS confidence, score.dataset AS dataset,
       score.split AS split, score.metric AS metric, score.value AS value, score.unit AS unit,
       score.exposure AS exposure
ORDER BY model, dataset, split, metric, confidence
