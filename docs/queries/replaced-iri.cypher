// Which sub-event does an IRI lead to, if clusters were merged since it was bookmarked?
// A sub-event that still has this IRI is found as well.
WITH "https://w3id.org/kgscripts/data/sub-event/strain-pasta-c7eaa33cb473cd137154bf5c" AS bookmark
MATCH (found:SubEvent)
WHERE found.iri = bookmark OR bookmark IN found.replaces
RETURN found.iri AS step, found.label AS event
