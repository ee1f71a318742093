"""Chats, mails, posts and transcripts: what was written, without stamps, names, headers and quotes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.messages import messages_of, without_stamps
from kgscripts.corpora.plain_text import paragraph_spans
from tests.corpora.documents import passages, read

WRITTEN = ["take the handle off", "done", "wash the jar, not the burr", "ok"]
FORMS = {
    "brackets": "[14/02, 09:1{n}] {name}: ",
    "a dash": "14/02/2024, 9:1{n} am - {name}: ",
    "nicknames": "09:1{n} <{name}> ",
    "only names": "{name}: ",
    "two words": "{name} de Vries: ",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_chat_is_what_was_written(form: str, tmp_path: Path) -> None:
    names = ["Anouk", "Bas"] * 2
    lines = [
        form.format(n=n, name=name) + text for n, (name, text) in enumerate(zip(names, WRITTEN, strict=True), start=1)
    ]
    (document,), _ = read(tmp_path, "a.txt", "\n".join(["Flatmates", "", *lines]), "text")
    assert passages(document) == WRITTEN
    assert not document.title


NO_CHATS = {
    "labels": "Tools: spade\nMaterials: soil\nTime: an hour\nLevel: easy\n",
    "steps": "Step 1: dig\nStep 2: fill\nStep 3: water\nStep 4: wait\n",
    "one who writes": "Note: dig.\nNote: fill.\nNote: water.\nNote: wait.\n",
    "prose": "I said to Bas: dig.\nHe dug.\nThen he filled it.\nBas: done.\n",
}


@pytest.mark.parametrize("text", NO_CHATS.values(), ids=NO_CHATS)
def test_other_texts_are_no_chat(text: str) -> None:
    assert messages_of(text, paragraph_spans(text)) is None


MAIL = (
    "From: Ruth\nSubject: Re: How to sew on a button\n\nDarling,\n\nThread the needle.\n\n"
    "On Thu, 7 Nov, Daniel wrote:\n> Can I glue it?\n\n--\nRuth\nTailor\n"
)


def test_a_mail_is_its_text_and_its_subject_may_name_a_scenario(tmp_path: Path) -> None:
    (document,), _ = read(tmp_path, "a.txt", MAIL, "text")
    assert passages(document) == ["Darling,", "Thread the needle."]
    assert document.title == "Re: How to sew on a button"
    (other,), _ = read(tmp_path, "b.txt", MAIL.replace("How to sew on a button", "coat"), "text")
    assert not other.title


def test_a_post_is_read_without_what_it_quotes(tmp_path: Path) -> None:
    text = "Re: leaking tap\n\n> Shall I call someone?\n\nNo. Close the valve.\n\nUnscrew the handle.\n"
    (document,), _ = read(tmp_path, "a.txt", text, "text")
    assert passages(document)[1:] == ["No. Close the valve.", "Unscrew the handle."]
    listed = "Planting a tree\n\n> Dig a hole\n\nPut the tree in.\n\nWater it.\n"
    assert messages_of(listed, paragraph_spans(listed)) is None, "no reply"


def test_a_transcript_has_no_times() -> None:
    lines = ["so first you lay out the sheet", "then the poles", "clip the clips on", "and that's it"]
    text = "\n".join(f"{n}:0{n} {line}" for n, line in enumerate(lines))
    assert without_stamps(text) == "\n".join(lines)
    schedule = "9:00 Take the turkey out\n9:30 Stuff it\n10:00 Roast it\n14:00 Carve it\n"
    assert without_stamps(schedule) == schedule, "times of a day say when"
    once = "Bake at 10:30 am\n9:15 Put it in\nWait\nTake it out\n"
    assert without_stamps(once) == once


@given(st.text("ab:>\n-0 [],RReFfrom", max_size=120))
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    found = messages_of(text, paragraph_spans(text))
    last = 0
    for start, end in found.spans if found else ():
        assert last <= start < end <= len(text)
        last = end
