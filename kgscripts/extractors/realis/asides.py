"""Whether a clause is part of what its text tells, or an aside: what others do, another time, a film, what is so in
general.

``data/asides.json`` has the weights of its features (`aside_features`) for a logistic regression,
which ``kgscripts train asides`` fits. It judges what the rules of `factuality` leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.extractors.fitted_weights import log_odds, shipped_weights
from kgscripts.extractors.realis.aside_features import AsideFeatures
from kgscripts.extractors.realis.narration import Narration, subjects_before

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

LEAST_SENTENCES = 3
"""What is an aside in a text of fewer sentences cannot be told."""
FILE = "asides.json"


class Asides:
    """The asides of one text."""

    def __init__(self, doc: Doc, narration: Narration) -> None:
        self._clauses = AsideFeatures(doc, narration)

    def features(self, verb: Token) -> dict[str, float] | None:
        """The features of a clause, None if it is not judged: commands have no subject, and short texts no asides."""
        if len(self._clauses.sentences) < LEAST_SENTENCES or not subjects_before(verb):
            return None
        return self._clauses.of(verb)

    def has(self, verb: Token) -> bool:
        """Whether the clause of a verb is sooner an aside."""
        values = self.features(verb)
        if values is None:
            return False
        return log_odds(values, shipped_weights(FILE)) > 0
