"""WebAnno TSV 3: layers, annotations of several tokens, stacked ones, sentences, and what is malformed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.scenarios.documents import read_scenario_documents
from schemas.errors import InputError
from schemas.scenario_documents import LabelledSegment, ScenarioDocument

HEAD = "#FORMAT=WebAnno TSV 3.2\n"
POS = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|coarseValue|PosValue\n"
SCENARIO = "#T_SP=webanno.custom.Scenario|label\n"
RELATION = "#T_RL=webanno.custom.Link|kind|BT_webanno.custom.Scenario\n"

EXPORT = (
    HEAD
    + POS
    + SCENARIO
    + RELATION
    + """\

#Text=I mixed the dough .
1-1\t0-1\tI\tPRON\tPRP\tbaking a cake[1]\t_\t_\t
1-2\t2-7\tmixed\tVERB\tVBD\tbaking a cake[1]\t_\t_\t
1-3\t8-11\tthe\tDET\tDT\tbaking a cake[1]\t_\t_\t
1-4\t12-17\tdough\tNOUN\tNN\tbaking a cake[1]\tuses\t2-1[1_0]\t
1-5\t18-19\t.\t_\t_\tbaking a cake[1]\t_\t_\t

#Text=Mum 😀 rang ; we cleaned up .
2-1\t20-23\tMum\t_\t_\tbake a cake[1]|Answering the phone[2]\t_\t_\t
2-2\t24-26\t😀\t_\t_\tbaking a cake[1]|answering the phone[2]\t_\t_\t
2-3\t27-31\trang\t_\t_\tbaking a cake[1]|answering the phone[2]\t_\t_\t
2-3.1\t27-30\tran\t_\t_\t_\t_\t_\t
2-4\t32-33\t;\t_\t_\t_\t_\t_\t
2-5\t34-36\twe\t_\t_\t_\t_\t_\t
2-6\t37-44\tcleaned\t_\t_\t_\t_\t_\t
2-7\t45-47\tup\t_\t_\t_\t_\t_\t
2-8\t48-49\t.\t_\t_\t_\t_\t_\t

#Text=Nothing more .
3-1\t51-58\tNothing\t_\t_\t_\t_\t_\t
3-2\t59-63\tmore\t_\t_\t*\t_\t_\t
3-3\t64-65\t.\t_\t_\tNone\t_\t_\t
"""
)


def _read(folder: Path, text: str, **options: str) -> ScenarioDocument:
    path = folder / "story.tsv"
    path.write_text(text, encoding="utf-8")
    (document,) = read_scenario_documents(path, **options)
    return document


def test_an_export_with_layers_stacked_annotations_and_characters_of_two_units(tmp_path: Path) -> None:
    document = _read(tmp_path, EXPORT)
    assert document.id == "story"
    assert document.sentences == ("I mixed the dough .", "Mum 😀 rang ; we cleaned up .", "Nothing more .")
    assert document.segments == (
        LabelledSegment(start=0, end=2, scenarios=("baking a cake",)),
        LabelledSegment(start=1, end=2, scenarios=("answering the phone",)),
    )


def test_annotations_of_the_same_sentences_are_one_segment_with_several_labels(tmp_path: Path) -> None:
    text = HEAD + SCENARIO + "\n#Text=It rang .\n1-1\t0-2\tIt\tmaking tea|answering the phone\t\n"
    text += "1-2\t3-7\trang\tmaking tea[3]\t\n1-3\t8-9\t.\t_\t\n"
    (segment,) = _read(tmp_path, text).segments
    assert set(segment.scenarios) == {"making tea", "answering the phone"}


def test_each_feature_is_a_label_unless_one_is_chosen(tmp_path: Path) -> None:
    layer = "#T_SP=webanno.custom.Script|first|second\n#T_SP=webanno.custom.Other|value\n"
    text = HEAD + layer + "\n#Text=Go\n1-1\t0-2\tGo\tmaking tea[1]\tmaking coffee[1]\tx\t\n"
    (segment,) = _read(tmp_path, text, layer="Script").segments
    assert set(segment.scenarios) == {"making tea", "making coffee"}
    (segment,) = _read(tmp_path, text, layer="webanno.custom.Script|second").segments
    assert segment.scenarios == ("making coffee",)
    with pytest.raises(InputError, match="which span layer has the scenarios"):
        _read(tmp_path, text)
    with pytest.raises(InputError, match="no feature 'third'"):
        _read(tmp_path, text, layer="Script|third")


def test_a_layer_without_features_is_a_column(tmp_path: Path) -> None:
    text = HEAD + "#T_SP=webanno.custom.Mark|\n" + SCENARIO + "\n#Text=Go\n1-1\t0-2\tGo\t*\tmaking tea\t\n"
    assert _read(tmp_path, text).segments[0].scenarios == ("making tea",)


def test_text_of_several_lines_and_escaped_characters(tmp_path: Path) -> None:
    text = HEAD + SCENARIO + "\n#Text=Make [it]\n#Text=a\\\\b\n1-1\t0-4\tMake\tmaking tea[1]\t\n"
    text += "1-2\t5-9\t\\[it\\]\tmaking tea[1]\t\n1-3\t10-13\ta\\\\b\tmaking tea[1]\t\n"
    assert _read(tmp_path, text).sentences == ("Make [it] a\\b",)


def test_a_folder_has_a_document_a_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.tsv").write_text(EXPORT, encoding="utf-8")
    assert [document.id for document in read_scenario_documents(tmp_path)] == ["one", "two"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2-7\t45-47\tup", "2-7\t99999999-99999999999\tup", "not a token"),
        ("2-7\t45-47\tup", "2-7\t45:47\tup", "not a token"),
        ("2-7\t45-47\tup", "2-9\t45-47\tup", "instead of 2-7"),
        ("3-1\t51-58", "4-1\t51-58", "in sentence 3"),
        ("3-1\t51-58\tNothing\t_\t_\t_\t_\t_\t", "3-1\t51-58\tNothing\t_\t_\t_", "6 columns"),
        ("3-1\t51-58\tNothing\t_\t_\t_\t_\t_\t", "3-1", "not a token"),
        ("2-8\t48-49\t.\t_\t_\t_", "2-8\t48-49\t.\t_\t_\tflying to the moon", "flying to the moon"),
        ("baking a cake[1]|answering the phone[2]", "making tea[1]|answering the phone[2]", "both"),
        ("2-8\t48-49\t.\t_\t_\t_", "2-8\t48-49\t.\t_\t_\tx[1]", "no scenario is called 'x'"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    line = EXPORT[: EXPORT.index(old)].count("\n") + 1
    with pytest.raises(InputError, match=message) as raised:
        _read(tmp_path, EXPORT.replace(old, new, 1))
    assert raised.value.where == f"story.tsv:{line}"
    assert raised.value.remedy


def test_an_annotation_with_a_gap_is_an_error(tmp_path: Path) -> None:
    text = HEAD + SCENARIO
    for number in range(1, 4):
        label = "_" if number == 2 else "making tea[1]"
        text += f"\n#Text=Go\n{number}-1\t{3 * number}-{3 * number + 2}\tGo\t{label}\t\n"
    with pytest.raises(InputError, match="gap before sentence 3"):
        _read(tmp_path, text)


@pytest.mark.parametrize(
    "text", [HEAD, HEAD + SCENARIO, HEAD + SCENARIO + "\n#Text=Go\n", HEAD + SCENARIO + "1-1\t0-2\tGo\t_\t\n"]
)
def test_nothing_to_read_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as raised:
        _read(tmp_path, text)
    assert str(raised.value.where).startswith("story.tsv:")


@given(st.integers(0, len(EXPORT) - 1), st.text(alphabet="#\t\n-|[]_*\\.0189aT=", max_size=4), st.integers(0, 6))
def test_a_damaged_file_is_read_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, at: int, put: str, cut: int
) -> None:
    try:
        document = _read(tmp_path_factory.getbasetemp(), EXPORT[:at] + put + EXPORT[at + cut :])
    except InputError as error:
        assert str(error.where).startswith("story.tsv")  # noqa: PT017
    else:
        assert len(document.labels()) == len(document.sentences) > 0
