"""Reading treebanks; other content is rejected with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy

from kgscripts.text.conllu import documents, read_conllu, to_doc
from schemas.errors import InputError

TREEBANK = """\
# newdoc id = kitchen
# newpar
# sent_id = 1
# text = Don't peel it.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp|VerbForm=Fin\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t_\t_
3\tpeel\tpeel\tVERB\tVB\tMood=Imp|VerbForm=Fin\t0\troot\t_\t_
4\tit\tit\tPRON\tPRP\t_\t3\tobj\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# sent_id = 2
1\tCook\tcook\tVERB\tVB\t_\t0\troot\t_\t_
1.1\tcook\tcook\tVERB\tVB\t_\t_\t_\t1:conj\t_
2\tit\tit\tPRON\tPRP\t_\t1\tobj\t_\t_

# newpar id = p2
1\tEat\teat\tVERB\tVB\t_\t0\troot\t_\t_

# newdoc
1\tEnd\t_\tNOUN\tNN\t_\t0\troot\t_\t_
"""


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "kitchen.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    return path


def test_contractions_are_words_without_space_between(treebank: Path) -> None:
    sentences = list(read_conllu(treebank))
    assert [word.form for word in sentences[0].words] == ["Do", "n't", "peel", "it", "."]
    doc = to_doc(spacy.blank("en").vocab, sentences[:2])
    assert doc.text == "Don't peel it. Cook it "
    assert [sentence.text for sentence in doc.sents] == ["Don't peel it.", "Cook it"]
    assert [token.head.text for token in doc] == ["peel", "peel", "peel", "peel", "peel", "Cook", "Cook"]
    assert doc[2].dep_ == "ROOT"
    assert doc[0].morph.get("Mood", []) == ["Imp"]


def test_documents_and_paragraphs(treebank: Path) -> None:
    sentences = list(read_conllu(treebank))
    assert [len(group) for group in documents(sentences)] == [3, 1]
    assert [len(group) for group in documents(sentences, by_paragraph=True)] == [2, 1, 1]


def test_a_missing_lemma_is_no_lemma(treebank: Path) -> None:
    assert list(read_conllu(treebank))[-1].words[0].lemma == ""


GOOD = "1\tEat\teat\tVERB\tVB\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("1\tEat\teat\tVERB\tVB\t_\t0\troot\t_\n", 1),
        (f"{GOOD}\n\n{GOOD}\textra\n", 3),
        ("This is plain text.\n", 1),
        (GOOD.replace("1\t", "2\t", 1) + "\n", 1),
        (f"{GOOD}\n{GOOD}\n", 2),
        (GOOD.replace("\t0\t", "\tx\t") + "\n", 1),
        (GOOD.replace("\t0\t", "\t-1\t") + "\n", 1),
        (GOOD.replace("\t0\t", "\t7\t") + "\n", 1),
        (GOOD.replace("1\t", "1-\t", 1) + "\n", 1),
        (GOOD.replace("Eat", "") + "\n", 1),
        ("{}\n", 1),
        ("\x00\x01\n", 1),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, content: str, line: int) -> None:
    path = tmp_path / "broken.conllu"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_conllu(path))
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.remedy


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    latin = tmp_path / "latin.conllu"
    latin.write_bytes("# text = café\n".encode("latin-1"))
    for path in (latin, tmp_path / "missing.conllu", tmp_path):
        with pytest.raises(InputError):
            list(read_conllu(path))


def test_an_empty_file_has_no_sentence(tmp_path: Path) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text("\n\n", encoding="utf-8")
    assert list(read_conllu(path)) == []
