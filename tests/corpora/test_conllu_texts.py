"""CoNLL-U treebanks as texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import read_file
from schemas.records import Discard, Document, PassageKind
from tests.corpora.documents import passages

FIELDS = "\t_" * 7
TREEBANK = f"""\
# newdoc id = blog-1
# newpar id = blog-1-p1
# sent_id = 1
1-2\tdon't\t_{FIELDS}
1\tdo\t_{FIELDS}
2\tn't\t_{FIELDS}
3\tgo{FIELDS}\tSpaceAfter=No
3.1\tgone\t_{FIELDS}
4\t!\t_{FIELDS}

# sent_id = 2
1\tStay\t_{FIELDS}

# newpar
1\t(\t_{FIELDS[:-2]}\tSpaceAfter=No
2\tYes{FIELDS}\tSpaceAfter=No
3\t)\t_{FIELDS}

# newdoc
1\tAlone\t_{FIELDS}
"""


def _read(folder: Path, text: str, name: str = "a.conllu") -> tuple[list[Document], list[Discard]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    items = list(read_file(InputFile(path, name)))
    return [item for item in items if isinstance(item, Document)], [item for item in items if isinstance(item, Discard)]


@pytest.mark.parametrize("name", ["a.conllu", "treebank"])
def test_words_paragraphs_and_sentences(tmp_path: Path, name: str) -> None:
    (first, second), discards = _read(tmp_path, TREEBANK, name)
    assert discards == []
    assert first.text == "don't go! Stay\n\n(Yes)"
    assert (first.name, second.name) == (f"{name}#blog-1", f"{name}#line 19")
    assert passages(first, PassageKind.PARAGRAPH) == ["don't go! Stay", "(Yes)"]
    assert passages(first, PassageKind.SENTENCE) == ["don't go!", "Stay", "(Yes)"]
    assert passages(second) == ["Alone", "Alone"]


@pytest.mark.parametrize(
    "line", ["1\tword", "x\tword" + "\t_" * 8, "\tword" + "\t_" * 8, "1\t" + "\t_" * 8, "2-\ta" + "\t_" * 8, "word"]
)
def test_a_sentence_that_is_not_conllu_is_a_discard(tmp_path: Path, line: str) -> None:
    documents, (discard,) = _read(tmp_path, TREEBANK.replace("1\tStay", f"{line}\n2\tStay"))
    assert discard.where == "a.conllu:12"
    assert documents[0].text == "don't go!\n\n(Yes)"


def test_treebanks_give_the_texts_that_they_state(shared_corpora: Path) -> None:
    path = shared_corpora / "treebanks" / "ewt" / "en_ewt-ud-dev.conllu"
    documents = [item for item in read_file(InputFile(path, path.name)) if isinstance(item, Document)]
    read = [sentence for document in documents for sentence in passages(document, PassageKind.SENTENCE)]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert read == [" ".join(line.partition("= ")[2].split()) for line in lines if line.startswith("# text =")]
