"""``kgscripts corpora cloze``: cloze tasks made of pair corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.corpora import FETCHED
from kgscripts.commands.options import AsJson
from schemas.errors import InputError
from schemas.output_files import check_outputs, write_lines
from schemas.terminal import echo, echo_json


def cloze(
    files: Annotated[
        list[Path], typer.Argument(metavar="PAIRS...", help="Pair corpora, folders, or names of fetched corpora.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.tsv", help="Write the templates here.")],
    whitelist: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Words that may be blanked, one per line.")
    ] = None,
    whitelist_out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the words here.")] = None,
    min_count: Annotated[int, typer.Option(min=1, help="How often a word must occur.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Make a cloze task from pairs: blank the content words that occur only on the concrete side.

    Reads plain TSV, cloze templates, JSON lines with steps, and released id sequences. In a folder, the files whose
    names begin with a split are read: train, dev, valid or test.

    Stop words, numbers, rare words, words of the abstract sides and pairs without a blank are left out; the five
    longest blanks of a pair are kept (KidsCook, section 2.2).

    Example: kgscripts corpora cloze pairs.tsv -o pairs.template.tsv --whitelist-out words.txt
    """
    from kgscripts.corpora.pairs.loading import load_pairs, read_whitelist, split_files
    from kgscripts.reproductions.kidscook.cloze import construction

    sources = split_files(files, fetched=FETCHED)
    check_outputs(output, whitelist_out, inputs=[*sources, whitelist])
    pairs = load_pairs(sources)
    words = read_whitelist(whitelist) if whitelist else construction.blankable_words(pairs, min_count=min_count)
    clozes = construction.construct_clozes(pairs, frozenset(words))
    if not clozes:
        remedy = "use another whitelist" if whitelist else "lower --min-count, or pass words with --whitelist"
        raise InputError(f"none of {len(pairs):,} pairs has a word that may be blanked", remedy=remedy)
    facts = {
        "pairs": len(pairs),
        "clozes": len(clozes),
        "words": len(words),
        "blanks": sum(len(pair.slots) for pair in clozes),
        "blank_tokens": sum(sum(pair.blanks) for pair in clozes),
    }
    write_lines(output, map(construction.template_line, clozes))
    if whitelist_out:
        write_lines(whitelist_out, words)
    if as_json:
        echo_json(facts)
        return
    echo("{pairs:,} pairs, {clozes:,} with {blanks:,} blanks of {blank_tokens:,} tokens".format_map(facts))
