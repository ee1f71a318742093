"""Instructions of several actions as recipes have them, with their trees.

"In a large bowl, combine the flour, sugar and salt; cover and chill until firm." Treebanks have few of these: verbs in
coordinations that are nouns elsewhere ("cover and simmer", "; season with salt"), fronted phrases before an
imperative, lists of ingredients, states after "until", temperatures and durations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgscripts.text.conllu import Sentence
from kgscripts.training.text.recipe_phrases import RecipePhraseWriter
from kgscripts.training.text.trees import (
    INFINITIVE,
    Node,
    adjective,
    adverb,
    capitalised,
    imperative,
    known,
    particle,
    to_infinitive,
    to_sentence,
)

_MANNERS = (("stirring", "stir"), ("shaking", "shake"), ("turning", "turn"), ("whisking", "whisk"))


class RecipeWriter(RecipePhraseWriter):
    """Writes random sentences of recipes and their like; the same seed writes the same ones."""

    def sentences(self, count: int) -> Iterator[Sentence]:
        """`count` sentences, most with a capital and a full stop."""
        for number in range(count):
            if number % 6 == 0:
                self.domain = self.lexicon["kitchen" if self.chance(0.75) else "household"]
            root = self._sentence()
            if self.chance(0.9):
                root.after.append(known("."))
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
            comma = [known(",")] if word == "Meanwhile" else []
            root.before = [adverb(word.lower()), *comma, *root.before]
        return root

    def _join(self, clause: Node, *, last: bool, as_list: bool) -> None:
        """Make a clause a conjunct of the first one, or a clause behind a semicolon."""
        if not as_list and self.chance(0.35):
            clause.deprel = "parataxis"
            clause.before.insert(0, known(";"))
            return
        clause.deprel = "conj"
        if last and self.chance(0.85):
            then = self.perhaps(0.2, "then")
            conjunction = known("and" if self.chance(0.97) else "or")
            clause.before = [*self.perhaps(0.22, ","), conjunction, *then, *clause.before]
            return
        if last:
            clause.before.insert(0, known("then"))
        if not last or self.chance(0.7):
            clause.before.insert(0, known(","))

    def _clause(self) -> Node:
        build: Callable[[], Node] = self.rng.choices(
            [self._with_object, self._bare, self._phrasal, self._into, self._idiom, self._letting, self._serving],
            weights=[44, 20, 10, 9, 8, 5, 4],
        )[0]
        return build()

    def _with_object(self) -> Node:
        """Heat the oil in a pan over a medium heat until hot."""
        node = imperative(self.pick("verbs"))
        node.after.append(self.ingredients() if self.chance(0.8) else self.pronoun())
        self._circumstances(node)
        return node

    def _bare(self) -> Node:
        """Simmer for 10 minutes; stir well; chill until firm."""
        node = imperative(self.pick("bare_verbs"))
        if self.chance(0.16):
            second = imperative(self.pick("bare_verbs"))
            second.before.append(known("and"))
            node.after.append(second)
        if self.chance(0.15):
            node.after.append(adverb(self.rng.choice(("well", "gently", "thoroughly"))))
        self._circumstances(node, share=0.7)
        return node

    def _phrasal(self) -> Node:
        """Stir in the cream; mix together the butter and sugar."""
        verb, _, word = self.pick("phrasal").partition("_")
        node = imperative(verb, particle(word), self.ingredients())
        self._circumstances(node, share=0.35)
        return node

    def _into(self) -> Node:
        """Pour over the apples; transfer to a plate; top with the cheese; season with salt and pepper."""
        verb, _, preposition = self.pick("directed").partition("_")
        thing = self.vessel() if preposition in {"into", "to", "onto", "from"} else self.ingredients()
        return imperative(verb, self.phrase(preposition, thing, "obl"))

    def _idiom(self) -> Node:
        """Set aside; bring to the boil; remove from the heat; reduce the heat to low."""
        kind = self.rng.randrange(5)
        if kind == 0:
            return imperative("set", *self.perhaps(0.3, self.ingredients), adverb("aside"))
        if kind == 1:
            things = self.perhaps(0.45, self.ingredients)
            return imperative(
                "bring", *things, self.phrase("to", self.the("boil", self.rng.choice(("the", "a"))), "obl")
            )
        if kind == 2:
            things = self.perhaps(0.3, self.pronoun)
            noun = Node("heat", "NOUN", "NN", "obl") if self.chance(0.4) else self.the("heat", "the")
            return imperative("remove", *things, self.phrase("from", noun, "obl"))
        if kind == 3:
            node = imperative(self.rng.choice(("reduce", "turn")))
            if node.form == "turn":
                node.after.append(particle(self.rng.choice(("up", "down"))))
            node.after.append(self.the("heat", "the", "obj") if self.chance(0.7) else Node("heat", "NOUN", "NN", "obj"))
            level = adjective(self.rng.choice(("low", "medium", "high")), "obl")
            node.after.append(self.phrase("to", level, "obl"))
            return node
        return imperative("preheat", self.the("oven", "the", "obj"), self.phrase("to", self.degrees(), "obl"))

    def _letting(self) -> Node:
        """Let the dough rise; allow to cool; leave to rest for an hour."""
        word = self.rng.choice(("let", "allow", "leave", "let"))
        node = imperative(word)
        done = Node(self.pick("rest_verbs"), "VERB", "VB", "xcomp", feats=INFINITIVE)
        if word == "let" or self.chance(0.5):
            node.after.append(self.ingredients(longest=1) if self.chance(0.75) else self.pronoun())
        node.after.append(done if word == "let" else to_infinitive(done))
        done.after += self.perhaps(0.5, self.duration)
        return node

    def _serving(self) -> Node:
        """Serve hot; serve immediately; serve with rice."""
        kind = self.rng.randrange(3)
        if kind == 0:
            return imperative("serve", adjective(self.rng.choice(("hot", "warm", "cold", "chilled")), "xcomp"))
        if kind == 1:
            return imperative("serve", adverb(self.rng.choice(("immediately", "separately"))))
        return imperative("serve", self.phrase("with", self.ingredients(longest=2), "obl"))

    def _circumstances(self, node: Node, *, share: float = 0.5) -> None:
        """Where, how hot, how long, until when, and what is done meanwhile."""
        if self.chance(share * 0.6):
            node.after.append(self.phrase(self.rng.choice(("in", "into", "in", "onto", "to")), self.vessel(), "obl"))
        node.after += self.perhaps(share * 0.3, self.heat)
        if self.chance(share * 0.4):
            node.after += [*self.perhaps(0.15, ","), self.duration()]
        if self.chance(share * 0.55):
            node.after += [*self.perhaps(0.25, ","), self.until()]
        if self.chance(share * 0.12):
            form, lemma = self.rng.choice(_MANNERS)
            manner = Node(form, "VERB", "VBG", "advcl", lemma)
            manner.after.append(adverb(self.rng.choice(("occasionally", "constantly", "once"))))
            node.after += [known(","), manner]

    def _opening(self) -> list[Node]:
        """What stands before the first action, with its comma."""
        kind = self.rng.randrange(8)
        comma = self.perhaps(0.85, ",")
        if kind <= 3:
            place = self.phrase("in", self.vessel(), "obl")
            if self.chance(0.25):
                return [place, *self.perhaps(0.4, ","), self.heat(), *comma]
            return [place, *comma]
        if kind == 4:
            verb = self.rng.choice(("make", "serve", "prepare"))
            purpose = to_infinitive(Node(verb, "VERB", "VB", "advcl", feats=INFINITIVE))
            if verb != "serve":
                purpose.after.append(self.ingredients(longest=1))
            return [purpose, *comma]
        if kind == 5:
            dish = self.the(self.rng.choice(("sauce", "icing", "topping", "filling")), "the")
            return [self.phrase("for", dish, "obl"), known(self.rng.choice((",", ":")))]
        if kind == 6:
            state = self.state("advcl")
            state.before.insert(0, known(self.rng.choice(("once", "when"))))
            return [state, *comma]
        using = Node("using", "VERB", "VBG", "advcl", "use")
        using.after.append(self.noun(self.pick("tools"), "obj"))
        return [using, *comma]
