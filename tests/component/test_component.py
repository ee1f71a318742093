"""The component of spaCy pipelines: it gives what a build reads, survives storage, and names what a pipeline lacks."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.util import ignore_error

from kgscripts.component.annotations import EVENTS, SCENARIOS, TOOLS
from kgscripts.component.factory import ScriptReader
from kgscripts.text.pipeline import COMPONENT, shipped_directory
from schemas.errors import ConfigurationError, InputError
from schemas.records import Action, EventMention
from tests.component.pipelines import EXAMPLES, STORY, of_build, quick, records
from tests.extractors.parses import annotated_sentences

ALL = ["events", "labels", "scenarios", "sentences", "state-changes"]
CLEAR_NLP = (
    ("I", "PRON", "PRP", "I", 1, "nsubj"),
    ("stirred", "VERB", "VBD", "stir", 1, "ROOT"),
    ("the", "DET", "DT", "the", 3, "det"),
    ("soup", "NOUN", "NN", "soup", 1, "dobj"),
    ("with", "ADP", "IN", "with", 1, "prep"),
    ("a", "DET", "DT", "a", 6, "det"),
    ("spoon", "NOUN", "NN", "spoon", 4, "pobj"),
)
"""Form, part of speech, tag, lemma, head and relation of each word."""


def reader() -> ScriptReader:
    component = quick().get_pipe(COMPONENT)
    assert isinstance(component, ScriptReader)
    return component


def labels(doc: Doc, group: str = EVENTS) -> list[str]:
    return [span.label_ for span in doc.spans[group]]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_a_doc_has_the_records_that_a_build_reads(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert records(quick()(text)) == of_build(text, ["events"])


def test_changes_and_scenarios_are_those_of_a_build_too() -> None:
    nlp = spacy.load(shipped_directory())
    nlp.add_pipe(COMPONENT)
    doc = nlp(STORY)
    expected = of_build(STORY, ALL)
    assert records(doc) == {kind: expected[kind] for kind in records(doc)}
    assert {"event_mention", "state_change", "segment", "discard"} == set(records(doc))
    assert doc._.script_changes
    assert all(doc.text[item.mentioned.start : item.mentioned.end] for item in doc._.script_changes if item.mentioned)
    (segment,) = doc.spans[SCENARIOS]
    assert segment._.script_score == doc.spans[SCENARIOS].attrs["scores"][0] > 0


def test_spans_have_their_actions_tools_and_scores() -> None:
    doc = quick()(STORY)
    put, mix = doc.spans[EVENTS]
    assert put.text == "put the flour in a bowl"
    assert put._.action == Action(predicate="put", object="flour", preposition="in", prepositional_object="bowl")
    assert [(tool.lemma, tool.inferred) for tool in mix._.tools] == [("spoon", False)]
    assert [(span.text, span.label_) for span in doc.spans[TOOLS]] == [("bowl", "bowl"), ("spoon", "spoon")]
    assert [span._.script_score for span in (*doc.spans[EVENTS], *doc.spans[TOOLS])] == [1.0] * 4
    assert doc._.script_events[1].action == mix._.action
    other = doc[0:2]
    assert (other._.action, other._.tools, other._.script_score) == (None, (), None)


def test_batches_give_what_single_docs_give_in_their_order() -> None:
    texts = [STORY, "", STORY, "Boil the water.\n\nAdd the salt.", "\n"]
    single = [records(quick()(text)) for text in texts]
    assert [records(doc) for doc in quick().pipe(texts, batch_size=4)] == single


def test_two_processes_give_what_one_gives() -> None:
    texts = [STORY, "Boil the water."] * 2
    one, two = ([doc.user_data for doc in quick().pipe(texts, n_process=number)] for number in (1, 2))
    assert one == two


def test_the_component_can_be_sent_to_another_process() -> None:
    quick()(STORY)
    sent = pickle.loads(pickle.dumps(reader()))
    doc = quick()(STORY, disable=[COMPONENT])
    assert sent(doc).user_data == quick()(STORY).user_data


def test_docs_survive_bytes_and_doc_bins_with_another_vocabulary() -> None:
    doc = quick()(STORY)
    vocabulary = spacy.blank("en").vocab
    bin_ = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    for copy in (Doc(vocabulary).from_bytes(doc.to_bytes()), *DocBin().from_bytes(bin_).get_docs(vocabulary)):
        # Lists come back as lists or as tuples.
        assert json.dumps([*copy.user_data.items()]) == json.dumps([*doc.user_data.items()])
        assert labels(copy) == labels(doc)
        assert [span._.action for span in copy.spans[EVENTS]] == [span._.action for span in doc.spans[EVENTS]]
        assert copy.spans[EVENTS].attrs == doc.spans[EVENTS].attrs


def test_a_pipeline_keeps_the_component_with_its_settings(tmp_path: Path) -> None:
    nlp = spacy.load(shipped_directory())
    nlp.add_pipe(COMPONENT, config={"tools": False, "state_changes": False, "scenarios": False})
    nlp.to_disk(tmp_path / "nlp")
    doc = spacy.load(tmp_path / "nlp")(STORY)
    assert records(doc) == records(quick()(STORY))
    assert TOOLS not in doc.spans


def test_analysis_finds_what_a_pipeline_lacks() -> None:
    bare = spacy.blank("en")
    bare.add_pipe(COMPONENT)
    complete, lacking = (nlp.analyze_pipes() or {} for nlp in (quick(), bare))
    assert not any(complete["problems"].values())
    assert "token.dep" in lacking["problems"][COMPONENT]


@pytest.mark.parametrize(
    ("lacking", "named"),
    [(["parser"], "has no parse"), (["trainable_lemmatizer", "lemma_corrector"], "has no lemmas")],
)
def test_a_doc_that_lacks_an_annotation_is_an_error_that_names_it(lacking: list[str], named: str) -> None:
    with pytest.raises(InputError) as error:
        quick()(STORY, disable=lacking)
    assert error.value.message.endswith(named)
    with pytest.raises(InputError, match="no parse, no tags, no parts of speech, no lemmas"):
        reader()(spacy.blank("en")(STORY))


def test_a_pipeline_that_ignores_errors_loses_only_the_docs_that_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    component = reader()
    bad = spacy.blank("en")(STORY)
    good = quick()(STORY, disable=[COMPONENT])
    with monkeypatch.context() as patch:
        patch.setattr(component, "get_error_handler", lambda: ignore_error)
        assert list(component.pipe([good, bad])) == [good]


@pytest.fixture
def _foreign() -> Iterator[None]:
    """Somebody else's attribute in the place of one of ours."""
    ours = Span.remove_extension("tools") if Span.has_extension("tools") else None
    Span.set_extension("tools", default=None)
    yield
    Span.remove_extension("tools")
    if ours:
        Span.set_extension("tools", getter=ours[2])


@pytest.mark.usefixtures("_foreign")
def test_an_attribute_of_somebody_else_is_not_replaced() -> None:
    with pytest.raises(ConfigurationError, match=r"Span\._\.tools is set by another package"):
        spacy.blank("en").add_pipe(COMPONENT)
    assert Span.get_extension("tools")[2] is None


def test_adding_it_to_two_pipelines_is_no_error() -> None:
    for _ in range(2):
        spacy.blank("en").add_pipe(COMPONENT)


def test_parses_with_labels_of_clear_nlp_and_of_ud_are_read() -> None:
    words, parts, tags, lemmas, heads, relations = map(list, zip(*CLEAR_NLP, strict=True))
    clear = Doc(Language().vocab, words=words, pos=parts, tags=tags, lemmas=lemmas, heads=heads, deps=relations)
    component = reader()
    (event,) = component(clear).spans[EVENTS]
    assert (event.label_, [tool.lemma for tool in event._.tools]) == ("stir soup", ["spoon"])
    text, parse = next(iter(annotated_sentences().items()))
    assert "; ".join(labels(component(parse.doc))) == "; ".join(
        words.split(" +")[0] for words in parse.events.split("; ") if words
    ), text


def test_records_have_the_characters_of_the_doc_where_tokens_are_longer() -> None:
    doc = quick()(STORY, disable=[COMPONENT])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    doc = reader()(doc)
    for event in doc._.script_events:
        assert doc.text[event.start : event.end].strip()
    assert all(span.start_char <= event.start and event.end <= span.end_char for span, event in _both(doc))


def _both(doc: Doc) -> list[tuple[Span, EventMention]]:
    return list(zip(doc.spans[EVENTS], doc._.script_events, strict=True))


def test_offsets_are_those_of_the_doc_in_texts_with_links_and_several_how_tos() -> None:
    text = (
        "# How to make tea\n\n1. Boil the water, see [this page](https://example.org/a(b)).\n2. Fill the cup.\n\n"
        "# How to wash up\n\n1. Wash the plates (https://example.org) with a sponge.\n2. Dry the glasses.\n"
    )
    doc = quick()(text)
    found = {event.action.label: doc.text[event.start : event.end] for event in doc._.script_events}
    assert found["boil water"] == "Boil the water"
    assert found["fill cup"] == "Fill the cup"
    assert found["dry glasses"] == "Dry the glasses"
    assert found["wash plate"].startswith("Wash the plates")
    assert [doc.text[tool.start : tool.end] for tool in doc._.script_events[-2].tools] == ["sponge"]


def test_a_text_that_a_build_leaves_out_has_the_reason() -> None:
    doc = quick()("{\n" + ' "name": "x",\n' * 20 + "}")
    assert set(records(doc)) == {"discard"}
    assert not doc.spans[EVENTS]


def test_a_doc_that_was_not_read_is_an_error_and_not_empty() -> None:
    doc = quick()(STORY, disable=[COMPONENT])
    with pytest.raises(InputError, match="was not read by the component"):
        doc._.script_events  # noqa: B018


@pytest.mark.filterwarnings("ignore:.*W102")
@pytest.mark.parametrize("texts", [[STORY, "Boil the water."], ["Boil the water.", STORY, STORY], ["Boil it.", ""]])
def test_docs_that_are_joined_keep_the_events_of_their_spans(texts: list[str]) -> None:
    docs = [quick()(text) for text in texts]
    joined = Doc.from_docs(docs)
    assert joined is not None
    for group in (EVENTS, TOOLS):
        spans = [span for doc in docs for span in doc.spans[group]]
        for before, after in zip(spans, joined.spans[group], strict=True):
            assert (after._.action, after._.script_score) == (before._.action, before._.script_score)
            assert [joined.text[tool.start : tool.end] for tool in after._.tools] == [
                before.doc.text[tool.start : tool.end] for tool in before._.tools
            ]
    events = joined._.script_events
    assert [event.action for event in events] == [event.action for doc in docs for event in doc._.script_events]
    assert all(joined.text[event.start : event.end] == span.text for span, event in _both(joined))
    assert joined._.script_changes == []


def test_a_part_of_a_doc_keeps_its_events() -> None:
    doc = quick()(STORY)
    for sentence, span in zip(doc.sents, doc.spans[EVENTS], strict=False):
        part = sentence.as_doc(copy_user_data=True)
        assert [event.action for event in part._.script_events] == [span._.action]
        (event,) = part._.script_events
        assert part.text[event.start : event.end] == span.text
        assert (part[0:1]._.action, part[0:1]._.tools, part[0:1]._.script_score) == (None, (), None)
        bare = sentence.as_doc()
        assert (bare[0:1]._.action, bare[0:1]._.tools, bare[0:1]._.script_score) == (None, (), None)
