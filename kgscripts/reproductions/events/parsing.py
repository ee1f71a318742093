"""Evaluation of a spaCy pipeline on a treebank: the scores of `kgscripts evaluate text`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve
from spacy.language import Language
from spacy.tokens import Doc

from kgscripts.evaluation.result import Evaluation, Example, Figure, System, shares
from kgscripts.text.conllu import Sentence, documents, read_conllu, to_doc
from kgscripts.text.pipeline import SHIPPED, load_pipeline
from schemas.errors import InputError
from schemas.provenance import Exposure, Unit

SPEED = "speed"
_DATASETS = {"en_ewt": "UD English EWT", "wikihow": "GUM wikiHow"}
_SPLITS = ("train", "dev", "test")
_DEVELOPMENT = {("UD English EWT", "train"), ("UD English EWT", "dev"), ("GUM wikiHow", "dev")}
"""EWT dev chose the training step; the imperatives were compared on wikiHow (docs/measurements/text-model-card.md)."""


def evaluate_text(path: Path, *, pipeline: str | None = None, split: str | None = None) -> Evaluation:
    """Evaluate a pipeline on a CoNLL-U file; see `analysis_shares` for the metrics.

    Its speed, in words of raw text a second, depends on the machine too.

    Raises
    ------
    InputError
        if the file has no sentence, or a line that is not CoNLL-U.
    ModelError
        if the pipeline cannot be loaded.
    """
    nlp = load_pipeline(pipeline)
    sentences = list(read_conllu(path))
    if not sentences:
        raise InputError("no sentence in it", where=str(path), remedy="pass a treebank in CoNLL-U format")
    groups = list(documents(sentences))
    dataset = next((name for part, name in _DATASETS.items() if part in path.name), path.stem)
    split = split or next((split for split in _SPLITS if split in path.stem), "all")
    values, examples = analysis_shares(nlp, groups)
    texts = [to_doc(nlp.vocab, group).text for group in documents(sentences, by_paragraph=True)]
    speed = Figure(metric=SPEED, value=words_per_second(nlp, texts), unit=Unit.WORDS_PER_SECOND, part="on one core")
    name = f"{nlp.lang}_{nlp.meta['name']}"
    return Evaluation(
        task="text",
        dataset=dataset,
        split=split,
        exposure=Exposure.DEVELOPMENT if (dataset, split) in _DEVELOPMENT else Exposure.UNSEEN,
        items={"sentences": len(sentences), "words": sum(len(sentence.words) for sentence in sentences)},
        systems=[System(name=name, source=pipeline or SHIPPED, figures=[*shares(values), speed])],
        examples=[evolve(item, system=name) for item in examples],
    )


def words_per_second(nlp: Language, texts: Sequence[str]) -> float:
    """Words of raw text that the whole pipeline parses per second of processor time."""
    started = time.process_time()
    words = sum(len(doc) for doc in nlp.pipe(texts, batch_size=32))
    return words / max(time.process_time() - started, 1e-9)


def analysis_shares(nlp: Language, groups: Sequence[Sequence[Sentence]]) -> tuple[dict[str, float], list[Example]]:
    """The metrics of a pipeline on documents with gold tokens but without sentence boundaries, and each sentence.

    XPOS, UPOS and lemma accuracy are over all tokens (except those with gold lemma "_"). UAS and LAS are over all
    tokens including punctuation, in the parse of the whole document, so that a wrong sentence boundary costs
    attachments too; LAS compares universal relations and LAS-subtypes whole labels (Zeman et al. 2018, "CoNLL 2018
    Shared Task", section 4). Sentence F1 counts sentences with exactly the gold span. The imperative scores are over
    the first words of gold sentences: recall is the share of imperative verbs tagged as verb in the base form (UPOS
    VERB, XPOS VB), precision the share of first words tagged so that have these tags in the gold standard (any mood).
    UAS and LAS are omitted for pipelines that do not use UD labels.
    """
    counts: Counter[str] = Counter()
    parses_ud = "obj" in nlp.pipe_labels.get("parser", [])
    gold = [to_doc(nlp.vocab, group) for group in groups]
    unread = [
        Doc(nlp.vocab, words=[token.text for token in doc], spaces=[bool(token.whitespace_) for token in doc])
        for doc in gold
    ]
    examples: list[Example] = []
    for reference, doc in zip(gold, nlp.pipe(unread, batch_size=16), strict=True):
        examples += _examples(reference, doc)
        _count_tokens(counts, reference, doc)
        _count_sentences(counts, reference, doc)
    words = counts["words"]
    parts = {
        "XPOS": (counts["xpos"], words),
        "UPOS": (counts["upos"], words),
        "lemma": (counts["lemma"], counts["lemmas"]),
        "sentence F1": (2 * counts["sentence"], counts["gold sentences"] + counts["found sentences"]),
        "imperative recall": (counts["imperative"], counts["gold imperatives"]),
        "imperative precision": (counts["right base form"], counts["found base forms"]),
    }
    if parses_ud:
        parts["UAS"] = (counts["head"], words)
        parts["LAS"] = (counts["relation"], words)
        parts["LAS-subtypes"] = (counts["label"], words)
    return {metric: part / whole for metric, (part, whole) in parts.items() if whole}, examples


def _count_tokens(counts: Counter[str], reference: Doc, doc: Doc) -> None:
    for gold, parsed in zip(reference, doc, strict=True):
        counts["words"] += 1
        counts["xpos"] += gold.tag_ == parsed.tag_
        counts["upos"] += gold.pos_ == parsed.pos_
        if gold.lemma_:
            counts["lemmas"] += 1
            counts["lemma"] += gold.lemma_ == parsed.lemma_
        if gold.head.i == parsed.head.i:
            counts["head"] += 1
            counts["relation"] += gold.dep_.split(":")[0] == parsed.dep_.split(":")[0]
            counts["label"] += gold.dep_ == parsed.dep_


def _examples(reference: Doc, doc: Doc) -> Iterator[Example]:
    """Each gold sentence with the words whose head or relation differs, as "word: head (relation)"."""
    for sentence in reference.sents:
        both = [(gold, doc[gold.i]) for gold in sentence]
        wrong = [(gold, own) for gold, own in both if (gold.head.i, gold.dep_) != (own.head.i, own.dep_)]
        gold, parsed = (
            [f"{token.text}: {token.head.text} ({token.dep_})" for token in side]
            for side in ([gold for gold, _ in wrong], [own for _, own in wrong])
        )
        yield Example(system="", where="attachments that differ", text=sentence.text, gold=gold, found=parsed)


def _count_sentences(counts: Counter[str], reference: Doc, doc: Doc) -> None:
    gold = {(sentence.start, sentence.end) for sentence in reference.sents}
    parsed = {(sentence.start, sentence.end) for sentence in doc.sents}
    counts["gold sentences"] += len(gold)
    counts["found sentences"] += len(parsed)
    counts["sentence"] += len(gold & parsed)
    for start, _ in gold:
        is_base_form = doc[start].pos_ == "VERB" and doc[start].tag_ == "VB"
        if "Imp" in reference[start].morph.get("Mood", []) and reference[start].pos_ == "VERB":
            counts["gold imperatives"] += 1
            counts["imperative"] += is_base_form
        counts["found base forms"] += is_base_form
        counts["right base form"] += is_base_form and reference[start].tag_ == "VB" and reference[start].pos_ == "VERB"
