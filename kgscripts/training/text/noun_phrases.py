"""Random noun phrases from the word lists, with their trees."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from importlib import resources

from kgscripts.training.text.trees import Node, adjective, digits, known

Lexicon = dict[str, dict[str, list[str]]]


def read_lexicon(file: str) -> Lexicon:
    """The word lists of a file of this folder, by domain."""
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return tomllib.loads(text)


class NounPhraseWriter:
    """Writes noun phrases of one domain at a time; the same seed writes the same ones."""

    words = "imperatives.toml"
    """The file with the words; those that all domains share are beside those of ``imperatives.toml``."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lexicon = read_lexicon(self.words)
        self.shared = read_lexicon(NounPhraseWriter.words)["shared"] | self.lexicon.pop("shared")
        self.domain: dict[str, list[str]] = {}

    def chance(self, share: float) -> bool:
        """True in a `share` of the calls."""
        return self.rng.random() < share

    def perhaps(self, share: float, build: str | Callable[[], Node]) -> list[Node]:
        """What is built, or a `known` word, in a `share` of the calls; otherwise nothing."""
        if not self.chance(share):
            return []
        return [known(build) if isinstance(build, str) else build()]

    def pick(self, kind: str) -> str:
        """A random entry of a list of the domain, such as verbs, count or mass nouns, places or tools, or of all."""
        return self.rng.choice(self.domain[kind] if kind in self.domain else self.shared[kind])

    def objects(self, *, bare: bool = False) -> Node:
        """A direct object, now and then of several nouns; `bare` ones have no determiner."""
        first = self.noun_phrase("obj", bare=bare)
        if self.chance(0.14):
            last = self.noun_phrase("conj", bare=bare or self.chance(0.4))
            last.before.insert(0, known("or" if self.chance(0.15) else "and"))
            if self.chance(0.3):
                middle = self.noun_phrase("conj", bare=True)
                middle.before.insert(0, known(","))
                first.after.append(middle)
                last.before = self.perhaps(0.6, ",") + last.before
            first.after.append(last)
        elif self.chance(0.05):
            first.after.append(self.phrase("of", self.noun_phrase("nmod"), "nmod"))
        return first

    def noun_phrase(self, deprel: str, *, bare: bool = False) -> Node:
        """A noun of the domain, or a measure of it."""
        mass = self.chance(0.35)
        if mass and self.chance(0.2):
            return self._measure(deprel)
        return self.noun(self.pick("mass" if mass else "count"), deprel, mass=mass, bare=bare)

    def _measure(self, deprel: str) -> Node:
        """Two cups of flour, 1 teaspoon salt."""
        unit = self.pick("units")
        if self.chance(0.6):
            number = digits(self.rng.randint(1, 12))
        else:
            number = Node(self.rng.choice(["one", *self.shared["numbers"]]), "NUM", "CD", "nummod")
        if number.form in {"1", "one"}:
            node = Node(unit, "NOUN", "NN", deprel, before=[number])
        else:
            plural = unit + ("es" if unit.endswith("x") else "s")
            node = Node(plural, "NOUN", "NNS", deprel, unit, before=[number])
        node.after.append(self.phrase("of", self.noun(self.pick("mass"), mass=True, bare=True), "nmod"))
        return node

    def noun(self, entry: str, deprel: str = "obl", *, mass: bool = False, bare: bool = False) -> Node:
        """The noun phrase of an entry ("rolling_pin rolling_pins") in one of its numbers."""
        singular, _, plural = entry.partition(" ")
        is_plural = bool(plural) and self.chance(0.5)
        modifiers, base = _split_compound(singular)
        form = _split_compound(plural)[1] if is_plural else base
        noun = Node(form, "NOUN", "NNS" if is_plural else "NN", deprel, base)
        noun.before = modifiers
        if self.chance(0.12):
            noun.before.insert(0, adjective(self.pick("adjectives")))
        if not bare and not ((mass or is_plural) and self.chance(0.3)):
            noun.before.insert(0, self._determiner(noun, allow_a=not mass and not is_plural))
        return noun

    def _determiner(self, noun: Node, *, allow_a: bool) -> Node:
        roll = self.rng.random()
        if allow_a and roll < 0.3:
            following = noun.before[0].form if noun.before else noun.form
            return known("an" if following[0] in "aeiou" else "a")
        if roll > 0.85:
            return known("your")
        if roll > 0.8 and noun.xpos == "NNS":
            return Node(self.pick("numbers"), "NUM", "CD", "nummod")
        if roll > 0.77:
            return known("all" if noun.xpos == "NNS" else "each" if allow_a else "some")
        return known("the")

    def place(self) -> Node:
        """A prepositional phrase of the domain."""
        preposition, _, noun = self.pick("places").partition(" ")
        mass = noun in self.domain["mass"]
        return self.phrase(preposition, self.noun(noun, "obl", mass=mass), "obl")

    def state(self, deprel: str) -> Node:
        """What a thing can be: hot, clean."""
        return adjective(self.pick("states"), deprel)

    def state_clause(self, word: str) -> Node:
        """When the water is hot; until the onions are chopped."""
        subject = self.noun_phrase("nsubj")
        state = self.state("advcl")
        copula = known("are" if subject.xpos == "NNS" else "is")
        if state.xpos == "VBN":
            subject.deprel, copula.deprel = "nsubj:pass", "aux:pass"
        state.before = [known(word), subject, copula, *state.before]
        return state

    @staticmethod
    def phrase(preposition: str, noun: Node, deprel: str) -> Node:
        """The noun phrase behind a preposition."""
        noun.before.insert(0, Node(preposition, "ADP", "IN", "case"))
        noun.deprel = deprel
        return noun


def _split_compound(entry: str) -> tuple[list[Node], str]:
    *modifiers, base = entry.split("_")
    return [Node(word, "NOUN", "NN", "compound") for word in modifiers], base
