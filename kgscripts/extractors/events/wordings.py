"""The words of an action in an English order and with articles, as an instruction has them: "take the bag outside"."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from kgscripts.extractors.events.frames import UNTIL, Frame, letting
from kgscripts.extractors.events.nouns import PARTS, content_head, is_noun, noun_lemma, whole_of
from kgscripts.text.lexicon import word_list
from kgscripts.text.syntax import PrepositionalPhrase, is_passive, lemma, markers_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_BEHIND_OBJECT = word_list("particles behind an object", "adverbs of place")
"""Adverbs that stand behind any object but a long one; of a particle, the text says where it stands."""
_DETERMINERS = frozenset({"det", "det:predet", "predet", "nmod:poss", "poss", "nummod"})
_COMPLEMENTS = frozenset({"xcomp", "acomp", "oprd"})
_OTHER_CLAUSES = frozenset({"conj", "cc", "advcl", "parataxis", "punct", "discourse", "mark", "dep"})
_CLAUSAL = frozenset({"VERB", "AUX", "SCONJ"})
_OPENING = frozenset({"(", "["})
_MOST_WORDS = 13
_FEWEST_OF_CONDITION, _MOST_OF_CONDITION = 3, 10
_IF = word_list("if")
_TAIL = re.compile(r"[^\w)\]\"'”’»%°.…]+$|(?<!\.)\.$")
"""Signs that end no wording: commas, dashes, question marks, emoji."""
_ARROWS = frozenset({">", "→", "»"})
_QUOTES = frozenset("\"'“”‘’«»")
_YOUR = word_list("possessives of one who writes")
_ONE = word_list("determiners of one thing")
_NO_ARTICLE = word_list("determiners without article")
_VOWELS = frozenset("aeiou")
_SPOKEN_WITH_CONSONANT = ("uni", "use", "usu", "eu", "one", "once", "ute")
_SPOKEN_WITH_VOWEL = ("hour", "honest", "heir")
_PLURAL_ALONE = word_list("plurals")
_SINGULAR_ENDS = ("ss", "us", "is", "as")
_HISSING = ("s", "sh", "ch", "x", "z", "o")


def words_of(frame: Frame, noun: Token | None, pronoun: str) -> str:
    """The words of a frame with its object `noun` and without its phrases; `pronoun` is an object that is not resolved.

    Without an object, what does it stands before the verb if the text names it by a noun: "the police arrive".
    """
    verb = lemma(frame.verb)
    particle = frame.particle.lower_ if frame.particle is not None else ""
    state = _state(frame.verb)
    if noun is None:
        agent = None if pronoun else _agent(frame)
        if agent is None:
            lets = "let" if pronoun and letting(frame.verb) is not None else ""
            return _joined(lets, pronoun, verb, particle, state) if lets else _joined(verb, pronoun, particle, state)
        thing = noun_words(agent, frame.name_of(agent), mentioned_before=frame.acting is not None)
        return _joined(thing, verb if _agrees_as_plural(agent) else third_person(verb), particle, state)
    thing = noun_words(noun, frame.name_of(noun), mentioned_before=noun in frame.stands_for)
    if letting(frame.verb) is not None and noun.i < frame.verb.i:
        return _joined("let", thing, verb, particle, state)
    if particle and (particle in _BEHIND_OBJECT or _is_behind(frame, noun)):
        return _joined(verb, thing, particle, state)
    return _joined(verb, particle, thing, state)


def clause_of(frame: Frame, noun: Token | None, phrase: PrepositionalPhrase | None) -> str:
    """What the text itself says: the verb in its base form and the words behind it up to the end of its clause and of
    its `phrase`, with the noun that a pronoun stands for: "flip the stone to the 1000 side", and the condition of it:
    "use a spanner if it's tight". "" for what is let happen, done to several things or told of an agent, for the
    passive, and where the object stands behind another verb."""
    verb = frame.verb
    if letting(verb) is not None or is_passive(verb) or _agent(frame) is not None or len(frame.nouns()) > 1:
        return ""
    said, count, last = lemma(verb), 1, verb
    for child in verb.rights:
        tokens = list(child.subtree)
        count += len(tokens)
        is_quote = child.dep_ == "punct" and child.text in _QUOTES
        is_bound = child.dep_ == "advcl" and any(marker.lower_ in UNTIL for marker in markers_of(child))
        is_other = child.dep_ in _OTHER_CLAUSES and not is_quote and not is_bound
        if is_other or tokens[0].i != last.i + 1 or count > _MOST_WORDS:
            break
        if noun is not None and noun in frame.stands_for and child == frame.mention:
            said, last = f"{said} {noun_words(noun, frame.name_of(noun), mentioned_before=True)}", tokens[-1]
            continue
        for token in tokens:
            said += " " * (token.idx > last.idx + len(last)) + token.text
            last = token
    is_cut = last is verb or verb.doc[last.i + 1 : last.i + 2].text in _OPENING
    if noun is not None and noun not in frame.stands_for and noun.i > last.i and is_cut:
        # Parses take measures in parentheses for a clause of their own: "cut two 6 inch (15 cm) strips".
        ends = [token.i for token in (noun, *noun.rights)] + ([phrase.head.i] if phrase is not None else [])
        rest = verb.doc[last.i + 1 : max(ends) + 1]
        if rest.end - verb.i > _MOST_WORDS or any(token.pos_ in _CLAUSAL or token.is_sent_start for token in rest):
            return ""
        said, last = f"{said}{' ' * (rest.start_char > last.idx + len(last))}{rest.text}", rest[-1]
    said = _TAIL.sub("", said if last is not verb else f"{said}{_label_behind(verb)}")
    said = " ".join(filter(None, (said, _condition(verb))))
    return said if said.isprintable() else ""


def _label_behind(verb: Token) -> str:
    """The words with capital letters right behind a verb to which the parse gives no part in its clause, with a blank
    before them: " Allow" of "tap Allow", " Settings > Backup" of "open Settings > Backup"."""
    if verb.text.isupper():
        return ""
    tokens = list(takewhile(lambda token: token.text[0].isupper() or token.text in _ARROWS, verb.doc[verb.i + 1 :]))
    return f" {verb.doc[tokens[0].i : tokens[-1].i + 1].text}" if tokens and tokens[0].text[0].isupper() else ""


def _condition(verb: Token) -> str:
    """The clause that says under which condition something is done, "" without one: "if it's tight". It is that of the
    verb, or stands before the verbs that are coordinated with it."""
    above = verb
    while True:
        for child in above.children:
            # Only of the few that may be one, since a subtree can be as long as the text.
            if child.dep_ != "advcl" or _IF.isdisjoint(marker.lower_ for marker in markers_of(child)):
                continue
            clause = list(child.subtree)
            if _FEWEST_OF_CONDITION <= len(clause) <= _MOST_OF_CONDITION and (above is verb or child.i < above.i):
                said = _TAIL.sub("", verb.doc[clause[0].i : clause[-1].i + 1].text.strip(" ,;:"))
                return "" if clause[0].i <= verb.i <= clause[-1].i else f"{said[0].lower()}{said[1:]}"
        if above.dep_ != "conj" or above.head.i >= above.i:
            return ""
        above = above.head


def phrase_words(phrase: PrepositionalPhrase | None) -> str:
    """The words of the phrase of an action: "into the sink"; "" if it has none."""
    return _joined(phrase.preposition, noun_words(content_head(phrase.head))) if phrase else ""


def noun_words(noun: Token, name: str = "", *, mentioned_before: bool = False) -> str:
    """A noun by its `name` or lemma, as many as the text says, and its article: "an egg", "the dishes", "your hair".

    The owner of a thing is "your" if it is who tells or reads, else "the"; numbers and other modifiers are left out.
    """
    words = (name or noun_lemma(noun)).split()
    if _is_plural(noun):
        words[-1] = noun.lower_
    article = _article(noun)
    if mentioned_before and article in {"", "a"}:
        article = "the"
    if article == "a":
        article = "an" if _begins_with_vowel(words[0]) else "a"
    whole = whole_of(noun) if lemma(noun) in PARTS and not mentioned_before else None
    return _joined(article, *words, *(("of", noun_words(whole)) if whole is not None else ()))


def third_person(verb: str) -> str:
    """The third person singular of a verb, of its present tense: "arrives", "dries"."""
    if verb in {"be", "have"}:
        return {"be": "is", "have": "has"}[verb]
    if verb.endswith(_HISSING):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in _VOWELS else f"{verb}s"


def _agent(frame: Frame) -> Token | None:
    """The noun that is the active subject, before its verb; names of persons are none."""
    for agent in frame.agents:
        before = frame.mention_of(agent).i < frame.verb.i
        if agent.pos_ == "NOUN" and is_noun(agent) and before and not is_passive(frame.verb):
            return agent
    return None


def _state(verb: Token) -> str:
    """How a thing is then, in an adjective: "keep the dog calm", "let it get cold"; not "get a bowl big enough"."""
    own = (child for child in verb.rights if child.dep_ in _COMPLEMENTS and child.pos_ == "ADJ")
    return next((child.lower_ for child in own if not any(word.lower_ == "enough" for word in child.rights)), "")


def _article(noun: Token) -> str:
    before = [child for child in noun.lefts if child.dep_ in _DETERMINERS]
    words = {child.lower_ for child in before}
    if words & _YOUR:
        return "your"
    if words & _ONE and not _is_plural(noun):
        return "a"
    definite = [child for child in before if child.dep_ != "nummod" and child.lower_ not in _NO_ARTICLE | _ONE]
    return "the" if definite else ""


def _is_plural(noun: Token) -> bool:
    return noun.tag_ in {"NNS", "NNPS"} or noun.lower_ in _PLURAL_ALONE


def _agrees_as_plural(noun: Token) -> bool:
    """Whether a noun is plural, also if the tagger takes it for a singular: "paramedics"."""
    return _is_plural(noun) or (noun.lower_.endswith("s") and not noun.lower_.endswith(_SINGULAR_ENDS))


def _begins_with_vowel(word: str) -> bool:
    if word.startswith(_SPOKEN_WITH_CONSONANT):
        return False
    return word[0] in _VOWELS or word.startswith(_SPOKEN_WITH_VOWEL)


def _is_behind(frame: Frame, noun: Token) -> bool:
    """Whether the text has the particle behind the object: "take the towel off", "leave it on"."""
    return frame.particle is not None and frame.verb.i < frame.mention_of(noun).i < frame.particle.i


def _joined(*words: str) -> str:
    return " ".join(filter(None, words))
