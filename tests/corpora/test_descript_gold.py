"""DeScript's gold paraphrase sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.corpora.grouped_steps import read_paraphrase_sets
from schemas.errors import InputError

SETS = """<scripts>
<label type="PARAPHRASE" event="get_tree">
<item source="2" script="17" slot="1" total_slots="8" original=" Get a sapling. "></item>
<item source="2" script="3" slot="2" total_slots="11" original="Buy a tree"></item>
</label>
<label type="PARAPHRASE" event="water">
<item source="1" script="3" slot="4" total_slots="11" original="Water it"></item>
</label>
</scripts>
"""


def test_sets_of_descriptions(tmp_path: Path) -> None:
    for half in ("first", "second"):
        (tmp_path / half).mkdir()
        (tmp_path / half / "plant a tree.new.xml").write_text(SETS, encoding="utf-8")
    sets = read_paraphrase_sets(tmp_path)
    assert [(one.scenario, one.event, len(one.descriptions)) for one in sets[:2]] == [
        ("planting a tree", "get_tree", 2),
        ("planting a tree", "water", 1),
    ]
    first = sets[0].descriptions[0]
    assert (first.script, first.slot, first.steps, first.text) == ("2-17", 1, 8, "Get a sapling.")
    assert [len(one.descriptions) for one in sets] == [2, 1, 2, 1]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('event="water"', "", 6),
        ('slot="4"', 'slot="four"', 6),
        ('original="Water it"', "", 6),
        ('script="3" slot="4"', 'slot="4"', 6),
        ("</scripts>", "", 10),
        ("<scripts>", '<!DOCTYPE a [<!ENTITY b "c">]><scripts>', 1),
        ("label", "script", 1),
    ],
)
def test_malformed_sets_are_errors_with_file_and_line(tmp_path: Path, old: str, new: str, line: int) -> None:
    path = tmp_path / "planting a tree.new.xml"
    path.write_text(SETS.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_paraphrase_sets(path)
    assert raised.value.where == f"{path.name}:{line}"


def test_the_gold_standard_has_fifty_sequences_a_scenario(shared_corpora: Path) -> None:
    sequences: dict[str, set[tuple[str, str]]] = {}
    for one in read_paraphrase_sets(shared_corpora / "descript" / "gold_paraphrase_sets"):
        sequences.setdefault(one.scenario, set()).update((one.file, item.script) for item in one.descriptions)
    assert [len(found) for found in sequences.values()] == [50] * 7
