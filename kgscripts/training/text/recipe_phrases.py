"""The phrases of recipes with their trees: ingredients, vessels, heat, durations, and states after "until"."""

from __future__ import annotations

from kgscripts.training.text.noun_phrases import NounPhraseWriter
from kgscripts.training.text.trees import Node, coordinator, punctuation

_PARTICIPLE = "Tense=Past|VerbForm=Part"


class RecipePhraseWriter(NounPhraseWriter):
    """Writes random phrases with the words of ``recipes.toml``."""

    words = "recipes.toml"

    def until(self) -> Node:
        """Until golden; until the onions are soft; until the dough has doubled."""
        if self.chance(0.55):
            state = self.state("advcl")
            state.before.insert(0, Node("until", "SCONJ", "IN", "mark", feats=""))
            if self.chance(0.2):
                state.before.insert(
                    1, Node(self.rng.choice(("just", "very", "lightly")), "ADV", "RB", "advmod", feats="")
                )
            return state
        subject = self.noun_phrase("nsubj")
        plural = subject.xpos == "NNS"
        state = self.state("advcl")
        if state.xpos == "VBN":
            state.before.append(Node("are" if plural else "is", "AUX", "VBP" if plural else "VBZ", "aux:pass", "be"))
            subject.deprel = "nsubj:pass"
        else:
            state.before.insert(0, Node("are" if plural else "is", "AUX", "VBP" if plural else "VBZ", "cop", "be"))
        copula = next(child for child in state.before if child.lemma == "be")
        copula.feats = f"Mood=Ind|Number={'Plur' if plural else 'Sing'}|Person=3|Tense=Pres|VerbForm=Fin"
        state.before = [Node("until", "SCONJ", "IN", "mark", feats=""), subject, *state.before]
        return state

    def state(self, deprel: str) -> Node:
        word = self.pick("states")
        if word == "golden_brown":
            return Node("brown", "ADJ", "JJ", deprel, before=[Node("golden", "ADJ", "JJ", "amod")])
        base = dict(entry.split() for entry in self.shared["participles"]).get(word)
        if base:
            return Node(word, "VERB", "VBN", deprel, base, _PARTICIPLE)
        return Node(word, "ADJ", "JJ", deprel)

    def ingredients(self, longest: int = 5) -> Node:
        """The flour; the flour, sugar, eggs and salt; the chopped onion; 2 tablespoons of oil."""
        size = min(longest, self.rng.choices([1, 2, 3, 4, 5], weights=[64, 16, 10, 6, 4])[0])
        first = self.ingredient("obj", bare=False)
        comma = self.chance(0.15)
        for place in range(1, size):
            item = self.ingredient("conj", bare=self.chance(0.85))
            if place == size - 1:
                item.before.insert(0, coordinator("and"))
                if comma:
                    item.before.insert(0, punctuation(","))
            else:
                item.before.insert(0, punctuation(","))
            first.after.append(item)
        return first

    def ingredient(self, deprel: str, *, bare: bool) -> Node:
        node = self.noun_phrase(deprel, bare=bare)
        if self.chance(0.14) and node.upos == "NOUN":
            form, _, base = self.pick("participles").partition(" ")
            participle = Node(form, "VERB", "VBN", "amod", base, _PARTICIPLE)
            if self.chance(0.25):
                participle.before.append(Node(self.rng.choice(("freshly", "finely", "lightly")), "ADV", "RB", "advmod"))
            place = next((number for number, child in enumerate(node.before) if child.deprel == "compound"), None)
            node.before.insert(len(node.before) if place is None else place, participle)
        return node

    def vessel(self) -> Node:
        node = self.noun(self.pick("vessels"), "obl")
        if self.chance(0.2):
            form, _, base = self.rng.choice(("prepared prepare", "greased grease", "preheated preheat")).partition(" ")
            place = next((number for number, child in enumerate(node.before) if child.deprel == "compound"), None)
            participle = Node(form, "VERB", "VBN", "amod", base, _PARTICIPLE)
            node.before.insert(len(node.before) if place is None else place, participle)
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
            level = Node(self.rng.choice(("low", "high", "medium")), "ADJ", "JJ", "obl")
            return self.phrase("on", level, "obl")
        noun = Node("heat", "NOUN", "NN", "obl")
        level = Node(self.rng.choice(("medium", "low", "high", "gentle")), "ADJ", "JJ", "amod")
        if level.form == "medium" and self.chance(0.4):
            level = Node("high", "ADJ", "JJ", "amod")
            level.before = [Node("medium", "ADJ", "JJ", "amod"), Node("-", "PUNCT", "HYPH", "punct", feats="")]
        noun.before = [level]
        if self.chance(0.4):
            noun.before.insert(0, Node("a", "DET", "DT", "det", "a", "Definite=Ind|PronType=Art"))
        return self.phrase(self.rng.choice(("over", "over", "on")), noun, "obl")

    def degrees(self) -> Node:
        unit = self.rng.choice(("C", "degrees", "F", "°C"))
        tag = "NNS" if unit == "degrees" else "NN"
        node = Node(unit, "NOUN", tag, "obl", "degree" if unit == "degrees" else unit)
        node.before = [Node(str(self.rng.randrange(120, 460, 10)), "NUM", "CD", "nummod")]
        node.before[0].feats = "NumForm=Digit|NumType=Card"
        if self.chance(0.35):
            gas = Node("Gas", "NOUN", "NN", "appos", "gas")
            gas.before.append(Node("/", "PUNCT", ",", "punct", feats=""))
            if self.chance(0.3):
                gas = Node(
                    "mark", "NOUN", "NN", "appos", before=[*gas.before, Node("Gas", "NOUN", "NN", "compound", "gas")]
                )
            gas.after.append(
                Node(str(self.rng.randint(1, 9)), "NUM", "CD", "nummod", feats="NumForm=Digit|NumType=Card")
            )
            node.after.append(gas)
        return node

    def duration(self) -> Node:
        """For 10 minutes; for 10 to 15 minutes; for about 1 hour; 20 minutes."""
        number = self.rng.randint(1, 60)
        one = number == 1
        unit = self.rng.choice(("minute", "minute", "hour", "second"))
        node = Node(unit if one else unit + "s", "NOUN", "NN" if one else "NNS", "obl", unit)
        count = Node(str(number), "NUM", "CD", "nummod", feats="NumForm=Digit|NumType=Card")
        if self.chance(0.25) and not one:
            until = Node(str(number + 5), "NUM", "CD", "nmod", feats="NumForm=Digit|NumType=Card")
            until.before.append(Node("to", "ADP", "IN", "case", feats=""))
            count.after.append(until)
        elif self.chance(0.2):
            count.before.append(Node("about", "ADV", "RB", "advmod", feats=""))
        node.before = [count]
        if self.chance(0.15):
            node.before.insert(0, Node("another", "DET", "DT", "det", feats="PronType=Ind"))
        return self.phrase("for", node, "obl") if self.chance(0.75) else node

    def pronoun(self) -> Node:
        if self.chance(0.6):
            return Node("them", "PRON", "PRP", "obj", "they", "Case=Acc|Number=Plur|Person=3|PronType=Prs")
        return Node("it", "PRON", "PRP", "obj", feats="Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs")

    @staticmethod
    def the(noun: str, article: str, deprel: str = "obl") -> Node:
        definite = article == "the"
        feats = "Definite=Def|PronType=Art" if definite else "Definite=Ind|PronType=Art"
        return Node(noun, "NOUN", "NN", deprel, before=[Node(article, "DET", "DT", "det", article, feats)])
