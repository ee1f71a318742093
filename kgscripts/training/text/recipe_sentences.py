"""Instructions of several actions as recipes have them, with their trees.

"In a large bowl, combine the flour, sugar and salt; cover and chill until firm." Treebanks have few of these: verbs in
coordinations that are nouns elsewhere ("cover and simmer", "; season with salt"), fronted phrases before an
imperative, lists of ingredients, states after "until", temperatures and durations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgscripts.text.conllu import Sentence
from kgscripts.training.text.recipe_phrases import RecipePhraseWriter
from kgscripts.training.text.trees import Node, capitalised, coordinator, punctuation, to_sentence

_IMPERATIVE = "Mood=Imp|VerbForm=Fin"
_INFINITIVE = "VerbForm=Inf"

Clause = Callable[[], Node]


class RecipeWriter(RecipePhraseWriter):
    """Writes random sentences of recipes and their like; the same seed writes the same ones."""

    def sentences(self, count: int) -> Iterator[Sentence]:
        """`count` sentences, most with a capital and a full stop."""
        for number in range(count):
            if number % 6 == 0:
                self.domain = self.lexicon["kitchen" if self.chance(0.75) else "household"]
            root = self._sentence()
            if self.chance(0.9):
                root.after.append(punctuation("."))
            sentence = to_sentence(root)
            yield sentence if self.chance(0.08) else capitalised(sentence)

    def _sentence(self) -> Node:
        """One to four actions, perhaps after a phrase or a clause that says where, when or what for."""
        size = self.rng.choices([1, 2, 3, 4], weights=[30, 38, 24, 8])[0]
        clauses = [self._clause() for _ in range(size)]
        root = clauses[0]
        root.deprel = "root"
        as_list = self.chance(0.75)
        for place, clause in enumerate(clauses[1:], start=1):
            self._join(clause, last=place == size - 1, as_list=as_list)
            root.after.append(clause)
        if self.chance(0.26):
            root.before = [*self._opening(), *root.before]
        elif self.chance(0.08):
            word = self.rng.choice(("Meanwhile", "then", "next", "finally", "gently", "carefully", "lightly"))
            adverb = Node(word.lower(), "ADV", "RB", "advmod", feats="")
            root.before = [adverb, *([punctuation(",")] if word == "Meanwhile" else []), *root.before]
        return root

    def _join(self, clause: Node, *, last: bool, as_list: bool) -> None:
        """Make a clause a conjunct of the first one, or a clause behind a semicolon."""
        if not as_list and self.chance(0.35):
            clause.deprel = "parataxis"
            clause.before.insert(0, Node(";", "PUNCT", ",", "punct", feats=""))
            return
        clause.deprel = "conj"
        then = Node("then", "ADV", "RB", "advmod", feats="PronType=Dem")
        if last and self.chance(0.85):
            if self.chance(0.2):
                clause.before.insert(0, then)
            clause.before.insert(0, coordinator("and" if self.chance(0.97) else "or"))
            if self.chance(0.22):
                clause.before.insert(0, punctuation(","))
            return
        if last:
            clause.before.insert(0, then)
        if not last or self.chance(0.7):
            clause.before.insert(0, punctuation(","))

    def _clause(self) -> Node:
        build: Clause = self.rng.choices(
            [self._with_object, self._bare, self._phrasal, self._into, self._idiom, self._letting, self._serving],
            weights=[44, 20, 10, 9, 8, 5, 4],
        )[0]
        return build()

    def _verb(self, kind: str) -> Node:
        return Node(self.pick(kind), "VERB", "VB", "conj", feats=_IMPERATIVE)

    def _with_object(self) -> Node:
        """Heat the oil in a pan over a medium heat until hot."""
        node = self._verb("verbs")
        node.after.append(self.ingredients() if self.chance(0.8) else self.pronoun())
        self._circumstances(node)
        return node

    def _bare(self) -> Node:
        """Simmer for 10 minutes; stir well; chill until firm."""
        node = self._verb("bare_verbs")
        if self.chance(0.16):
            second = self._verb("bare_verbs")
            second.before.append(coordinator("and"))
            node.after.append(second)
        if self.chance(0.15):
            node.after.append(Node(self.rng.choice(("well", "gently", "thoroughly")), "ADV", "RB", "advmod", feats=""))
        self._circumstances(node, share=0.7)
        return node

    def _phrasal(self) -> Node:
        """Stir in the cream; mix together the butter and sugar."""
        verb, _, particle = self.pick("phrasal").partition("_")
        node = Node(verb, "VERB", "VB", "conj", feats=_IMPERATIVE)
        word = (
            Node(particle, "ADV", "RB", "advmod", feats="")
            if particle in {"together", "aside"}
            else Node(particle, "ADP", "RP", "compound:prt", feats="")
        )
        node.after += [word, self.ingredients()]
        self._circumstances(node, share=0.35)
        return node

    def _into(self) -> Node:
        """Pour over the apples; transfer to a plate; top with the cheese; season with salt and pepper."""
        verb, _, preposition = self.pick("directed").partition("_")
        node = Node(verb, "VERB", "VB", "conj", feats=_IMPERATIVE)
        thing = self.vessel() if preposition in {"into", "to", "onto", "from"} else self.ingredients()
        node.after.append(self.phrase(preposition, thing, "obl"))
        return node

    def _idiom(self) -> Node:
        """Set aside; bring to the boil; remove from the heat; reduce the heat to low."""
        kind = self.rng.randrange(5)
        if kind == 0:
            node = Node("set", "VERB", "VB", "conj", feats=_IMPERATIVE)
            if self.chance(0.3):
                node.after.append(self.ingredients())
            node.after.append(Node("aside", "ADV", "RB", "advmod", feats=""))
        elif kind == 1:
            node = Node("bring", "VERB", "VB", "conj", feats=_IMPERATIVE)
            if self.chance(0.45):
                node.after.append(self.ingredients())
            node.after.append(self.phrase("to", self.the("boil", self.rng.choice(("the", "a"))), "obl"))
        elif kind == 2:
            node = Node("remove", "VERB", "VB", "conj", feats=_IMPERATIVE)
            if self.chance(0.3):
                node.after.append(self.pronoun())
            bare = self.chance(0.4)
            noun = Node("heat", "NOUN", "NN", "obl") if bare else self.the("heat", "the")
            node.after.append(self.phrase("from", noun, "obl"))
        elif kind == 3:
            node = Node(self.rng.choice(("reduce", "turn")), "VERB", "VB", "conj", feats=_IMPERATIVE)
            if node.form == "turn":
                node.after.append(Node(self.rng.choice(("up", "down")), "ADP", "RP", "compound:prt", feats=""))
            node.after.append(self.the("heat", "the", "obj") if self.chance(0.7) else Node("heat", "NOUN", "NN", "obj"))
            level = Node(self.rng.choice(("low", "medium", "high")), "ADJ", "JJ", "obl")
            node.after.append(self.phrase("to", level, "obl"))
        else:
            node = Node("preheat", "VERB", "VB", "conj", feats=_IMPERATIVE)
            node.after += [self.the("oven", "the", "obj"), self.phrase("to", self.degrees(), "obl")]
        return node

    def _letting(self) -> Node:
        """Let the dough rise; allow to cool; leave to rest for an hour."""
        word = self.rng.choice(("let", "allow", "leave", "let"))
        node = Node(word, "VERB", "VB", "conj", feats=_IMPERATIVE)
        done = Node(self.pick("rest_verbs"), "VERB", "VB", "xcomp", feats=_INFINITIVE)
        if word != "let":
            done.before.append(Node("to", "PART", "TO", "mark", feats=""))
        if word == "let" or self.chance(0.5):
            node.after.append(self.ingredients(longest=1) if self.chance(0.75) else self.pronoun())
        node.after.append(done)
        if self.chance(0.5):
            done.after.append(self.duration())
        return node

    def _serving(self) -> Node:
        """Serve hot; serve immediately; serve with rice."""
        node = Node("serve", "VERB", "VB", "conj", feats=_IMPERATIVE)
        kind = self.rng.randrange(3)
        if kind == 0:
            node.after.append(Node(self.rng.choice(("hot", "warm", "cold", "chilled")), "ADJ", "JJ", "xcomp"))
        elif kind == 1:
            node.after.append(Node(self.rng.choice(("immediately", "separately")), "ADV", "RB", "advmod", feats=""))
        else:
            node.after.append(self.phrase("with", self.ingredients(longest=2), "obl"))
        return node

    def _circumstances(self, node: Node, *, share: float = 0.5) -> None:
        """Where, how hot, how long, until when, and what is done meanwhile."""
        if self.chance(share * 0.6):
            node.after.append(self.phrase(self.rng.choice(("in", "into", "in", "onto", "to")), self.vessel(), "obl"))
        if self.chance(share * 0.3):
            node.after.append(self.heat())
        if self.chance(share * 0.4):
            if self.chance(0.15):
                node.after.append(punctuation(","))
            node.after.append(self.duration())
        if self.chance(share * 0.55):
            if self.chance(0.25):
                node.after.append(punctuation(","))
            node.after.append(self.until())
        if self.chance(share * 0.12):
            manner = Node(self.rng.choice(("stirring", "shaking", "turning", "whisking")), "VERB", "VBG", "advcl")
            manner.lemma = {"stirring": "stir", "shaking": "shake", "turning": "turn", "whisking": "whisk"}[manner.form]
            manner.after.append(Node(self.rng.choice(("occasionally", "constantly", "once")), "ADV", "RB", "advmod"))
            node.after += [punctuation(","), manner]

    def _opening(self) -> list[Node]:
        """What stands before the first action, with its comma."""
        kind = self.rng.randrange(8)
        comma = [punctuation(",")] if self.chance(0.85) else []
        if kind <= 3:
            place = self.phrase("in", self.vessel(), "obl")
            if self.chance(0.25):
                return [place, *([punctuation(",")] if self.chance(0.4) else []), self.heat(), *comma]
            return [place, *comma]
        if kind == 4:
            purpose = Node(self.rng.choice(("make", "serve", "prepare")), "VERB", "VB", "advcl", feats=_INFINITIVE)
            purpose.before.append(Node("to", "PART", "TO", "mark", feats=""))
            if purpose.form != "serve":
                purpose.after.append(self.ingredients(longest=1))
            return [purpose, *comma]
        if kind == 5:
            return [
                self.phrase("for", self.the(self.rng.choice(("sauce", "icing", "topping", "filling")), "the"), "obl"),
                self.rng.choice((punctuation(","), Node(":", "PUNCT", ":", "punct", feats=""))),
            ]
        if kind == 6:
            state = self.state("advcl")
            marker = self.rng.choice(("once", "when"))
            word = Node(marker, "ADV", "WRB", "advmod", feats="PronType=Int")
            state.before.insert(0, word if marker == "when" else Node(marker, "SCONJ", "IN", "mark", feats=""))
            return [state, *comma]
        using = Node("using", "VERB", "VBG", "advcl", "use")
        using.after.append(self.noun(self.pick("tools"), "obj"))
        return [using, *comma]
