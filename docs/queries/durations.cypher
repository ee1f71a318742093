// How long does each step take, in the words of the texts?
MATCH (p:Passage)-[:REALIZES]->(s:SubEvent)
WHERE p.durations IS NOT NULL
UNWIND p.durations AS words
RETURN s.label AS step, words, count(*) AS mentions
ORDER BY mentions DESC, step, words
