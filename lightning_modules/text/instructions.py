"""Instructions generated from a word list, with their trees: treebanks have few imperatives of the household kind."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from importlib import resources

from kgscripts.text.conllu import Sentence
from lightning_modules.text.trees import Node, capitalised, title_cased, to_sentence

_IMPERATIVE = "Mood=Imp|VerbForm=Fin"
_INFINITIVE = "VerbForm=Inf"
_ADVERBS = ("carefully", "gently", "slowly", "thoroughly", "well", "evenly", "lightly", "together", "again", "quickly")
_ADJECTIVES = (
    "large",
    "small",
    "clean",
    "hot",
    "warm",
    "cold",
    "dry",
    "wet",
    "new",
    "old",
    "sharp",
    "remaining",
    "fresh",
)
_CONNECTIVES = ("then", "next", "now", "finally", "first", "afterwards", "carefully", "slowly", "gently", "also")
_STATES = ("ready", "dry", "clean", "soft", "cool", "hot", "smooth", "done", "full", "tender", "empty")
_UNITS = ("cup", "tablespoon", "teaspoon", "ounce", "pound", "piece", "pair", "box", "can", "bottle", "gallon")
_MINUTES = ("two", "three", "five", "ten", "fifteen", "twenty", "thirty")

Lexicon = dict[str, dict[str, list[str]]]


def read_lexicon() -> Lexicon:
    """The word lists by domain."""
    text = resources.files(__package__).joinpath("imperatives.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


class InstructionWriter:
    """Writes random instructions; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._lexicon = read_lexicon()
        self._domain: dict[str, list[str]] = {}

    def sentences(self, count: int) -> Iterator[Sentence]:
        """`count` sentences, some nine in ten of them imperative, with and without capital and full stop."""
        for number in range(count):
            if number % 8 == 0:
                self._domain = self._rng.choice(list(self._lexicon.values()))
            build: Callable[[], Node] = self._rng.choices(
                [self._instruction, self._after_clause, self._purpose_first, self._nominal, self._how_to],
                weights=[74, 8, 5, 9, 4],
            )[0]
            root = build()
            if self._rng.random() < 0.75:
                root.after.append(_punctuation("!" if self._rng.random() < 0.04 else "."))
            sentence = to_sentence(root)
            if self._chance(0.05):
                yield title_cased(sentence)
            else:
                yield sentence if self._chance(0.12) else capitalised(sentence)

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _pick(self, kind: str) -> str:
        return self._rng.choice(self._domain[kind])

    def _instruction(self) -> Node:
        root = self._clause("root", _IMPERATIVE)
        if self._chance(0.1):
            negation = Node("not", "PART", "RB", "advmod", feats="Polarity=Neg")
            if self._chance(0.6):
                negation.form, negation.lemma = "n't", "not"
            root.before = [Node("do", "AUX", "VB", "aux", feats=_IMPERATIVE), negation, *root.before]
        elif self._chance(0.14):
            connective = Node(self._rng.choice(_CONNECTIVES), "ADV", "RB", "advmod", feats="")
            root.before.insert(0, connective)
            if self._chance(0.45):
                root.before.insert(1, _punctuation(","))
        return root

    def _clause(self, deprel: str, feats: str, *, simple: bool = False) -> Node:
        """A verb with its object and what follows, perhaps coordinated."""
        verb, _, particle = self._pick("verbs").partition("_")
        node = Node(verb, "VERB", "VB", deprel, feats=feats)
        particles = [Node(particle, "ADP", "RP", "compound:prt", feats="")] if particle else []
        if particles and particle == "for":
            particles = []
            node.form = "hold"
        if not simple and not particles and self._chance(0.1):
            second = Node(self._pick("verbs").partition("_")[0], "VERB", "VB", "conj", feats=feats)
            second.before.append(_coordinator("and"))
            node.after.append(second)
        if self._chance(0.05):
            obj = Node("it", "PRON", "PRP", "obj", feats="Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs")
            if self._chance(0.5):
                obj = Node("them", "PRON", "PRP", "obj", "they", "Case=Acc|Number=Plur|Person=3|PronType=Prs")
            node.after += [obj, *particles]
        else:
            node.after += [*particles, self._objects()] if self._chance(0.6) else [self._objects(), *particles]
        for share in (0.38, 0.08):
            if self._chance(share):
                node.after.append(self._place())
        if not simple:
            self._adjuncts(node, feats)
        return node

    def _adjuncts(self, node: Node, feats: str) -> None:
        if self._chance(0.14):
            node.after.append(self._phrase("with", self._noun(self._pick("tools")), "obl"))
        if self._chance(0.08):
            node.after.append(Node(self._rng.choice(_ADVERBS), "ADV", "RB", "advmod", feats=""))
        if self._chance(0.06):
            minutes = Node("minutes", "NOUN", "NNS", "obl", "minute")
            minutes.before = [
                Node("for", "ADP", "IN", "case", feats=""),
                Node(self._rng.choice(_MINUTES), "NUM", "CD", "nummod"),
            ]
            node.after.append(minutes)
        if self._chance(0.08):
            node.after.append(self._state_clause(self._rng.choice(("until", "when", "if", "before", "while"))))
        if self._chance(0.06):
            purpose = self._clause("advcl", _INFINITIVE, simple=True)
            purpose.before.insert(0, Node("to", "PART", "TO", "mark", feats=""))
            node.after.append(purpose)
        if self._chance(0.2):
            second = self._clause("conj", feats, simple=True)
            if self._chance(0.3):
                second.before.append(Node("then", "ADV", "RB", "advmod", feats="PronType=Dem"))
            second.before.insert(0, _coordinator("and"))
            if self._chance(0.3):
                second.before.insert(0, _punctuation(","))
            if self._chance(0.25):
                middle = self._clause("conj", feats, simple=True)
                middle.before.insert(0, _punctuation(","))
                node.after.append(middle)
            node.after.append(second)

    def _after_clause(self) -> Node:
        """When the water is hot, add the pasta."""
        root = self._clause("root", _IMPERATIVE)
        clause = self._state_clause(self._rng.choice(("when", "once", "if", "after", "as")))
        root.before = [clause, _punctuation(","), *root.before]
        return root

    def _state_clause(self, word: str) -> Node:
        subject = self._noun_phrase("nsubj")
        plural = subject.xpos == "NNS"
        state = Node(self._rng.choice(_STATES), "ADJ", "JJ", "advcl")
        copula_feats = f"Mood=Ind|Number={'Plur' if plural else 'Sing'}|Person=3|Tense=Pres|VerbForm=Fin"
        copula = Node("are" if plural else "is", "AUX", "VBP" if plural else "VBZ", "cop", "be", copula_feats)
        if word == "when":
            marker = Node(word, "ADV", "WRB", "advmod", feats="PronType=Int")
        else:
            marker = Node(word, "SCONJ", "IN", "mark", feats="")
        state.before = [marker, subject, copula]
        return state

    def _purpose_first(self) -> Node:
        """To clean the pan, use a sponge."""
        root = self._clause("root", _IMPERATIVE)
        if self._chance(0.5):
            root = Node("use", "VERB", "VB", "root", feats=_IMPERATIVE)
            root.after.append(self._noun(self._pick("tools"), "obj"))
        purpose = self._clause("advcl", _INFINITIVE, simple=True)
        purpose.before.insert(0, Node("to", "PART", "TO", "mark", feats=""))
        if self._chance(0.5):
            root.before = [purpose, _punctuation(","), *root.before]
        else:
            root.after.append(purpose)
        return root

    def _nominal(self) -> Node:
        """A sentence or fragment that begins with a noun, so that not every first word becomes a verb."""
        if self._chance(0.5):
            root = self._state_clause("if")
            root.before.pop(0)
            root.deprel = "root"
            return root
        root = self._objects(bare=self._chance(0.6))
        root.deprel = "root"
        if self._chance(0.3):
            root.after.append(self._phrase("for", self._noun_phrase("nmod"), "nmod"))
        return root

    def _how_to(self) -> Node:
        """How to clean a pan."""
        root = Node("how", "ADV", "WRB", "root", feats="PronType=Int")
        clause = self._clause("acl", _INFINITIVE, simple=True)
        clause.before.insert(0, Node("to", "PART", "TO", "mark", feats=""))
        root.after.append(clause)
        return root

    def _objects(self, *, bare: bool = False) -> Node:
        first = self._noun_phrase("obj", bare=bare)
        if self._chance(0.14):
            last = self._noun_phrase("conj", bare=bare or self._chance(0.4))
            last.before.insert(0, _coordinator("or" if self._chance(0.15) else "and"))
            if self._chance(0.3):
                middle = self._noun_phrase("conj", bare=True)
                middle.before.insert(0, _punctuation(","))
                first.after.append(middle)
                if self._chance(0.6):
                    last.before.insert(0, _punctuation(","))
            first.after.append(last)
        elif self._chance(0.05):
            first.after.append(self._phrase("of", self._noun_phrase("nmod"), "nmod"))
        return first

    def _noun_phrase(self, deprel: str, *, bare: bool = False) -> Node:
        mass = self._chance(0.35)
        if mass and self._chance(0.2):
            return self._measure(deprel)
        return self._noun(self._pick("mass" if mass else "count"), deprel, mass=mass, bare=bare)

    def _measure(self, deprel: str) -> Node:
        """Two cups of flour, 1 teaspoon salt."""
        unit = self._rng.choice(_UNITS)
        if self._chance(0.6):
            number = Node(str(self._rng.randint(1, 12)), "NUM", "CD", "nummod", feats="NumForm=Digit|NumType=Card")
        else:
            number = Node(self._rng.choice(("one", *_MINUTES)), "NUM", "CD", "nummod")
        if number.form in {"1", "one"}:
            node = Node(unit, "NOUN", "NN", deprel, before=[number])
        else:
            plural = unit + ("es" if unit.endswith("x") else "s")
            node = Node(plural, "NOUN", "NNS", deprel, unit, before=[number])
        node.after.append(self._phrase("of", self._noun(self._pick("mass"), mass=True, bare=True), "nmod"))
        return node

    def _noun(self, entry: str, deprel: str = "obl", *, mass: bool = False, bare: bool = False) -> Node:
        singular, _, plural = entry.partition(" ")
        is_plural = bool(plural) and self._chance(0.5)
        modifiers, base = _split_compound(singular)
        form = _split_compound(plural)[1] if is_plural else base
        noun = Node(form, "NOUN", "NNS" if is_plural else "NN", deprel, base)
        noun.before = modifiers
        if self._chance(0.12):
            noun.before.insert(0, Node(self._rng.choice(_ADJECTIVES), "ADJ", "JJ", "amod"))
        if not bare and not ((mass or is_plural) and self._chance(0.3)):
            noun.before.insert(0, self._determiner(noun, allow_a=not mass and not is_plural))
        return noun

    def _determiner(self, noun: Node, *, allow_a: bool) -> Node:
        roll = self._rng.random()
        if allow_a and roll < 0.3:
            following = noun.before[0].form if noun.before else noun.form
            article = "an" if following[0] in "aeiou" else "a"
            return Node(article, "DET", "DT", "det", "a", "Definite=Ind|PronType=Art")
        if roll > 0.85:
            return Node("your", "PRON", "PRP$", "nmod:poss", feats="Case=Gen|Person=2|Poss=Yes|PronType=Prs")
        if roll > 0.8 and noun.xpos == "NNS":
            return Node(self._rng.choice(_MINUTES), "NUM", "CD", "nummod")
        if roll > 0.77:
            word = "all" if noun.xpos == "NNS" else "each" if allow_a else "some"
            return Node(word, "DET", "DT", "det", feats="PronType=Ind" if word == "some" else "PronType=Tot")
        return Node("the", "DET", "DT", "det", feats="Definite=Def|PronType=Art")

    def _place(self) -> Node:
        preposition, _, noun = self._pick("places").partition(" ")
        mass = noun in self._domain["mass"]
        return self._phrase(preposition, self._noun(noun, "obl", mass=mass), "obl")

    @staticmethod
    def _phrase(preposition: str, noun: Node, deprel: str) -> Node:
        noun.before.insert(0, Node(preposition, "ADP", "IN", "case", feats=""))
        noun.deprel = deprel
        return noun


def _split_compound(entry: str) -> tuple[list[Node], str]:
    *modifiers, base = entry.split("_")
    return [Node(word, "NOUN", "NN", "compound") for word in modifiers], base


def _coordinator(word: str) -> Node:
    return Node(word, "CCONJ", "CC", "cc", feats="")


def _punctuation(mark: str) -> Node:
    return Node(mark, "PUNCT", "." if mark in ".!" else ",", "punct", feats="")
