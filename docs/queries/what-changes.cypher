// What changes when I drain pasta, in how many sources, and for which share of the mentions of the step?
// :param step => "drain pasta"
MATCH (:SubEvent {label: $step})-[changes:CHANGES]->(change:StateChange)-[:OF_ENTITY]->(entity:Entity)
MATCH (change)-[:OF_ATTRIBUTE]->(respect:Attribute)
RETURN entity.label AS thing, respect.label AS attribute, change.before AS before, change.after AS after,
       changes.support AS sources, changes.probability AS probability
ORDER BY sources DESC, probability DESC, thing, attribute, after, before
