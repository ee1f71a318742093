"""The node and relation types of the script graph, with their properties: ours, and those of installed packages.

Tables, ontology, shapes, constraints, exports and documentation follow these lists, and a contract test compares them.
"""

from __future__ import annotations

from schemas.changes import Level
from schemas.provenance import Direction, Exposure
from schemas.records import PassageKind, Role, ToolRole
from schemas.type_declarations import (
    KNOWLEDGE,
    LABEL,
    LABEL_TEXT,
    SUPPORT,
    Layer,
    NodeType,
    Property,
    RelationType,
    ValueType,
    installed_node_types,
    installed_relation_types,
)

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
            "A step of a scenario: a cluster of actions that have the same function in it.",
            "scenario (or none) and the leading action of its paraphrase cluster: the smallest, unless another has "
            "twice its support",
            (
                LABEL,
                LABEL_TEXT,
                Property(
                    "scenario",
                    _NODE,
                    "The scenario that it is a step of; absent if the text names none.",
                    False,
                    node_type="Scenario",
                ),
                SUPPORT,
                _count("mentions", "Number of its mentions."),
                Property("wordings", _STRINGS, "Of written scripts, how else people say it; absent if none.", False),
                Property(
                    "conditions",
                    _STRINGS,
                    'Of written scripts, when it is done ("if the nut is rusty", "unless it rains"); absent if none.',
                    False,
                ),
                Property(
                    "variants",
                    _STRINGS,
                    'Of written scripts, the ways to do the activity that only have it ("by bus"); absent if none.',
                    False,
                ),
                Property(
                    "left_out_of",
                    _STRINGS,
                    "Of written scripts, the ways to do the activity that do without it; absent if none.",
                    False,
                ),
                Property("parts", _STRINGS, "Of written scripts, what it consists of; absent if none.", False),
                Property(
                    "replaces",
                    _NODES,
                    "Ids that the step would have by its other actions; it may have had them before clusters were "
                    "merged.",
                ),
            ),
        ),
        NodeType(
            "Action",
            "An action in words, independent of any scenario, so that different texts share it.",
            "predicate lemma, particle, object head, preposition and its head",
            (
                LABEL,
                LABEL_TEXT,
                Property("predicate", _STRING, "Lemma of the verb."),
                Property("particle", _STRING, "Particle of a phrasal verb.", False),
                Property("object", _STRING, "Lemma of the object's head, with its compound.", False),
                Property("preposition", _STRING, "Preposition of the first prepositional argument.", False),
                Property(
                    "prepositional_object",
                    _STRING,
                    "Lemma of the head of that preposition's object, with its compound.",
                    False,
                ),
                SUPPORT,
            ),
        ),
        NodeType(
            "Tool",
            "A thing with which steps are done.",
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
            "An attribute of entities that can change, such as temperature.",
            "lemma of the head, with its compound; names that mean the same have the key of the leading name",
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
                Property("before", _STRING, "The value before the event; absent if it is unknown.", False),
                Property("after", _STRING, "The value after the event."),
                SUPPORT,
            ),
        ),
        NodeType(
            "Source",
            "A text that was read.",
            "SHA-256 of its content",
            (
                Property("name", _STRING, "Where it came from, for people."),
                Property("digest", _STRING, "SHA-256 of its content.", pattern=_SHA_256),
                Property("title", _STRING, "Its title, if it has one.", False),
                Property("scenario_label", _STRING, "The scenario label in the source itself.", False),
                Property("format", _STRING, "The format of the source."),
                _count("characters", "Length of its text in Unicode code points."),
                Property("url", _STRING, "The canonical address of the page, if it names one.", False),
                Property("licence", _STRING, "Licence of its text, an IRI or words, if it names one.", False),
                Property("generated", _BOOLEAN, "True for what says of itself that a language model wrote it.", False),
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
                    "paragraph, step, needs, section, script, abstract, concrete, segment, sentence or mention.",
                    values=tuple(PassageKind),
                ),
                _count("start", "First character, in Unicode code points from 0."),
                Property("end", _INTEGER, "The character after the last."),
                Property("text", _STRING, "The text itself."),
                Property("source", _NODE, "The source to which it belongs.", node_type="Source"),
                Property(
                    "quantities",
                    _STRINGS,
                    "Of a mention, how much or how many of its participants and tools: the words and the thing "
                    '("2 tbsp oil"); absent if none.',
                    False,
                ),
                Property(
                    "sizes",
                    _STRINGS,
                    'Of a mention, the sizes of its tools and participants ("23 cm tin"); absent if none.',
                    False,
                ),
                Property(
                    "durations",
                    _STRINGS,
                    'Of a mention, how long the event takes, as written ("20 to 25 minutes"); absent if none.',
                    False,
                ),
            ),
        ),
        NodeType(
            "ChangeInstance",
            "A state change in one text, brought about by one step of the text.",
            "passage and state change",
            (
                Property("source", _NODE, "The source that it was read in.", node_type="Source"),
                _count(
                    "step",
                    "Number of the step of the text that brings it about, or of the sentence if the text has no "
                    "steps; 0 before the first.",
                ),
                Property("presupposed", _BOOLEAN, "Whether the text does not mention the entity up to this step."),
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
            "A reader of text: a trained model or a set of rules.",
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
                    "share (from 0 to 1), nats, words or words/s; percent in graphs of older versions.",
                    values=("percent", "share", "nats", "words", "words/s"),
                ),
                Property("direction", _STRING, "Which is better: higher or lower.", values=tuple(Direction)),
                Property(
                    "exposure",
                    _STRING,
                    "unseen, development: rules were written or settings chosen in view of this data, or unknown: a "
                    "language model may have read it in pretraining.",
                    values=tuple(Exposure),
                ),
            ),
        ),
        NodeType(
            "Correction",
            "A correction by a person; of several corrections of the same thing, the latest is applied.",
            "its scenario, and the words of the steps, things or texts that it corrects",
            (
                LABEL,
                Property(
                    "kind",
                    _STRING,
                    "reject, rename, same step, different step, same thing, tool role, add or about.",
                    values=(
                        *("reject", "rename", "same step", "different step", "same thing", "tool role"),
                        *("add", "about"),
                    ),
                ),
                Property("author", _STRING, "Who corrected it."),
                Property(
                    "time",
                    _STRING,
                    "When, in UTC (ISO 8601).",
                    pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T.*Z$",
                ),
                Property("applied", _BOOLEAN, "Whether it changes something in this graph."),
                Property("content", _STRING, "The correction as a line of a file of corrections (JSON)."),
            ),
        ),
        *installed_node_types(),
    )
}

_LEVEL = Property(
    "level",
    _STRING,
    "How sure it is that this changes: certain, which can be planned with, or likely.",
    values=tuple(Level),
)
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
    "Log probability, in nats, of the best alignment that supports it; absent if there is none.",
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
                _share(
                    "mean_position",
                    "Mean relative position in the sources: 0 first, 1 last; of a step that no source mentions, the "
                    "place that its orders give it, or 1.",
                ),
                _count(
                    "rank",
                    "Place among the scenario's steps, from 1: a reading order. It agrees with PRECEDES; where that "
                    "leaves the order open, it follows what most sources tell.",
                    1,
                ),
                Property(
                    "essential",
                    _BOOLEAN,
                    "Whether the scenario is likely not done without it; such a step is usual and not optional.",
                ),
                _share("essential_probability", "Estimated probability that it is essential, 0 to 1.", False),
                Property(
                    "optional",
                    _BOOLEAN,
                    "Whether it is likely a step that is often left out, or no part of the scenario.",
                ),
                _share(
                    "typicality",
                    "Estimated probability that it belongs to the script of the scenario, 0 to 1.",
                    False,
                ),
                Property(
                    "usual",
                    _BOOLEAN,
                    "Whether its typicality is 0.62 or more or unknown, or at least 3 sources and 40 % of them tell "
                    "it, or it is essential, or a person added it.",
                ),
                _count(
                    "salience_rank",
                    "Place among the scenario's steps by importance, from 1. Steps that a person added come first, "
                    "then those that at least 3 sources and 40 % of them tell and essential ones, then other usual "
                    "steps, each ordered by "
                    "the number of sources that use the words of the label, by typicality, and by how specific the "
                    "label is.",
                    1,
                ),
            ),
        ),
        RelationType(
            "DECOMPOSES_INTO",
            "The concrete step is a part of doing the abstract one; the probability is the share of the abstract "
            "step's decomposed mentions that contain it.",
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
            "The step precedes the other; the probability is the share of the sources with both that have this order."
            " Steps that no path of PRECEDES joins can be done in any order, as far as the sources tell.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            (
                *KNOWLEDGE,
                _share(
                    "lower", "Lower end of the 95 % interval of the probability (Wilson), given the number of sources."
                ),
                Property(
                    "required",
                    _BOOLEAN,
                    "Whether the step must come first: the lower end is 0.7 or more, or 0.5 if both steps have a thing "
                    "in common, or a person gave the order.",
                ),
            ),
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
            "directly or in a step that they decompose into. A mention whose tool is inferred from a step before "
            "counts as 0.85 of a mention. For a predicted tool it is the probability of the model."
            " A thing into or onto which something is put is a participant with the role place instead.",
            Layer.KNOWLEDGE,
            (("SubEvent", "Tool"),),
            (
                *KNOWLEDGE,
                _PMI,
                _ALIGNED,
                _ROLE,
                Property("predicted", _BOOLEAN, "Whether a model predicts it and no text mentions it."),
                Property(
                    "inferred",
                    _BOOLEAN,
                    "Whether no text names it in this step, and it is inferred from a step before, where it is named: "
                    'the pan of "Heat the oil in a pan. Add the onions."',
                ),
            ),
        ),
        RelationType(
            "NEEDS",
            "The scenario needs this tool or supply: a list of a text declares it, or a usual step uses it or uses it "
            "up; the probability is the share of the scenario's sources that declare or use it.",
            Layer.KNOWLEDGE,
            (("Scenario", "Tool"), ("Scenario", "Entity")),
            (
                *KNOWLEDGE,
                _count("declared", "Number of sources in which a list declares it."),
                _count("used", "Number of sources in which a usual step uses it or uses it up."),
                Property(
                    "role",
                    _STRING,
                    "Of a tool its most frequent role: instrument, container, appliance or support; absent for a "
                    "supply.",
                    False,
                    values=tuple(ToolRole),
                ),
                Property(
                    "amount",
                    _STRING,
                    "How much or how large, as most lists write it, with its unit; absent if none says it.",
                    False,
                ),
                Property(
                    "instead",
                    _STRING,
                    'Things each of which does as well, with "; " between them; absent if no list names one.',
                    False,
                ),
                Property("optional", _BOOLEAN, "Whether all lists say that one may do without it; else absent.", False),
                Property(
                    "usual",
                    _BOOLEAN,
                    "Whether at least two sources and a twentieth of all name it (a source that declares it counts "
                    "twice), the scenario has at most two sources, or a person added it.",
                ),
            ),
        ),
        RelationType(
            "ALTERNATIVE_TO",
            "One of the two steps is done instead of the other (go by bus, go by car). The relation is symmetric and "
            "stored once; the probability is the share of the sources with one of them that do not have both.",
            Layer.KNOWLEDGE,
            (("SubEvent", "SubEvent"),),
            KNOWLEDGE,
            symmetric=True,
        ),
        RelationType(
            "CLOSE_MATCH",
            "The same step of another scenario (pay). The relation is symmetric and stored once; the probability is "
            "the share of their mentions that are expressed as the same actions.",
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
            "The other tool is of a more general kind: the head of the compound (cake pan, pan). The other attribute "
            "is more general (length, size).",
            Layer.KNOWLEDGE,
            (("Tool", "Tool"), ("Attribute", "Attribute")),
        ),
        RelationType(
            "CHANGES",
            "The step brings about this change; the probability is the share of the step's mentions that show it, the "
            "level the highest of these.",
            Layer.KNOWLEDGE,
            (("SubEvent", "StateChange"),),
            (*KNOWLEDGE, _PMI, _LEVEL),
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
            "The model read or predicted it.",
            Layer.EVIDENCE,
            (("Statement", "Model"),),
            (_share("score", "The model's highest confidence over the evidence, 0 to 1."),),
        ),
        RelationType(
            "CORRECTED_BY",
            "A correction changed it: a step that was added, renamed, merged or split, or one of its relations; a tool"
            " or an entity with several names; a scenario with a rejected step; a text whose scenario was given. A"
            " statement that a correction added may have no other evidence.",
            Layer.EVIDENCE,
            (
                ("Scenario", "Correction"),
                ("SubEvent", "Correction"),
                ("Tool", "Correction"),
                ("Entity", "Correction"),
                ("Source", "Correction"),
                ("Statement", "Correction"),
            ),
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
            "The text is about this scenario. A segment is about each scenario of its label, a source about the "
            "scenarios of all its segments, and a mention about the scenario that its action names as a whole.",
            Layer.INSTANCE,
            (("Source", "Scenario"), ("Passage", "Scenario")),
            (
                _share(
                    "confidence",
                    "The reader's confidence that the text is about it, 0 to 1; 1 if the source has this label.",
                ),
            ),
        ),
        RelationType(
            "REALIZES",
            "The passage mentions this step. A passage of several scenarios can mention a step of each.",
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
                _share("probability", "Probability that the passage brings about the change."),
                _LEVEL,
            ),
        ),
        RelationType(
            "INSTANCE_OF",
            "The state change as a type, independent of the text.",
            Layer.INSTANCE,
            (("ChangeInstance", "StateChange"),),
            at_least=1,
            at_most=1,
        ),
        RelationType(
            "PERSISTS_TO",
            "The changed state holds until the next change of the same attribute of the entity in this text: the "
            "value after this change agrees with the value before the next.",
            Layer.INSTANCE,
            (("ChangeInstance", "ChangeInstance"),),
        ),
        RelationType(
            "CONTRADICTS",
            "The next change of the same attribute of the entity in this text does not fit: its value before agrees "
            "with no value after the last step that changed the attribute.",
            Layer.INSTANCE,
            (("ChangeInstance", "ChangeInstance"),),
        ),
        *installed_relation_types(),
    )
}
