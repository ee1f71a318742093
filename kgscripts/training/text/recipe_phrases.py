"""The phrases of recipes with their trees: ingredients, vessels, heat, durations, and states after "until"."""

from __future__ import annotations

from kgscripts.training.text.noun_phrases import NounPhraseWriter
from kgscripts.training.text.trees import Node, adjective, adverb, digits, known


class RecipePhraseWriter(NounPhraseWriter):
    """Writes random phrases with the words of ``recipes.toml``."""

    words = "recipes.toml"

    def until(self) -> Node:
        """Until golden; until the onions are soft; until the dough has doubled."""
        if not self.chance(0.55):
            return self.state_clause("until")
        state = self.state("advcl")
        state.before.insert(0, known("until"))
        if self.chance(0.2):
            state.before.insert(1, adverb(self.rng.choice(("just", "very", "lightly"))))
        return state

    def state(self, deprel: str) -> Node:
        word = self.pick("states")
        if word == "golden_brown":
            return Node("brown", "ADJ", "JJ", deprel, before=[adjective("golden")])
        base = dict(entry.split() for entry in self.shared["participles"]).get(word)
        return _participle(word, base, deprel) if base else adjective(word, deprel)

    def ingredients(self, longest: int = 5) -> Node:
        """The flour; the flour, sugar, eggs and salt; the chopped onion; 2 tablespoons of oil."""
        size = min(longest, self.rng.choices([1, 2, 3, 4, 5], weights=[64, 16, 10, 6, 4])[0])
        first = self.ingredient("obj", bare=False)
        comma = self.chance(0.15)
        for place in range(1, size):
            item = self.ingredient("conj", bare=self.chance(0.85))
            is_last = place == size - 1
            if is_last:
                item.before.insert(0, known("and"))
            if comma or not is_last:
                item.before.insert(0, known(","))
            first.after.append(item)
        return first

    def ingredient(self, deprel: str, *, bare: bool) -> Node:
        node = self.noun_phrase(deprel, bare=bare)
        if self.chance(0.14) and node.upos == "NOUN":
            participle = _participle(*self.pick("participles").split())
            if self.chance(0.25):
                participle.before.append(adverb(self.rng.choice(("freshly", "finely", "lightly"))))
            _describe(node, participle)
        return node

    def vessel(self) -> Node:
        node = self.noun(self.pick("vessels"), "obl")
        if self.chance(0.2):
            done = self.rng.choice((("prepared", "prepare"), ("greased", "grease"), ("preheated", "preheat")))
            _describe(node, _participle(*done))
        if self.chance(0.1):
            contents = self.noun(self.pick("mass"), "nmod", mass=True, bare=True)
            node.after.append(self.phrase("of", contents, "nmod"))
        return node

    def heat(self) -> Node:
        """Over a medium heat; on high; over medium-high heat; at 180 C."""
        roll = self.rng.random()
        if roll < 0.2:
            return self.phrase("at", self.degrees(), "obl")
        if roll < 0.35:
            level = adjective(self.rng.choice(("low", "high", "medium")), "obl")
            return self.phrase("on", level, "obl")
        noun = Node("heat", "NOUN", "NN", "obl")
        level = adjective(self.rng.choice(("medium", "low", "high", "gentle")))
        if level.form == "medium" and self.chance(0.4):
            level = adjective("high")
            level.before = [adjective("medium"), known("-")]
        noun.before = [*self.perhaps(0.4, "a"), level]
        return self.phrase(self.rng.choice(("over", "over", "on")), noun, "obl")

    def degrees(self) -> Node:
        unit = self.rng.choice(("C", "degrees", "F", "°C"))
        tag = "NNS" if unit == "degrees" else "NN"
        node = Node(unit, "NOUN", tag, "obl", "degree" if unit == "degrees" else unit)
        node.before = [digits(self.rng.randrange(120, 460, 10))]
        if self.chance(0.35):
            gas = Node("Gas", "NOUN", "NN", "appos", "gas")
            if self.chance(0.3):
                gas.deprel = "compound"
                gas = Node("mark", "NOUN", "NN", "appos", before=[gas])
            gas.before.insert(0, known("/"))
            gas.after.append(digits(self.rng.randint(1, 9)))
            node.after.append(gas)
        return node

    def duration(self) -> Node:
        """For 10 minutes; for 10 to 15 minutes; for about 1 hour; 20 minutes."""
        number = self.rng.randint(1, 60)
        one = number == 1
        unit = self.rng.choice(("minute", "minute", "hour", "second"))
        node = Node(unit if one else unit + "s", "NOUN", "NN" if one else "NNS", "obl", unit)
        count = digits(number)
        if self.chance(0.25) and not one:
            count.after.append(self.phrase("to", digits(number + 5), "nmod"))
        elif self.chance(0.2):
            count.before.append(adverb("about"))
        node.before = [*self.perhaps(0.15, "another"), count]
        return self.phrase("for", node, "obl") if self.chance(0.75) else node

    def pronoun(self) -> Node:
        return known("them" if self.chance(0.6) else "it")

    @staticmethod
    def the(noun: str, article: str, deprel: str = "obl") -> Node:
        return Node(noun, "NOUN", "NN", deprel, before=[known(article)])


def _participle(form: str, base: str, deprel: str = "amod") -> Node:
    return Node(form, "VERB", "VBN", deprel, base, "Tense=Past|VerbForm=Part")


def _describe(noun: Node, participle: Node) -> None:
    """Put a participle before a noun and the nouns of its compound."""
    compounds = sum(child.deprel == "compound" for child in noun.before)
    noun.before.insert(len(noun.before) - compounds, participle)
