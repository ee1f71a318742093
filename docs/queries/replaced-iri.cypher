// Which step does an old IRI lead to, after clusters were merged?
// A step that still has this IRI is found too.
WITH "https://w3id.org/kgscripts/data/sub-event/strain-pasta-c7eaa33cb473cd137154bf5c" AS bookmark
MATCH (found:SubEvent)
WHERE found.iri = bookmark OR bookmark IN found.replaces
RETURN found.iri AS step, found.label AS event
