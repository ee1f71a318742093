// What is wet after the third step of a text?
// A value holds until a later step of the same text changes the same attribute of the same thing.
MATCH (instance:ChangeInstance)-[:INSTANCE_OF]->(change:StateChange)-[:OF_ENTITY]->(entity:Entity)
MATCH (change)-[:OF_ATTRIBUTE]->(respect:Attribute)
MATCH (document:Source)
WHERE document.iri = instance.source AND change.after = "wet" AND instance.step <= 3
  AND NOT EXISTS {
    MATCH (later:ChangeInstance)-[:INSTANCE_OF]->(other:StateChange)-[:OF_ENTITY]->(entity),
          (other)-[:OF_ATTRIBUTE]->(respect)
    WHERE later.source = instance.source AND later.step > instance.step AND later.step <= 3
  }
RETURN document.name AS source, entity.label AS thing, respect.label AS attribute, change.after AS state,
       instance.step AS since
ORDER BY source, thing, attribute, since
