"""Commands about scenarios: documents merged, compared, adjudicated and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import attrs
import typer

from kgscripts.commands.options import AsJson
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs, write_lines
from schemas.terminal import console, echo, echo_json, printable
from schemas.vocabulary import DEFAULT_BASE_IRI

_Layer = Annotated[
    str | None, typer.Option(metavar="NAME", help="The WebAnno layer with the scenarios, or LAYER|FEATURE.")
]
_Annotators = Annotated[
    list[Path],
    typer.Argument(metavar="ANNOTATOR...", help="A file or folder an annotator, or one folder of a WebAnno export."),
]
_PARTS = ("all", "train", "held-out")


def merge(
    stories: Annotated[list[Path], typer.Argument(metavar="STORIES...", help="Files or folders of labelled stories.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.jsonl", help="Write the documents here.")],
    documents: Annotated[int, typer.Option(min=1, help="How many documents.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The seed of all choices.")] = 0,
    segments: Annotated[tuple[int, int], typer.Option(metavar="MIN MAX", help="Segments of a document.")] = (2, 4),
    sentences: Annotated[tuple[int, int], typer.Option(metavar="MIN MAX", help="Sentences of a segment.")] = (3, 12),
    none: Annotated[float, typer.Option(metavar="SHARE", help="Sentences without a scenario.")] = 0.25,
    two_labels: Annotated[float, typer.Option(metavar="SHARE", help="Segments with two scenarios.")] = 0.15,
    withhold: Annotated[
        float, typer.Option(metavar="SHARE", help="Scenarios whose stories are used as sentences without a scenario.")
    ] = 0.15,
    part: Annotated[str, typer.Option(help="The stories to use: all, train or held-out.")] = "all",
    held_out: Annotated[float, typer.Option(metavar="SHARE", help="Stories that are held out.")] = 0.4,
    filler: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="InScript or documents: their sentences without a scenario are used too."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Merge parts of labelled stories into documents to train on or to evaluate with.

    With the same seed and shares, the parts train and held-out have no story in common.

    Example: kgscripts corpora merge corpora/mcscript/labelled-data.xml -o merged.jsonl --seed 1
    """
    from kgscripts.reproductions.scenarios.documents import corpus_statistics, document_line, labelled_stories
    from kgscripts.reproductions.scenarios.merging import merge_documents, read_filler, story_parts
    from schemas.scenario_documents import concept_scheme, linked_scenarios

    if part not in _PARTS:
        raise ConfigurationError(f"no part {part!r}", remedy=f"one of {', '.join(_PARTS)}")
    check_outputs(output, inputs=[*stories, *(filler or ())])
    read = [story for path in stories for story in labelled_stories(path)]
    parts = story_parts(
        read,
        seed=seed,
        held_out=held_out,
        withheld=withhold if none else 0,
        linked=linked_scenarios(),
        filler=[text for path in filler or () for text in read_filler(path)],
    )
    used, withheld = parts.part(part)
    merged = merge_documents(
        used,
        seed=seed,
        documents=documents,
        segments=segments,
        sentences=sentences,
        none_share=none,
        two_labels=two_labels,
        filler=withheld,
        broader={concept.label: concept.broader for concept in concept_scheme()},
    )
    write_lines(output, map(document_line, merged))
    facts = corpus_statistics(merged)
    if as_json:
        echo_json(facts)
        return
    echo(
        "{documents:,} documents with {segments:,} segments of {scenarios:,} scenarios\n"
        "{sentences:,} sentences; {labelled_sentences:,} have a scenario, {sentences_with_several_labels:,} several"
        "".format_map(facts)
    )


def agreement(annotators: _Annotators, layer: _Layer = None, as_json: AsJson = False) -> None:
    """Print how far annotators agree on the scenarios of sentences (Tables 2 and 3, Figure 1).

    Files are WebAnno TSV 3 or JSON lines; documents are matched by their ids.

    Example: kgscripts corpora agreement anna.jsonl ben.jsonl
    """
    from kgscripts.reproductions.scenarios.adjudication import CATEGORIES, pairwise_agreement, read_annotations

    rows = pairwise_agreement(read_annotations(annotators, layer=layer))
    if as_json:
        echo_json([attrs.asdict(row) for row in rows])
        return
    from rich.table import Table

    table = Table("annotators", "documents", "sentences", "kappa", "raw", "spans", box=None)
    for row in rows:
        shares = (_share(value) for value in (row.kappa, row.raw, row.spans))
        table.add_row(" / ".join(map(printable, row.annotators)), f"{row.documents:,}", f"{row.sentences:,}", *shares)
    console().print(table)
    echo("Paper: kappa 0.57 to 0.64, raw 0.65 to 0.72, spans 0.59 to 0.79.\n")
    table = Table("sentences with", "", "", "paper", box=None)
    whole = sum(row.sentences for row in rows)
    for category, published in zip(CATEGORIES, (0.30, 0.07, 0.10, 0.20, 0.32), strict=True):
        count = sum(row.categories[category] for row in rows)
        table.add_row(
            _CATEGORY_NAMES[category], f"{count:,}", f"{100 * count / whole:.0f} %", f"{100 * published:.0f} %"
        )
    console().print(table)


_CATEGORY_NAMES = {
    "identical": "identical labels",
    "at least one": "at least one common label",
    "different": "different labels",
    "single": "labels of a single annotator",
    "none": "no label",
}


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def adjudicate(
    annotators: _Annotators,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.jsonl", help="Write the gold documents here.")
    ],
    conflicts: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write the conflicts that need a decision here.")
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help='Such a file with decisions ("accepted": true).')
    ] = None,
    layer: _Layer = None,
    as_json: AsJson = False,
) -> None:
    """Merge the annotations of several annotators into a gold standard, and list their conflicts.

    Segments of different annotators that overlap and have the same scenario become one; the others need a decision
    (section 3.3 of Wanzare et al. 2019).

    Example: kgscripts corpora adjudicate anna.jsonl ben.jsonl -o gold.jsonl --conflicts conflicts.jsonl
    """
    from kgscripts.reproductions.scenarios import adjudication
    from kgscripts.reproductions.scenarios.adjudication import read_annotations
    from kgscripts.reproductions.scenarios.documents import document_line

    check_outputs(output, conflicts, inputs=[*annotators, decisions])
    accepted = adjudication.read_decisions(decisions) if decisions else None
    result = adjudication.adjudicate(read_annotations(annotators, layer=layer), accepted)
    sentences = {document.id: document.sentences for document in result.documents}
    records = [adjudication.conflict_record(conflict, sentences[conflict.document]) for conflict in result.conflicts]
    write_lines(output, map(document_line, result.documents))
    if conflicts:
        write_lines(conflicts, (json.dumps(record, ensure_ascii=False) for record in records))
    if as_json:
        echo_json(
            {
                "documents": len(result.documents),
                "segments": sum(len(document.segments) for document in result.documents),
                "annotated": result.segments,
                "merged": result.merged,
                "conflicts": records,
            }
        )
        return
    echo(
        f"{len(result.documents):,} documents with {sum(len(document.segments) for document in result.documents):,} "
        f"gold segments\n{result.merged:,} of {result.segments:,} annotated segments were merged"
    )
    for conflict in result.conflicts:
        echo(f"{conflict.document}: {conflict.kind}")
        for chain in conflict.chains:
            echo(f"  {chain.start}:{chain.end} {chain.scenario} ({', '.join(chain.annotators)})")


def scenarios(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.ttl", help="Write a SKOS concept scheme in Turtle.")
    ] = None,
    base_iri: Annotated[str, typer.Option(metavar="IRI", help="The beginning of the IRIs.")] = DEFAULT_BASE_IRI,
    as_json: AsJson = False,
) -> None:
    """Print the 200 listed scenarios; as JSON or SKOS with alternative labels, broader and related scenarios.

    Example: kgscripts corpora scenarios -o scenarios.ttl
    """
    from kgscripts.corpora.scenarios.labels import turtle_lines
    from schemas.scenario_documents import concept_scheme

    if output:
        check_outputs(output)
        write_lines(output, turtle_lines(base_iri))
    if as_json:
        echo_json([attrs.asdict(concept) for concept in concept_scheme()])
    elif not output:
        for concept in concept_scheme():
            echo(concept.label)
