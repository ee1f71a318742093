"""Which noun "it" and "them" stand for, where a simple rule knows."""

from __future__ import annotations

from spacy.tokens import Token


class Antecedents:
    """The nouns of a document that a pronoun may stand for; documents are read front to back."""

    def resolve(self, pronoun: Token) -> str | None:
        """Lemma of the noun that the pronoun stands for, or nothing where the rule does not know."""
        return None
