"""The node and relation types of the script graph, with their properties: ours, and those of installed packages.

Tables, ontology, shapes, constraints, exports and documentation follow these lists, and a contract test compares them.
"""

from __future__ import annotations

from schemas.installed_types import installed_node_types, installed_relation_types
from schemas.provenance import Direction, Exposure
from schemas.records import PassageKind, Role, ToolRole
from schemas.type_declarations import KNOWLEDGE, LABEL, SUPPORT, Layer, NodeType, Property, RelationType, ValueType

_STRING, _STRINGS, _INTEGER = ValueType.STRING, ValueType.STRINGS, ValueType.INTEGER
_NUMBER, _BOOLEAN, _NODE, _NODES = ValueType.NUMBER, ValueType.BOOLEAN, ValueType.NODE, ValueType.NODES
_SHA_256 = "^[0-9a-f]{64}$"


def _share(name: str, comment: str, required: bool = True) -> Property:
    """A number from 0 to 1."""
    return Property(name, _NUMBER, comment, required, minimum=0, maximum=1)


def _count(name: str, comment: str, minimum: int = 0) -> Property:
    return Property(name, _INTEGER, comment, minimum=minimum)


NODE_TYPES: dict[str, NodeType] = {
    node.name: node
    for node in (
        NodeType(
            "Scenario",
            "An everyday activity that people have a script for.",
            "one of the 200 labels, or verb and object of the title of a how-to",
            (
                LABEL,
                Property("alternative_labels", _STRINGS, "Other names of the same activity."),
                Property("listed", _BOOLEAN, "Whether it is one of the 200 listed scenarios."),
                SUPPORT,
            ),
        ),
        NodeType(
            "SubEvent",
            "A step of a scenario: a cluster of actions with the same function there.",
            "scenario (or none) and the leading action of its paraphrase cluster: the smallest, unless another has "
            "twice its support",
            (
                LABEL,
                Property(
                    "scenario",
                    _NODE,
                    "The scenario that it is a step of; absent if the text names none.",
                    False,
                    node_type="Scenario",
                ),
                SUPPORT,
                _count("mentions", "Number of its mentions."),
                Property(
                    "replaces",
                    _NODES,
                    "Ids that its other actions would have given it, and that may have been used before the cluster "
                    "was merged.",
                ),
            ),
        ),
        NodeType(
            "Action",
            "What is done, independent of any scenario, so that different texts share it.",
            "predicate lemma, particle, object head, preposition and its head",
            (
                LABEL,
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
                SUPPORT,
            ),
        ),
        NodeType(
            "Tool",
            "A thing that steps are done with.",
            "lemma of the head, with its compound",
            (LABEL, SUPPORT),
        ),
        NodeType(
            "Entity",
            "A person, thing or place that takes part in events.",
            "lemma of the head, with its compound",
            (LABEL, SUPPORT),
        ),
        NodeType(
            "Attribute",
            "A respect in which an entity can change.",
            "lemma of the head, with its compound; of names that mean the same, the one that leads them",
            (
                LABEL,
                Property("alternative_labels", _STRINGS, "Other names that mean the same."),
                SUPPORT,
            ),
        ),
        NodeType(
            "StateChange",
            "An attribute of an entity with one value before an event and another after it.",
            "attribute, entity, before and after, normalised",
            (
                LABEL,
                Property("before", _STRING, "The value before the event; absent if it is not said.", False),
                Property("after", _STRING, "The value after the event."),
                SUPPORT,
            ),
        ),
        NodeType(
            "Source",
            "A text that was read.",
            "SHA-256 of its content",
            (
                Property("name", _STRING, "Where it came from, readable."),
                Property("digest", _STRING, "SHA-256 of its content.", pattern=_SHA_256),
                Property("title", _STRING, "Its title, if it has one.", False),
                Property("scenario_label", _STRING, "The scenario label in the source itself.", False),
                Property("format", _STRING, "The format that it was read from."),
                _count("characters", "Length of its text in Unicode code points."),
            ),
        ),
        NodeType(
            "Passage",
            "A span of a source's text.",
            "digest of the source, kind, first and last character",
            (
                Property(
                    "kind",
                    _STRING,
                    "paragraph, step, needs, abstract, concrete, segment, sentence or mention.",
                    values=tuple(PassageKind),
                ),
                _count("start", "First character, in Unicode code points from 0."),
                Property("end", _INTEGER, "The character after the last."),
                Property("text", _STRING, "The text itself."),
                Property("source", _NODE, "The source that it is a part of.", node_type="Source"),
            ),
        ),
        NodeType(
            "ChangeInstance",
            "A state change in one text: this step of this text brings it about.",
            "passage and state change",
            (
                Property("source", _NODE, "The source that it was read in.", node_type="Source"),
                _count(
                    "step",
                    "Number of the step of the text that brings it about, of the sentence if the text has no steps; 0 "
                    "before the first.",
                ),
                Property("presupposed", _BOOLEAN, "Whether the text does not mention the entity up to there."),
            ),
        ),
        NodeType(
            "Statement",
            "One relation of the knowledge layer as a node, so that evidence can be attached to it.",
            "subject, relation, object and scenario",
            (
                Property("subject", _NODE, "Where the relation starts."),
                Property("relation", _STRING, "Type of the relation."),
                Property("object", _NODE, "Where the relation ends."),
                Property(
                    "scenario",
                    _NODE,
                    "The scenario in which it holds; absent if the text names none.",
                    False,
                    node_type="Scenario",
                ),
            ),
        ),
        NodeType(
            "Model",
            "What reads text: a trained model or a set of rules.",
            "name and digest",
            (
                Property("name", _STRING, "Its name."),
                Property("version", _STRING, "Its version."),
                Property("digest", _STRING, "SHA-256 of everything that determines its output.", pattern=_SHA_256),
                Property("task", _STRING, "What it does."),
                Property("licence", _STRING, "Licence of its weights.", False),
                Property(
                    "language",
                    _STRING,
                    "Language of the texts that a parser reads (BCP 47).",
                    False,
                    pattern="^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$",
                ),
            ),
        ),
        NodeType(
            "BenchmarkScore",
            "The score of a model on data that it was not trained on.",
            "model, dataset, split and metric",
            (
                Property("dataset", _STRING, "The data that it was measured on."),
                Property("split", _STRING, "The part of the data."),
                Property("metric", _STRING, "What was measured."),
                Property("value", _NUMBER, "The score, rounded to four decimals."),
                Property(
                    "unit",
                    _STRING,
                    "percent, share, nats, words or words/s.",
                    values=("percent", "share", "nats", "words", "words/s"),
                ),
                Property("direction", _STRING, "Which is better: higher or lower.", values=tuple(Direction)),
                Property(
                    "exposure",
                    _STRING,
                    "unseen, or development: rules were written or settings chosen in view of this data.",
                    values=tuple(Exposure),
                ),
            ),
        ),
        NodeType(
            "Correction",
            "What a person says about the graph: the latest correction of something counts.",
            "what it is about: its scenario, and the words of its steps or things",
            (
                LABEL,
                Property(
                    "kind",
                    _STRING,
                    "reject, rename, same step, different step, same thing or tool role.",
                    values=("reject", "rename", "same step", "different step", "same thing", "tool role"),
                ),
                Property("author", _STRING, "Who corrected it."),
                Property(
                    "time",
                    _STRING,
                    "When, in UTC (ISO 8601).",
                    pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T.*Z$",
                ),
                Property("applied", _BOOLEAN, "Whether it corrects something in this graph."),
                Property("content", _STRING, "All of it as a line of a file of corrections (JSON)."),
            ),
        ),
        *installed_node_types(),
    )
}

_PMI = Property("pmi", _NUMBER, "Pointwise mutual information of the two ends, in nats.", False)
_ROLE = Property(
    "role",
    _STRING,
    "Its most frequent role: of a participant agent, patient, recipient, place, companion or other; of a tool "
    "instrument, container, appliance or support (a surface).",
    values=(*Role, *ToolRole),
)
_ALIGNED = Property(
    "log_probability",
    _NUMBER,
    "Log probability, in nats, of the best alignment behind it; absent if there is none.",
    False,
    maximum=0,
)

RELATION_TYPES: dict[str, RelationType] = {
    relation.name: relation
    for relation in (
        RelationType(
            "HAS_SUB_EVENT",
            "The scenario has this step; the probability is the share of the scenario's sources that mention it.",
            Layer.KNOWLEDGE,
            (("Scenario", "SubEvent"),),
            (
                *KNOWLEDGE,
                _share("mean_position", "Mean relative position in the sources: 0 first, 1 last."),
                _count("rank", "Place among the scenario's steps, from 1: follows PRECEDES, else mean position.", 1),
                Property(
                    "optional",
                    _BOOLEAN,
                    "Whether fewer than half of the sources that mention what comes before and after it mention it.",
                ),
                _share(
                    "typicality",
                    "Estimated probability that it is of the scenario's script and no bystander, 0 to 1.",
                    False,
                ),
                Property("usual", _BOOLEAN, "Whether its typicality is 0.62 or more, or unknown."),
                _count(
                    "salience_rank",
                    "Place among the scenario's steps by salience, from 1: usual steps first, of these those that more "
                    "sources tell in the words of the label, that are more typical, and whose label says more.",
                    1,
                ),
            ),
        ),
        RelationType(
            "DECOMPOSES_INTO",
            "The abstract step is done by doing this concrete one; the probability is the share of the abstract step's "
            "decomposed mentions that contain it.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            (
                *KNOWLEDGE,
                _PMI,
                _ALIGNED,
                _share("position", "Mean relative position among the concrete steps."),
            ),
        ),
        RelationType(
            "PRECEDES",
            "The step precedes the other; the probability is the share of the sources with both that have this order.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            KNOWLEDGE,
        ),
        RelationType(
            "EXPRESSED_AS",
            "The step is expressed as this action; the probability is its share of the step's mentions.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Action"),),
            KNOWLEDGE,
        ),
        RelationType(
            "HAS_PARTICIPANT",
            "The entity takes part in the step; the probability is the share of the step's mentions that name it.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Entity"),),
            (
                *KNOWLEDGE,
                _PMI,
                _ROLE,
            ),
        ),
        RelationType(
            "USES",
            "The step is done with this tool; the probability is the share of the step's mentions that name it, "
            "directly or in a step that they decompose into, or the model's if the tool is predicted. What something "
            "is put into or onto is a participant with the role place instead.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Tool"),),
            (
                *KNOWLEDGE,
                _PMI,
                _ALIGNED,
                _ROLE,
                Property("predicted", _BOOLEAN, "Whether a model predicts it and no text mentions it."),
            ),
        ),
        RelationType(
            "ALTERNATIVE_TO",
            "One does the one step or the other in its place (go by bus, go by car). It holds both ways and is stored "
            "once; the probability is the share of the sources with one of them that do not have both.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            KNOWLEDGE,
            symmetric=True,
        ),
        RelationType(
            "CLOSE_MATCH",
            "The same step of another scenario (pay). It holds both ways and is stored once; the probability is the "
            "share of their mentions that are expressed as the same actions.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            (
                *KNOWLEDGE,
                Property("similarity", _NUMBER, "Cosine of the mean vectors of their actions.", minimum=-1, maximum=1),
            ),
            symmetric=True,
        ),
        RelationType(
            "BROADER",
            "The other tool is of a more general kind: the head of the compound (cake pan, pan).",
            Layer.KNOWLEDGE,
            (("Tool", "Tool"),),
        ),
        RelationType(
            "CHANGES",
            "The step brings about this change; the probability is the share of the step's mentions that show it.",
            Layer.KNOWLEDGE,
            (("SubEvent", "StateChange"),),
            (*KNOWLEDGE, _PMI),
        ),
        RelationType(
            "OF_ENTITY",
            "The entity that changes; if it is also a tool by the same name, the tool as well.",
            Layer.KNOWLEDGE,
            (("StateChange", "Entity"), ("StateChange", "Tool")),
            at_least=1,
            at_most=2,
        ),
        RelationType(
            "OF_ATTRIBUTE",
            "The attribute that changes.",
            Layer.KNOWLEDGE,
            (("StateChange", "Attribute"),),
            at_least=1,
            at_most=1,
        ),
        RelationType("SCORED", "The model reached this score.", Layer.EVIDENCE, (("Model", "BenchmarkScore"),)),
        RelationType("EVIDENCED_BY", "The passage is evidence for it.", Layer.EVIDENCE, (("Statement", "Passage"),)),
        RelationType(
            "READ_BY",
            "The model read it, or predicts it.",
            Layer.EVIDENCE,
            (("Statement", "Model"),),
            (_share("score", "The model's highest confidence over the evidence, 0 to 1."),),
            at_least=1,
        ),
        RelationType(
            "CORRECTED_BY",
            "A person corrected it: a step that was renamed, merged or split, or one of its relations; a tool or an "
            "entity with several names; a scenario of which a step was rejected.",
            Layer.EVIDENCE,
            (("Scenario", "Correction"), ("SubEvent", "Correction"), ("Tool", "Correction"), ("Entity", "Correction")),
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
            at_most=1,
        ),
        RelationType(
            "ABOUT",
            "The text is about this scenario: a segment is about each scenario of its label, a source about every "
            "scenario that one of its segments is about.",
            Layer.INSTANCE,
            (("Source", "Scenario"), ("Passage", "Scenario")),
            (
                _share(
                    "confidence",
                    "The reader's confidence that the text is about it, 0 to 1; 1 where the source itself says so.",
                ),
            ),
        ),
        RelationType(
            "REALIZES",
            "The passage mentions this step. It can realise a step of each of several scenarios.",
            Layer.INSTANCE,
            (("Passage", "SubEvent"),),
            (_share("score", "The reader's confidence, 0 to 1."),),
        ),
        RelationType(
            "SHOWS",
            "The passage shows this change: the mention of the event that brings it about, or the step or sentence in "
            "which no event was found.",
            Layer.INSTANCE,
            (("Passage", "ChangeInstance"),),
            (
                Property(
                    "log_probability",
                    _NUMBER,
                    "Log probability of the change being true of the passage, in nats.",
                    maximum=0,
                ),
            ),
        ),
        RelationType(
            "INSTANCE_OF",
            "What changes, free of the text.",
            Layer.INSTANCE,
            (("ChangeInstance", "StateChange"),),
            at_least=1,
            at_most=1,
        ),
        RelationType(
            "PERSISTS_TO",
            "The changed state still holds where the next change of the same attribute of the entity in this text "
            "begins: its value after the one agrees with the value before the other.",
            Layer.INSTANCE,
            (("ChangeInstance", "ChangeInstance"),),
        ),
        RelationType(
            "CONTRADICTS",
            "The next change of the same attribute of the entity in this text begins with a value that agrees with no "
            "value that the last step to change it left behind.",
            Layer.INSTANCE,
            (("ChangeInstance", "ChangeInstance"),),
        ),
        *installed_relation_types(),
    )
}
