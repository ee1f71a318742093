"""The published figures of state changes: GPT-2 on OpenPI (Tandon et al., EMNLP 2020)."""

from __future__ import annotations

from collections.abc import Mapping

from kgscripts.evaluation.result import Role, System, shares

_F1: Mapping[str, Mapping[str, float]] = {
    "": {"exact": 0.043, "BLEU": 0.161, "ROUGE": 0.324},
    "seen topics": {"BLEU": 0.171},
    "unseen topics": {"BLEU": 0.157},
    "with image": {"exact": 0.051, "BLEU": 0.143, "ROUGE": 0.291},
    "without image": {"exact": 0.036, "BLEU": 0.134, "ROUGE": 0.282},
}
"""On the test split (Tables 4 and 5)."""

PUBLISHED = System(
    name="GPT-2",
    setting="test",
    role=Role.PUBLISHED,
    figures=[
        figure
        for part, values in _F1.items()
        for figure in shares({f"{metric} F1": value for metric, value in values.items()}, part)
    ],
    remark="Tandon et al. 2020, tables 4 and 5, on the test split of OpenPI; its errors, table 6, on dev.",
)

PUBLISHED_ERRORS = {
    "attribute": "826 (51 %)",
    "entity": "964 (59 %)",
    "adjective": "989 (41 %)",
    "relational_phrase": "456 (17 %)",
    "wrong": "1,622",
}
"""On the dev split, as the paper prints them (Table 6)."""
