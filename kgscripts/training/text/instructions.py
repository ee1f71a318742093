"""Instructions generated from a word list, with their trees: treebanks have few imperatives of the household kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgscripts.text.conllu import Sentence
from kgscripts.training.text.noun_phrases import NounPhraseWriter
from kgscripts.training.text.trees import Node, capitalised, coordinator, punctuation, title_cased, to_sentence

_IMPERATIVE = "Mood=Imp|VerbForm=Fin"
_INFINITIVE = "VerbForm=Inf"
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
                root.after.append(punctuation("!" if self.chance(0.04) else "."))
            sentence = to_sentence(root)
            if self.chance(0.05):
                yield title_cased(sentence)
            else:
                yield sentence if self.chance(0.12) else capitalised(sentence)

    def _instruction(self) -> Node:
        root = self._clause("root", _IMPERATIVE)
        if self.chance(0.1):
            negation = Node("not", "PART", "RB", "advmod", feats="Polarity=Neg")
            if self.chance(0.6):
                negation.form, negation.lemma = "n't", "not"
            root.before = [Node("do", "AUX", "VB", "aux", feats=_IMPERATIVE), negation, *root.before]
        elif self.chance(0.14):
            connective = Node(self.pick("connectives"), "ADV", "RB", "advmod", feats="")
            root.before.insert(0, connective)
            if self.chance(0.45):
                root.before.insert(1, punctuation(","))
        return root

    def _clause(self, deprel: str, feats: str, *, simple: bool = False) -> Node:
        """A verb with its object and what follows, perhaps coordinated."""
        verb, _, particle = self.pick("verbs").partition("_")
        node = Node(verb, "VERB", "VB", deprel, feats=feats)
        particles = [Node(particle, "ADP", "RP", "compound:prt", feats="")] if particle else []
        if not simple and not particles and self.chance(0.1):
            second = Node(self.pick("verbs").partition("_")[0], "VERB", "VB", "conj", feats=feats)
            second.before.append(coordinator("and"))
            node.after.append(second)
        if self.chance(0.05):
            obj = Node("it", "PRON", "PRP", "obj", feats="Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs")
            if self.chance(0.5):
                obj = Node("them", "PRON", "PRP", "obj", "they", "Case=Acc|Number=Plur|Person=3|PronType=Prs")
            node.after += [obj, *particles]
        else:
            node.after += [*particles, self.objects()] if self.chance(0.6) else [self.objects(), *particles]
        for share in (0.38, 0.08):
            if self.chance(share):
                node.after.append(self.place())
        if not simple:
            self._adjuncts(node, feats)
        return node

    def _adjuncts(self, node: Node, feats: str) -> None:
        if self.chance(0.14):
            node.after.append(self.phrase("with", self.noun(self.pick("tools")), "obl"))
        if self.chance(0.08):
            node.after.append(Node(self.pick("adverbs"), "ADV", "RB", "advmod", feats=""))
        if self.chance(0.06):
            minutes = Node("minutes", "NOUN", "NNS", "obl", "minute")
            minutes.before = [
                Node("for", "ADP", "IN", "case", feats=""),
                Node(self.pick("numbers"), "NUM", "CD", "nummod"),
            ]
            node.after.append(minutes)
        if self.chance(0.08):
            node.after.append(self._state_clause(self.rng.choice(("until", "when", "if", "before", "while"))))
        if self.chance(0.06):
            purpose = self._clause("advcl", _INFINITIVE, simple=True)
            purpose.before.insert(0, Node("to", "PART", "TO", "mark", feats=""))
            node.after.append(purpose)
        if self.chance(0.2):
            second = self._clause("conj", feats, simple=True)
            if self.chance(0.3):
                second.before.append(Node("then", "ADV", "RB", "advmod", feats="PronType=Dem"))
            second.before.insert(0, coordinator("and"))
            if self.chance(0.3):
                second.before.insert(0, punctuation(","))
            if self.chance(0.25):
                middle = self._clause("conj", feats, simple=True)
                middle.before.insert(0, punctuation(","))
                node.after.append(middle)
            node.after.append(second)

    def _after_clause(self) -> Node:
        """When the water is hot, add the pasta."""
        root = self._clause("root", _IMPERATIVE)
        clause = self._state_clause(self.rng.choice(("when", "once", "if", "after", "as")))
        root.before = [clause, punctuation(","), *root.before]
        return root

    def _state_clause(self, word: str) -> Node:
        subject = self.noun_phrase("nsubj")
        plural = subject.xpos == "NNS"
        state = Node(self.pick("states"), "ADJ", "JJ", "advcl")
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
        if self.chance(0.5):
            root = Node("use", "VERB", "VB", "root", feats=_IMPERATIVE)
            root.after.append(self.noun(self.pick("tools"), "obj"))
        purpose = self._clause("advcl", _INFINITIVE, simple=True)
        purpose.before.insert(0, Node("to", "PART", "TO", "mark", feats=""))
        if self.chance(0.5):
            root.before = [purpose, punctuation(","), *root.before]
        else:
            root.after.append(purpose)
        return root

    def _nominal(self) -> Node:
        """A sentence or fragment that begins with a noun, so that not every first word becomes a verb."""
        if self.chance(0.5):
            root = self._state_clause("if")
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
        root = Node("how", "ADV", "WRB", "root", feats="PronType=Int")
        clause = self._clause("acl", _INFINITIVE, simple=True)
        clause.before.insert(0, Node("to", "PART", "TO", "mark", feats=""))
        root.after.append(clause)
        return root

    def _giving(self) -> Node:
        """Give the waiter a tip; I handed the driver my ticket."""
        base, past = self.pick("giving").split()
        if self.chance(0.6):
            root = Node(base, "VERB", "VB", "root", feats=_IMPERATIVE)
        else:
            root = Node(past, "VERB", "VBD", "root", base, "Mood=Ind|Tense=Past|VerbForm=Fin")
            form, feats = self.rng.choice(_SUBJECTS)
            root.before.append(Node(form, "PRON", "PRP", "nsubj", feats=f"Case=Nom|{feats}|PronType=Prs"))
        recipient = self.noun(self.pick("recipients"), "iobj")
        if self.chance(0.3):
            recipient = Node(
                "him", "PRON", "PRP", "iobj", "he", "Case=Acc|Gender=Masc|Number=Sing|Person=3|PronType=Prs"
            )
        root.after = [recipient, self.noun_phrase("obj")]
        if self.chance(0.2):
            root.after.append(self.place())
        return root
