"""Factuality of clauses: whether an event happens, or is negated, hypothetical, planned or merely mentioned.

Imperatives and clauses with "you should / must / need to / can" are instructions and count as factual; so does "had to"
in a story. Purposes ("went to buy milk") are planned. A relative clause is factual only after a comma ("the cake, which
I put in the oven") or in the narrator's past ("the pots I gave him"); without a comma, it only identifies the cake. A
past perfect is background, except after "when", "after", "once".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.extractors.realis.clauses import (
    asks,
    compares,
    continues_perfect,
    is_cleft,
    is_condition,
    is_continuation,
    is_denied_noun,
    is_had,
    is_let,
    is_main_clause,
    is_recent,
    marking_of,
    shares_auxiliaries,
    takes_time,
    tells_of_narrator,
)
from kgscripts.extractors.realis.digressions import digressions
from kgscripts.extractors.realis.narration import Narration, is_habitual_would, is_narrator, is_used_to
from kgscripts.extractors.realis.quotations import quoted_tokens
from kgscripts.extractors.realis.remoteness import is_denied, is_planned, is_remote, tells_far_past
from kgscripts.text.lexicon import is_tool, verbs
from kgscripts.text.syntax import (
    AUXILIARY,
    compound_lemma,
    is_imperative,
    is_negated,
    is_verb,
    markers_of,
    objects_of,
)
from schemas.records import DiscardReason

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SUPPOSING = frozenset({"would", "could", "might", "may", "'d", "’d"})
_INSTRUCTING = frozenset({"should", "must", "will", "shall", "ought", "'ll", "’ll", "can", "wo", "ca", "need"})
_CONDITIONS = frozenset({"if", "unless", "whether", "lest"})
_TEMPORAL = frozenset({"when", "after", "once", "as", "until", "till", "before", "whenever"})
_NOT_FACTUAL = frozenset({DiscardReason.HYPOTHETICAL, DiscardReason.PLANNED, DiscardReason.MENTIONED})
_NOMINAL = frozenset(
    {"nsubj", "nsubj:pass", "csubj", "csubj:pass", "csubj:outer", "obj", "iobj", "obl", "nmod", "acl", "dobj", "pobj"}
    | {"appos", "nsubjpass", "csubjpass", "pcomp", "vocative", "dislocated", "nsubj:outer"}
)
_KEEPING = frozenset({"keep", "prevent", "stop", "save", "discourage"})
_CERTAIN = frozenset({"sure", "certain"})
_REASONS = frozenset({"because", "since", "although", "though"})
_FINITE = frozenset({"VBD", "VBZ", "VBP"})
_PRESENT = frozenset({"VBZ", "VBP"})


class Factuality:
    """The factuality of the clauses of one document; the result for each verb is cached."""

    def __init__(self, doc: Doc, narration: Narration) -> None:
        self._narration = narration
        self._mentioned = quoted_tokens(doc) | (frozenset() if narration is Narration.HABIT else digressions(doc))
        self._reasons: dict[int, DiscardReason | None] = {}

    def reason(self, verb: Token) -> DiscardReason | None:
        """The reason why the event of `verb` is not factual; None for a factual event."""
        chain = [verb]
        while chain[-1].i not in self._reasons and chain[-1].head.i != chain[-1].i:
            chain.append(chain[-1].head)
        for token in reversed(chain):  # from the root down, without recursion: clauses can be deeply nested
            if token.i not in self._reasons:
                self._reasons[token.i] = self._judge(token)
        return self._reasons[verb.i]

    def _judge(self, token: Token) -> DiscardReason | None:
        if token.i in self._mentioned:
            return DiscardReason.MENTIONED
        governing = self._reasons.get(token.head.i) if token.head.i != token.i else None
        if not is_verb(token):
            # Nouns and adjectives pass on the factuality of the clause that contains them.
            return self._own(token) or governing
        return self._own(token) or self._of_clause(token, governing)

    def _own(self, verb: Token) -> DiscardReason | None:
        """The factuality expressed by the verb's own auxiliaries, negation and conjunction."""
        if is_negated(verb) or is_denied(verb) or any(is_denied_noun(noun) for noun in objects_of(verb, shared=False)):
            return DiscardReason.NEGATED
        if is_planned(verb):
            return DiscardReason.PLANNED
        if is_remote(verb, self._narration):
            return DiscardReason.MENTIONED
        markers = [marker.lower_ for marker in markers_of(verb)]
        if "without" in markers:
            return DiscardReason.NEGATED
        marking = marking_of(verb)
        if verb.tag_ == "VBG" and "against" in marking:
            return DiscardReason.NEGATED  # "decided against icing it"
        if verb.tag_ == "VBG" and "from" in marking and verb.head.lemma_ in _KEEPING:
            return DiscardReason.NEGATED  # "keep the bag from sliding"
        if (verb.tag_ == "VBG" and "instead" in marking) or {"rather", "than"} <= marking:
            return DiscardReason.MENTIONED
        conditional = verb.tag_ in _PRESENT and not is_imperative(verb) and any(map(is_condition, verb.lefts))
        if conditional and self._narration is not Narration.HABIT:
            return DiscardReason.HYPOTHETICAL
        if not _CONDITIONS.isdisjoint(markers) or compares(verb, markers):
            return DiscardReason.HYPOTHETICAL
        for child in verb.lefts:
            if child.dep_ not in AUXILIARY:
                continue
            word = child.lower_
            if self._narration is Narration.HABIT and is_habitual_would(child, verb):
                continue
            if word in _SUPPOSING and not is_had(child, verb):
                return DiscardReason.HYPOTHETICAL
            if word in _INSTRUCTING and not _addresses_reader(verb):
                return DiscardReason.HYPOTHETICAL if word in {"can", "ca", "should"} else DiscardReason.PLANNED
            if child.i == verb.sent.start and any(child.i < other.i for other in verb.lefts if other.dep_ == "nsubj"):
                # "Had the shop been open", "has anyone fed the fish".
                return DiscardReason.HYPOTHETICAL if child.lower_ == "had" else DiscardReason.MENTIONED
            if is_had(child, verb) and _TEMPORAL.isdisjoint(markers) and not is_recent(verb):
                return DiscardReason.MENTIONED
        return None

    def _of_clause(self, verb: Token, governing: DiscardReason | None) -> DiscardReason | None:
        """The factuality expressed by the relation of the clause to the rest of the sentence."""
        relation = verb.dep_
        if relation == "conj":
            return _of_conjunct(verb, governing)
        if verb.head.i == verb.i or relation in {"parataxis", "list", "dep"}:
            return DiscardReason.MENTIONED if asks(verb) else None
        if relation in {"xcomp", "ccomp"}:
            return self._of_complement(verb, governing)
        if relation == "advcl":
            return self._of_adverbial(verb, governing)
        if relation in {"acl:relcl", "relcl"}:
            if is_cleft(verb):
                return None
            if is_main_clause(verb):
                return governing if governing is DiscardReason.HYPOTHETICAL else None
            return governing if is_continuation(verb) or tells_of_narrator(verb) else DiscardReason.MENTIONED
        if relation == "acl" and verb.tag_ == "VBG" and marking_of(verb) <= {"by"}:
            return governing if governing in _NOT_FACTUAL else None
        if relation == "acl" and {"to", "for"} & marking_of(verb) and is_tool(compound_lemma(verb.head)):
            return _of_use(verb.head.head, governing)
        if relation in {"acl", "nmod", "obl"} and "to" in marking_of(verb):
            return governing if takes_time(verb.head.head) else DiscardReason.PLANNED
        if relation == "csubj" and "to" in marking_of(verb) and takes_time(verb.head):
            return governing
        return DiscardReason.MENTIONED if relation in _NOMINAL else governing

    def _of_complement(self, verb: Token, governing: DiscardReason | None) -> DiscardReason | None:
        governor, infinitive = verb.head, "to" in marking_of(verb)
        lemma = governor.lemma_.lower()
        if governor.pos_ == "ADJ" or lemma == "sure":
            if lemma in _CERTAIN or lemma == "able":
                return governing
            return governing or (DiscardReason.PLANNED if infinitive else DiscardReason.MENTIONED)
        if lemma == "stop" and infinitive:
            return governing
        if lemma == "help" and verb.tag_ == "VBG":
            return None  # "I couldn't help laughing"
        if lemma in verbs("negative") and (infinitive or verb.tag_ == "VBG"):
            return None if governing is DiscardReason.NEGATED else governing or DiscardReason.NEGATED
        if governing is not None and not (lemma == "need" and governing is DiscardReason.NEGATED):
            return governing
        if self._narration is Narration.HABIT and is_used_to(verb):
            return None
        if infinitive:
            return None if _binds(governor, lemma) or is_let(verb) else DiscardReason.PLANNED
        if lemma in verbs("perception") or lemma in verbs("binding") or verb.tag_ == "VBN":
            return None
        if verb.dep_ == "xcomp":
            return DiscardReason.PLANNED if lemma in verbs("planning") and lemma not in {"have", "feel"} else None
        if is_imperative(verb) and not any(True for _ in markers_of(verb)) and lemma not in verbs("reporting"):
            return None
        return None if _ensures(governor, lemma) else DiscardReason.MENTIONED

    def _of_adverbial(self, verb: Token, governing: DiscardReason | None) -> DiscardReason | None:
        marking = marking_of(verb)
        if {"instead", "rather", "than", "besides"} & marking:
            return DiscardReason.MENTIONED
        if verb.tag_ == "VBG" and not marking and verb.head.lemma_ in verbs("negative"):
            return governing or DiscardReason.NEGATED
        if "when" in marking and verb.tag_ == "VBD" and verb.head.head.lower_ == "about":
            return None  # "I was about to call when it hummed to life"
        if "to" in marking and takes_time(verb.head):
            return governing
        if "to" in marking and verb.head.lemma_ == "get" and _binds(verb.head, "get") and objects_of(verb.head):
            return governing
        if "to" in marking or "order" in marking:
            return _of_use(verb.head, governing)
        if "so" in marking and verb.tag_ in _FINITE:
            return None
        if "about" in marking and verb.tag_ == "VBG" and verb.head.lemma_ in verbs("reporting"):
            return governing or DiscardReason.PLANNED
        if "while" in marking and verb.tag_ in _FINITE and any(child.dep_ == "nsubj" for child in verb.lefts):
            return governing if governing is DiscardReason.HYPOTHETICAL else None
        if "for" in marking and verb.tag_ == "VBG":
            return governing if verb.head.lemma_ == "use" else DiscardReason.MENTIONED
        if _REASONS & marking and verb.tag_ in _FINITE:
            return None
        return governing if governing in _NOT_FACTUAL else None


def _of_use(governor: Token, governing: DiscardReason | None) -> DiscardReason | None:
    """ "Use (or take) a knife to cut the bread": the cutting is as factual as the use; other purposes are planned."""
    is_use = (
        governor.lemma_ == "use"
        or (governor.lemma_ in verbs("grasping") and is_imperative(governor))
        # "Continues to blink", where the parser analysed the infinitive as an adverbial.
        or (governor.lemma_ in verbs("auxiliary") and not objects_of(governor, shared=False))
    )
    return governing if is_use else governing or DiscardReason.PLANNED


def _addresses_reader(verb: Token) -> bool:
    """Whether the clause instructs: its subject is "you", it has none, or it is a passive ("should be peeled")."""
    while True:
        subjects = [child for child in verb.children if child.dep_.startswith(("nsubj", "expl"))]
        if subjects or verb.dep_ != "conj":
            break
        verb = verb.head
    return all(subject.lower_ in {"you", "u", "ya"} or "pass" in subject.dep_ for subject in subjects)


def _binds(governor: Token, lemma: str) -> bool:
    """Whether the infinitive after a verb is factual: after "had to", "you need to", "begin to", but not "go to"."""
    if lemma in {"have", "need", "get", "want", "go"}:
        if lemma == "have" and (governor.tag_ == "VBD" or governor.lower_ == "had"):
            return True
        if lemma == "get" and governor.tag_ in {"VBD", "VBN"}:
            # "Got to go" and "got me to sing", but not "got a knife to cut it".
            return all(thing.pos_ == "PRON" for thing in objects_of(governor, shared=False))
        imperative = is_imperative(governor)
        if lemma == "go" and governor.tag_ != "VBG":
            return False
        return _addresses_reader(governor) and not imperative and lemma != "get"
    return lemma in verbs("binding")


def _ensures(governor: Token, lemma: str) -> bool:
    """ "Make sure (that) you rinse it", "ensure that you rinse it"."""
    return lemma in {"ensure", "make"} and _addresses_reader(governor)


def _of_conjunct(verb: Token, governing: DiscardReason | None) -> DiscardReason | None:
    if shares_auxiliaries(verb) or continues_perfect(verb):
        return governing
    if governing is DiscardReason.PLANNED and verb.tag_ in _PRESENT and verb.head.tag_ in _PRESENT:
        return governing  # "the plan was that Dan brings the charcoal and I bring the meat"
    # A finite verb is not a conjunct of an infinitive: it continues the story.
    if verb.tag_ in _FINITE and verb.head.tag_ not in _FINITE:
        return None
    subjects = [child for child in verb.lefts if child.dep_.startswith("nsubj")]
    if subjects:
        if governing is DiscardReason.MENTIONED and verb.tag_ == verb.head.tag_ == "VBD" and tells_far_past(verb.head):
            return None if any(map(is_narrator, subjects)) else governing
        return governing if governing is DiscardReason.HYPOTHETICAL else None
    return governing if governing in _NOT_FACTUAL else None
