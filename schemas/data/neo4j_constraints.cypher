// What the exporter makes sure of before it writes: a node of each type is found by its IRI, and there is one of each.
// Each statement ends in a semicolon, and running them again changes nothing. Neo4j 5 or later, any edition.
CREATE CONSTRAINT kgscripts_scenario_iri IF NOT EXISTS FOR (node:Scenario) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_sub_event_iri IF NOT EXISTS FOR (node:SubEvent) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_action_iri IF NOT EXISTS FOR (node:Action) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_tool_iri IF NOT EXISTS FOR (node:Tool) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_entity_iri IF NOT EXISTS FOR (node:Entity) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_attribute_iri IF NOT EXISTS FOR (node:Attribute) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_state_change_iri IF NOT EXISTS FOR (node:StateChange) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_source_iri IF NOT EXISTS FOR (node:Source) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_passage_iri IF NOT EXISTS FOR (node:Passage) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_change_instance_iri IF NOT EXISTS FOR (node:ChangeInstance) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_statement_iri IF NOT EXISTS FOR (node:Statement) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_model_iri IF NOT EXISTS FOR (node:Model) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_benchmark_score_iri IF NOT EXISTS FOR (node:BenchmarkScore) REQUIRE node.iri IS UNIQUE;
CREATE CONSTRAINT kgscripts_correction_iri IF NOT EXISTS FOR (node:Correction) REQUIRE node.iri IS UNIQUE;
