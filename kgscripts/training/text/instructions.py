"""Instructions generated from a word list, with their trees: treebanks have few imperatives of the household kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgscripts.text.conllu import Sentence
from kgscripts.training.text.noun_phrases import NounPhraseWriter
from kgscripts.training.text.trees import (
    IMPERATIVE,
    INFINITIVE,
    Node,
    adverb,
    capitalised,
    imperative,
    known,
    particle,
    title_cased,
    to_infinitive,
    to_sentence,
)

_SUBJECTS = (
    ("I", "Number=Sing|Person=1"),
    ("she", "Gender=Fem|Number=Sing|Person=3"),
    ("we", "Number=Plur|Person=1"),
    ("they", "Number=Plur|Person=3"),
)


class InstructionWriter(NounPhraseWriter):
    """Writes random instructions; the same seed writes the same ones."""

    def sentences(self, count: int) -> Iterator[Sentence]:
        """`count` sentences, some nine in ten of them imperative, with and without capital and full stop."""
        for number in range(count):
            if number % 8 == 0:
                self.domain = self.rng.choice(list(self.lexicon.values()))
            build: Callable[[], Node] = self.rng.choices(
                [self._instruction, self._after_clause, self._purpose_first, self._nominal, self._how_to, self._giving],
                weights=[70, 8, 5, 9, 4, 4],
            )[0]
            root = build()
            if self.chance(0.75):
                root.after.append(known("!" if self.chance(0.04) else "."))
            sentence = to_sentence(root)
            if self.chance(0.05):
                yield title_cased(sentence)
            else:
                yield sentence if self.chance(0.12) else capitalised(sentence)

    def _instruction(self) -> Node:
        root = self._clause("root", IMPERATIVE)
        if self.chance(0.1):
            negation = known("n't" if self.chance(0.6) else "not")
            root.before = [Node("do", "AUX", "VB", "aux", feats=IMPERATIVE), negation, *root.before]
        elif self.chance(0.14):
            root.before = [adverb(self.pick("connectives")), *self.perhaps(0.45, ","), *root.before]
        return root

    def _clause(self, deprel: str, feats: str, *, simple: bool = False) -> Node:
        """A verb with its object and what follows, perhaps coordinated."""
        verb, _, behind = self.pick("verbs").partition("_")
        node = Node(verb, "VERB", "VB", deprel, feats=feats)
        particles = [particle(behind)] if behind else []
        if not simple and not particles and self.chance(0.1):
            second = Node(self.pick("verbs").partition("_")[0], "VERB", "VB", "conj", feats=feats)
            second.before.append(known("and"))
            node.after.append(second)
        if self.chance(0.05):
            node.after += [known("them" if self.chance(0.5) else "it"), *particles]
        else:
            node.after += [*particles, self.objects()] if self.chance(0.6) else [self.objects(), *particles]
        node.after += self.perhaps(0.38, self.place)
        node.after += self.perhaps(0.08, self.place)
        if not simple:
            self._adjuncts(node, feats)
        return node

    def _adjuncts(self, node: Node, feats: str) -> None:
        if self.chance(0.14):
            node.after.append(self.phrase("with", self.noun(self.pick("tools")), "obl"))
        if self.chance(0.08):
            node.after.append(adverb(self.pick("adverbs")))
        if self.chance(0.06):
            number = Node(self.pick("numbers"), "NUM", "CD", "nummod")
            minutes = Node("minutes", "NOUN", "NNS", "obl", "minute", before=[number])
            node.after.append(self.phrase("for", minutes, "obl"))
        if self.chance(0.08):
            node.after.append(self.state_clause(self.rng.choice(("until", "when", "if", "before", "while"))))
        node.after += self.perhaps(0.06, self._purpose)
        if self.chance(0.2):
            second = self._clause("conj", feats, simple=True)
            second.before = [known("and"), *second.before, *self.perhaps(0.3, "then")]
            second.before = self.perhaps(0.3, ",") + second.before
            if self.chance(0.25):
                middle = self._clause("conj", feats, simple=True)
                middle.before.insert(0, known(","))
                node.after.append(middle)
            node.after.append(second)

    def _after_clause(self) -> Node:
        """When the water is hot, add the pasta."""
        root = self._clause("root", IMPERATIVE)
        clause = self.state_clause(self.rng.choice(("when", "once", "if", "after", "as")))
        root.before = [clause, known(","), *root.before]
        return root

    def _purpose_first(self) -> Node:
        """To clean the pan, use a sponge."""
        root = self._clause("root", IMPERATIVE)
        if self.chance(0.5):
            root = imperative("use", self.noun(self.pick("tools"), "obj"), deprel="root")
        purpose = self._purpose()
        if self.chance(0.5):
            root.before = [purpose, known(","), *root.before]
        else:
            root.after.append(purpose)
        return root

    def _purpose(self) -> Node:
        """To clean the pan."""
        return to_infinitive(self._clause("advcl", INFINITIVE, simple=True))

    def _nominal(self) -> Node:
        """A sentence or fragment that begins with a noun, so that not every first word becomes a verb."""
        if self.chance(0.5):
            root = self.state_clause("if")
            root.before.pop(0)
            root.deprel = "root"
            return root
        root = self.objects(bare=self.chance(0.6))
        root.deprel = "root"
        if self.chance(0.3):
            root.after.append(self.phrase("for", self.noun_phrase("nmod"), "nmod"))
        return root

    def _how_to(self) -> Node:
        """How to clean a pan."""
        root = known("how")
        root.after.append(to_infinitive(self._clause("acl", INFINITIVE, simple=True)))
        return root

    def _giving(self) -> Node:
        """Give the waiter a tip; I handed the driver my ticket."""
        base, past = self.pick("giving").split()
        if self.chance(0.6):
            root = imperative(base, deprel="root")
        else:
            root = Node(past, "VERB", "VBD", "root", base, "Mood=Ind|Tense=Past|VerbForm=Fin")
            form, feats = self.rng.choice(_SUBJECTS)
            root.before.append(Node(form, "PRON", "PRP", "nsubj", feats=f"Case=Nom|{feats}|PronType=Prs"))
        recipient = self.noun(self.pick("recipients"), "iobj")
        if self.chance(0.3):
            recipient = known("him")
        root.after = [recipient, self.noun_phrase("obj")]
        root.after += self.perhaps(0.2, self.place)
        return root
