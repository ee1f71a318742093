"""DeScript's gold paraphrase sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.reproductions.corpora.grouped_steps import paraphrase_texts
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
    texts = paraphrase_texts(tmp_path)
    told = [(text.document.name, [passage.start for passage in text.document.passages], text.groups) for text in texts]
    name = "plant a tree.new.xml"
    assert told[:3] == [
        (f"first/{name}#1-3", [0], [(0, "1")]),
        (f"first/{name}#2-17", [0], [(0, "0")]),
        (f"first/{name}#2-3", [0], [(0, "0")]),
    ]
    assert [text.annotation for text in texts] == [f"first/{name}"] * 3 + [f"second/{name}"] * 3
    assert {text.scenario for text in texts} == {"planting a tree"}
    assert texts[1].document.text == "Get a sapling."


def test_steps_of_unrelated_sets_have_no_group_and_steps_come_in_their_order(tmp_path: Path) -> None:
    sets = SETS.replace('source="1" script="3" slot="4"', 'source="2" script="3" slot="1"').replace(
        "get_tree", "UnrelEv"
    )
    (tmp_path / "planting a tree.xml").write_text(sets, encoding="utf-8")
    text = next(text for text in paraphrase_texts(tmp_path) if text.document.name.endswith("#2-3"))
    assert (text.document.text, text.groups) == ("Water it\nBuy a tree", [(0, "1")])


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
        paraphrase_texts(path)
    assert raised.value.where == f"{path.name}:{line}"


def test_the_gold_standard_has_fifty_sequences_a_scenario(shared_corpora: Path) -> None:
    sequences: dict[str, set[tuple[str, str]]] = {}
    for text in paraphrase_texts(shared_corpora / "descript" / "gold_paraphrase_sets"):
        sequences.setdefault(text.scenario, set()).add((text.annotation, text.document.name))
    assert [len(found) for found in sequences.values()] == [50] * 7
