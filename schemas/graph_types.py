"""The closed list of node and relation types of the script graph, with their properties.

Everything that knows the graph's shape (tables, ontology, shapes, constraints, exports, documentation) is written
against these lists, and a contract test keeps them in step.
"""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen


class ValueType(StrEnum):
    """The type of a property's value."""

    STRING = "string"
    STRINGS = "strings"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NODE = "node"
    """The id of another node; its IRI once exported."""


class Layer(StrEnum):
    """Knowledge is said of the world, evidence says who read it where, instances are the texts themselves."""

    KNOWLEDGE = "knowledge"
    EVIDENCE = "evidence"
    INSTANCE = "instance"


@frozen
class Property:
    """A property of a node or relation; `required` ones are never null."""

    name: str
    type: ValueType
    comment: str
    required: bool = True


@frozen
class NodeType:
    """A node type: `key` says in words what makes two nodes the same."""

    name: str
    comment: str
    key: str
    properties: tuple[Property, ...]


@frozen
class RelationType:
    """A relation type; a pair of nodes has at most one relation of each type."""

    name: str
    comment: str
    layer: Layer
    ends: tuple[tuple[str, str], ...]
    properties: tuple[Property, ...] = field(default=())

    @property
    def has_statement(self) -> bool:
        """Whether each relation of this type has a Statement that holds its evidence."""
        return any(item.name == "statement" for item in self.properties)


_STRING, _STRINGS, _INTEGER = ValueType.STRING, ValueType.STRINGS, ValueType.INTEGER
_NUMBER, _BOOLEAN, _NODE = ValueType.NUMBER, ValueType.BOOLEAN, ValueType.NODE

_LABEL = Property("label", _STRING, "The node in words.")
_MENTIONS = Property("support", _INTEGER, "In how many sources it was read.")

NODE_TYPES: dict[str, NodeType] = {
    node.name: node
    for node in (
        NodeType(
            "Scenario",
            "An everyday activity that people have a script for.",
            "one of the 200 labels, or the normalised title of a how-to",
            (
                _LABEL,
                Property("alternative_labels", _STRINGS, "Other names of the same activity."),
                Property("listed", _BOOLEAN, "Whether it is one of the 200 listed scenarios."),
                _MENTIONS,
            ),
        ),
        NodeType(
            "SubEvent",
            "A step of a scenario: a cluster of actions that do the same there.",
            "scenario (or none) and the smallest action of its paraphrase cluster",
            (
                _LABEL,
                Property(
                    "scenario",
                    _NODE,
                    "The scenario that it is a step of; none where the text names none.",
                    False,
                ),
                _MENTIONS,
                Property("mentions", _INTEGER, "How often it was read."),
            ),
        ),
        NodeType(
            "Action",
            "What is done, free of any scenario: the place where different texts meet.",
            "predicate lemma, particle, object head, preposition and its head",
            (
                _LABEL,
                Property("predicate", _STRING, "Lemma of the verb."),
                Property("particle", _STRING, "Particle of a phrasal verb.", False),
                Property("object", _STRING, "Lemma of the object's head, compounds kept.", False),
                Property("preposition", _STRING, "Preposition of the first prepositional argument.", False),
                Property(
                    "prepositional_object",
                    _STRING,
                    "Lemma of that preposition's head, compounds kept.",
                    False,
                ),
                _MENTIONS,
            ),
        ),
        NodeType(
            "Tool",
            "A thing that events are done with.",
            "lemma of the head, with its compound",
            (_LABEL, _MENTIONS),
        ),
        NodeType(
            "Entity",
            "A person, thing or place that takes part in events.",
            "lemma of the head, with its compound",
            (_LABEL, _MENTIONS),
        ),
        NodeType(
            "Attribute",
            "A respect in which an entity can change.",
            "lemma of the head, with its compound",
            (_LABEL, _MENTIONS),
        ),
        NodeType(
            "StateChange",
            "An attribute of an entity that was one thing before an event and another thing after it.",
            "attribute, entity, before and after, normalised",
            (
                _LABEL,
                Property("before", _STRING, "The value before the event."),
                Property("after", _STRING, "The value after the event."),
                _MENTIONS,
            ),
        ),
        NodeType(
            "Source",
            "A text that was read.",
            "SHA-256 of its content",
            (
                Property("name", _STRING, "Where it came from, for people."),
                Property("digest", _STRING, "SHA-256 of its content."),
                Property("title", _STRING, "Its title, where it has one.", False),
                Property("scenario_label", _STRING, "The scenario label that the source itself carries.", False),
                Property("format", _STRING, "The format that it was read from."),
                Property("characters", _INTEGER, "Length of its text in Unicode code points."),
            ),
        ),
        NodeType(
            "Passage",
            "A stretch of a source's text.",
            "digest of the source, kind, first and last character",
            (
                Property("kind", _STRING, "paragraph, step, abstract, concrete, segment, sentence or mention."),
                Property("start", _INTEGER, "First character, in Unicode code points from 0."),
                Property("end", _INTEGER, "The character after the last."),
                Property("text", _STRING, "The text itself."),
                Property("source", _NODE, "The source that it is a part of."),
            ),
        ),
        NodeType(
            "Statement",
            "One relation of the knowledge layer as a thing of its own, so that evidence can hang on it.",
            "subject, relation, object and scenario",
            (
                Property("subject", _NODE, "Where the relation starts."),
                Property("relation", _STRING, "Type of the relation."),
                Property("object", _NODE, "Where the relation ends."),
                Property(
                    "scenario",
                    _NODE,
                    "The scenario in which it holds; none where the text names none.",
                    False,
                ),
            ),
        ),
        NodeType(
            "Model",
            "A reader of text: a trained model or a set of rules.",
            "name and digest",
            (
                Property("name", _STRING, "Its name."),
                Property("version", _STRING, "Its version."),
                Property("digest", _STRING, "SHA-256 of all that decides what it reads."),
                Property("task", _STRING, "What it does."),
                Property("licence", _STRING, "Licence of its weights.", False),
            ),
        ),
        NodeType(
            "BenchmarkScore",
            "How good a model is on data that it never saw.",
            "model, dataset, split and metric",
            (
                Property("dataset", _STRING, "The data that it was measured on."),
                Property("split", _STRING, "The part of the data."),
                Property("metric", _STRING, "What was measured."),
                Property("value", _NUMBER, "The figure, rounded to four decimals."),
                Property("unit", _STRING, "percent, share, nats, words or words/s."),
                Property("direction", _STRING, "higher or lower: which is better."),
            ),
        ),
    )
}

_KNOWLEDGE = (
    Property("support", _INTEGER, "In how many sources it was read."),
    Property("probability", _NUMBER, "Share of the cases in which it holds, as the relation type says."),
    Property("statement", _NODE, "The statement that holds its evidence."),
)
_PMI = Property("pmi", _NUMBER, "Pointwise mutual information of the two ends, in nats.", False)
_ALIGNED = Property(
    "log_probability",
    _NUMBER,
    "Log probability, in nats, of the best alignment that says so; absent where none does.",
    False,
)

RELATION_TYPES: dict[str, RelationType] = {
    relation.name: relation
    for relation in (
        RelationType(
            "HAS_SUB_EVENT",
            "The scenario has this step; the probability is the share of the scenario's sources that tell it.",
            Layer.KNOWLEDGE,
            (("Scenario", "SubEvent"),),
            (
                *_KNOWLEDGE,
                Property("mean_position", _NUMBER, "Mean relative position in the sources: 0 first, 1 last."),
                Property(
                    "rank", _INTEGER, "Place among the scenario's steps, from 1: follows PRECEDES, else mean position."
                ),
                Property("optional", _BOOLEAN, "Whether fewer than half of the scenario's sources tell it."),
            ),
        ),
        RelationType(
            "DECOMPOSES_INTO",
            "The abstract step is done by doing this concrete one; the probability is the share of the abstract step's "
            "decomposed mentions that contain it.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            (
                *_KNOWLEDGE,
                _PMI,
                _ALIGNED,
                Property("position", _NUMBER, "Mean relative position among the concrete steps."),
            ),
        ),
        RelationType(
            "PRECEDES",
            "The step comes before the other; the probability is the share of sources telling both that tell them so.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            _KNOWLEDGE,
        ),
        RelationType(
            "EXPRESSED_AS",
            "The step is told in these words; the probability is their share of the step's mentions.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Action"),),
            _KNOWLEDGE,
        ),
        RelationType(
            "HAS_PARTICIPANT",
            "The entity takes part in the step; the probability is the share of the step's mentions that name it.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Entity"),),
            (
                *_KNOWLEDGE,
                _PMI,
                Property(
                    "role",
                    _STRING,
                    "Its most frequent part: agent, patient, recipient, place, companion or other.",
                ),
            ),
        ),
        RelationType(
            "USES",
            "The step is done with this tool; the probability is the share of the step's mentions that name it, "
            "themselves or in what they decompose into, or, where it is predicted, the model's.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Tool"),),
            (
                *_KNOWLEDGE,
                _PMI,
                _ALIGNED,
                Property("predicted", _BOOLEAN, "Whether a model predicts it and no text says so."),
            ),
        ),
        RelationType(
            "CHANGES",
            "The step brings about this change; the probability is the share of the step's mentions that show it.",
            Layer.KNOWLEDGE,
            (("SubEvent", "StateChange"),),
            (*_KNOWLEDGE, _PMI),
        ),
        RelationType("OF_ENTITY", "The entity that changes.", Layer.KNOWLEDGE, (("StateChange", "Entity"),)),
        RelationType(
            "OF_ATTRIBUTE",
            "The respect in which it changes.",
            Layer.KNOWLEDGE,
            (("StateChange", "Attribute"),),
        ),
        RelationType("SCORED", "The model reached this score.", Layer.EVIDENCE, (("Model", "BenchmarkScore"),)),
        RelationType("EVIDENCED_BY", "The passage says so.", Layer.EVIDENCE, (("Statement", "Passage"),)),
        RelationType(
            "READ_BY",
            "The model read it, or predicts it.",
            Layer.EVIDENCE,
            (("Statement", "Model"),),
            (Property("score", _NUMBER, "The model's highest confidence over the evidence, 0 to 1."),),
        ),
        RelationType(
            "WITHIN",
            "The passage is a part of it.",
            Layer.INSTANCE,
            (("Passage", "Passage"), ("Passage", "Source")),
        ),
        RelationType(
            "NEXT",
            "The next mention of an event in the same text.",
            Layer.INSTANCE,
            (("Passage", "Passage"),),
        ),
        RelationType(
            "ABOUT",
            "The text is about this scenario.",
            Layer.INSTANCE,
            (("Source", "Scenario"), ("Passage", "Scenario")),
        ),
        RelationType(
            "REALIZES",
            "The passage tells this step.",
            Layer.INSTANCE,
            (("Passage", "SubEvent"),),
            (Property("score", _NUMBER, "The reader's confidence, 0 to 1."),),
        ),
        RelationType(
            "SHOWS",
            "The passage shows this change.",
            Layer.INSTANCE,
            (("Passage", "StateChange"),),
            (Property("log_probability", _NUMBER, "Log probability of the change given the passage, in nats."),),
        ),
        RelationType(
            "PERSISTS_TO",
            "The changed state still holds where the later change begins.",
            Layer.INSTANCE,
            (("StateChange", "StateChange"),),
        ),
        RelationType(
            "CONTRADICTS",
            "The changed state cannot hold where the later change begins.",
            Layer.INSTANCE,
            (("StateChange", "StateChange"),),
        ),
    )
}
