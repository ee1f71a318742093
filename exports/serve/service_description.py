"""What the SPARQL service can do, by the SPARQL 1.1 Service Description vocabulary (W3C, 21 March 2013)."""

from __future__ import annotations

import pyoxigraph

from exports.serve.negotiation import TRIPLES, preferred
from exports.serve.protocol import ProtocolError

_SERVICE = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_RESULTS = ("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV")
_TRIPLES = ("Turtle", "N-Triples", "RDF_XML", "JSON-LD")


def service_description(endpoint: str, accept: str | None) -> tuple[str, str]:
    """The description of the service at an address, with its media type.

    Raises ProtocolError with the status 406 if the client takes no RDF.
    """
    media_type = preferred(accept, TRIPLES)
    if media_type is None:
        raise ProtocolError(406, f"the service description is of the types {', '.join(TRIPLES)}")
    service = pyoxigraph.BlankNode("service")
    type_of = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    triples = [
        pyoxigraph.Triple(service, type_of, _term("Service")),
        pyoxigraph.Triple(service, _term("endpoint"), pyoxigraph.NamedNode(endpoint)),
        pyoxigraph.Triple(service, _term("supportedLanguage"), _term("SPARQL11Query")),
        pyoxigraph.Triple(service, _term("feature"), _term("UnionDefaultGraph")),
        *(
            pyoxigraph.Triple(service, _term("resultFormat"), pyoxigraph.NamedNode(_FORMATS + name))
            for name in (*_RESULTS, *_TRIPLES)
        ),
    ]
    form = pyoxigraph.RdfFormat.from_media_type(media_type)
    content = pyoxigraph.serialize(triples, format=form)
    return media_type, (content or b"").decode()


def _term(name: str) -> pyoxigraph.NamedNode:
    return pyoxigraph.NamedNode(_SERVICE + name)
