"""Saved pages: markup of schema.org, lists below headings, the main text, and what is wrong with real pages."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exports.targets import export
from kgscripts import ScriptGraph
from kgscripts.corpora.how_tos import HowTo, Section, Time, document_of_how_to
from kgscripts.corpora.list_markers import numbered_steps
from kgscripts.corpora.web.json_ld import objects_of
from kgscripts.corpora.web.reader import documents_of_tree, parsed_page, without_markup
from kgscripts.corpora.web.schema_org import duration_of, how_tos_of
from kgscripts.pipeline import build_graph
from kgscripts.records.kinds import decode, encode
from schemas.declared import Span, TimeKind
from schemas.records import DiscardReason, Document, PassageKind
from tests.corpora.documents import check_spans, passages, read

EXAMPLES = Path(__file__).resolve().parents[2] / "kgscripts/examples/pages"
NAVIGATION = "<nav><ul><li><a href=/>Instructions</a></li><li>Shake hands</li></ul></nav>"
COMMENTS = "<div id=comments><h3>Directions</h3><ol><li>Throw it away.</li><li>Order a pizza.</li></ol></div>"


def page(body: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><title>Toast - Example</title>{head}</head>"
        f"<body>{NAVIGATION}{body}{COMMENTS}<footer>Subscribe!</footer></body></html>"
    )


def with_json(value: Any) -> str:
    return page("<h1>Toast</h1>", f"<script type='application/ld+json'>{json.dumps(value)}</script>")


def recipe(instructions: Any, **more: Any) -> dict[str, Any]:
    return {
        "@context": "https://schema.org",
        "@type": "Recipe",
        "name": "Toast",
        "recipeInstructions": instructions,
        **more,
    }


def only(folder: Path, content: str | bytes, name: str = "a.html") -> Document:
    documents, discards = read(folder, name, content)
    assert not discards
    (document,) = documents
    return document


def words(document: Document, spans: tuple[Span, ...]) -> list[str]:
    return [document.text[span.start : span.end] for span in spans]


STEPS = ["Slice the bread.", "Toast it."]
SAYS_STEPS: dict[str, str] = {
    "steps": with_json(recipe([{"@type": "HowToStep", "text": text} for text in STEPS])),
    "strings": with_json(recipe(STEPS)),
    "one string of lines": with_json(recipe("1. Slice the bread.\n2. Toast it.")),
    "one string of numbers": with_json(recipe("1. Slice the bread. 2. Toast it.")),
    "one string of markup": with_json(recipe("<ol><li>Slice the bread.</li><li>Toast&nbsp;it.</li></ol>")),
    "markup escaped twice": with_json(
        recipe("&lt;p&gt;Slice the bread.&lt;/p&gt;&lt;p&gt;Toast&amp;nbsp;it.&lt;/p&gt;")
    ),
    "a graph": with_json({"@graph": [{"@type": "WebPage"}, recipe(STEPS)]}),
    "a list of types, with prefix": with_json([{**recipe(STEPS), "@type": ["Thing", "http://schema.org/Recipe"]}]),
    "an item list": with_json(recipe({"@type": "ItemList", "itemListElement": [{"item": {"text": t}} for t in STEPS]})),
    "names that only number": with_json(
        recipe([{"@type": "HowToStep", "name": f"Step {n}", "text": text} for n, text in enumerate(STEPS, 1)])
    ),
    "names that repeat": with_json(
        recipe([{"@type": "HowToStep", "name": text[:8] + "…", "text": text} for text in STEPS])
    ),
    "steps by reference": with_json(
        {"@graph": [recipe([{"@id": "#1"}, STEPS[1]]), {"@id": "#1", "@type": "HowToStep", "text": STEPS[0]}]}
    ),
    "a how-to": with_json(
        {
            "@type": "HowTo",
            "name": "Toast",
            "step": [
                {"@type": "HowToStep", "itemListElement": [{"@type": "HowToDirection", "text": t}]} for t in STEPS
            ],
        }
    ),
    "tips are no steps": with_json(recipe([STEPS[0], {"@type": "HowToTip", "text": "Buy it sliced."}, STEPS[1]])),
    "a value within": with_json({"@type": "WebPage", "mainEntity": {"about": recipe(STEPS)}}),
    "comma at the end": page("", f"<script type=application/ld+json>{json.dumps(recipe(STEPS))[:-1]},}}</script>"),
    "tab in a string": page(
        "",
        f"<script type=application/ld+json>{json.dumps(recipe([STEPS[0], 'Toast#it.'])).replace('#', chr(9))}</script>",
    ),
    "CDATA": page("", f"<script type=application/ld+json>//<![CDATA[\n{json.dumps(recipe(STEPS))}\n//]]></script>"),
    "microdata": page(
        "<div itemscope itemtype='http://schema.org/Recipe'><h1 itemprop=name>Toast</h1>"
        "<div itemprop=recipeInstructions><p>Slice the bread.<p>Toast it.</div></div>"
    ),
    "a numbered list": page("<h1>Toast</h1><h2>Directions:</h2><ol><li>Slice the bread.<li>Toast it.</ol>"),
    "paragraphs": page(
        "<h1>Toast</h1><h2>Method</h2><p>Slice the bread.</p><p>Toast it.</p><h2>Notes</h2><p>Nice!</p>"
    ),
    "bold words": page(
        "<h1>Toast</h1><b>Instructions</b><div>Slice the bread.</div><div>Toast it.</div><h3>Reviews</h3>"
    ),
    "headings of steps": page("<h1>Toast</h1><h3>Step 1</h3><p>Slice the bread.</p><h3>Step 2</h3><p>Toast it.</p>"),
    "what follows the ingredients": page(
        "<h1>Toast</h1><h2>Ingredients</h2><ul><li>1 loaf</ul>"
        "<h2>Get started</h2><ul><li>Slice the bread.<li>Toast it.</ul>"
    ),
    "tags that are not closed": "<html><body><h1>Toast</h1><div><h2>Instructions<ol><li>Slice the bread.<li>Toast it.",
}


@pytest.mark.parametrize("content", SAYS_STEPS.values(), ids=SAYS_STEPS)
def test_steps(content: str, tmp_path: Path) -> None:
    document = only(tmp_path, content)
    assert passages(document, PassageKind.STEP) == STEPS
    assert document.title == "Toast"
    assert document.format == "html"


PROSE = (
    "<p>Toast is the oldest breakfast of our house, and everybody in it makes it in another way. It takes five minutes"
    " and needs no more than a loaf that is a day old, because fresh bread sticks to the wires.</p>"
)
LIST = "<ol><li>Slice the bread.</li><li>Toast it.</li></ol>"
SCHEMA = "https://schema.org/"


def graph_of(*objects: Any) -> str:
    return with_json({"@context": {"s": SCHEMA}, "@graph": list(objects)})


def how_to(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"@type": "HowTo", "name": "Toast", "step": list(steps), **more}


STRUCTURES: dict[str, str] = {
    "in the body": PROSE + LIST,
    "in a plain div": f"{PROSE}<div><div>{LIST}</div></div>{PROSE}",
    "without prose": LIST,
    "in an article": f"<article>{LIST}</article>",
    "in a section of main": f"<main>{PROSE}<section>{LIST}</section></main>",
    "below a heading": f"{PROSE}<h2>A slice for everyone</h2>{LIST}",
    "in a cell": f"{PROSE}<table><tr><td>{LIST}</td><td></td></tr></table>",
    "nested": f"{PROSE}<ol><li>Slice the bread.<ol><li>Toast it.</ol></ol>",
    "numbered rows": f"{PROSE}<table><tr><td>1<td>Slice the bread.<tr><td>2<td>Toast it.</table>",
    "line breaks": f"{PROSE}<p>1. Slice the bread.<br>2. Toast it.</p>",
    "one paragraph": "<h2>Method</h2><p>1. Slice the bread. 2. Toast it.</p>",
    "numbered terms": f"{PROSE}<dl><dt>Step 1<dd>Slice the bread.<dt>Step 2<dd>Toast it.</dl>",
    "beside lists of links": f"{PROSE}{LIST}<ol><li><a href=/>Bake a cake</a><li><a href=/>Boil an egg</a></ol>",
    "beside an aside": f"<aside><ol><li>Bake a cake.<li>Boil an egg.</ol></aside>{PROSE}{PROSE}{LIST}",
}


@pytest.mark.parametrize("body", STRUCTURES.values(), ids=STRUCTURES)
def test_a_list_without_a_heading_of_its_own_is_steps(body: str, tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    assert passages(only(tmp_path, page(f"<h1>Toast</h1>{body}")), PassageKind.STEP) == STEPS


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<ol><li><p>Slice the bread.</p><p>Thinly.</p><li>Toast it.</ol>", ["Slice the bread. Thinly.", "Toast it."]),
        (
            "<ol><li>Slice the bread.</ol><p>Thinly.</p><ol start=2><li>Toast it.</ol>",
            ["Slice the bread. Thinly.", "Toast it."],
        ),
        (
            "<dl><dt>Slice the bread<dd>Use a knife.<dt>Toast it<dd>Both sides.</dl>",
            ["Slice the bread. Use a knife.", "Toast it. Both sides."],
        ),
        (
            "<ol><li>Slice it<ul><li>thinly<li>evenly</ul><li>Toast it.</ol>",
            ["Slice it", "thinly", "evenly", "Toast it."],
        ),
        (
            "<ol><li><p><b>Slice the bread</b></p><p>Use a knife.</p><li><b>Toast</b> it.</ol>",
            ["Slice the bread. Use a knife.", "Toast it."],
        ),
    ],
)
def test_what_belongs_to_an_item_of_a_list(body: str, expected: list[str], tmp_path: Path) -> None:
    assert passages(only(tmp_path, page(f"<h2>Method</h2>{body}")), PassageKind.STEP) == expected


@pytest.mark.parametrize("heading", ["<h2>Step {}: {}</h2><p>", "<p><b>Step {} - {}</b><br>"])
@pytest.mark.parametrize("numbers", [("1", "2"), ("one", "two")])
def test_a_step_below_each_heading(heading: str, numbers: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    first, second = (heading.format(number, name) for number, name in zip(numbers, ("cut", "toast"), strict=True))
    body = (
        f"<p>Have these to hand: a knife, bread and a toaster.</p>{first}Slice the bread.</p>"
        f"<img src=a.png><small>Photo: Lena</small>{second}Toast it.</p><b>Comments</b><p>nils said: yum</p>"
    )
    document = only(tmp_path, page(f"<h1>Toast</h1>{body}"))
    assert passages(document, PassageKind.STEP) == STEPS
    assert passages(document, PassageKind.SECTION) == ["cut\nSlice the bread.", "toast\nToast it."]
    assert words(document, document.declared.supplies) == ["a knife", "bread", "a toaster"]


@pytest.mark.parametrize("title", ["How to toast bread", "How do you toast bread?"])
def test_the_only_numbered_list_of_a_how_to_is_its_steps(title: str, tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    needs = "<h2>You will need</h2><ul><li>a toaster</ul>"
    document = only(tmp_path, page(f"{PROSE}{needs}<div>{LIST}</div>{PROSE}").replace("Toast - Example", title))
    assert passages(document, PassageKind.STEP) == STEPS
    assert not passages(document, PassageKind.PARAGRAPH)
    assert words(document, document.declared.supplies) == ["a toaster"]


def test_the_sentence_of_a_line_goes_on_behind_a_line_break(tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    body = "<p>On Monday I walked to the market to buy<br>a loaf of bread.<br>Then I went home.</p>"
    assert passages(only(tmp_path, page(f"{PROSE}{body}")))[1:] == [
        "On Monday I walked to the market to buy a loaf of bread.",
        "Then I went home.",
    ]


TEXTS = [{"@type": "HowToStep", "text": text} for text in STEPS]
SAME_STEPS: dict[str, str] = {
    "prefix": graph_of({"@type": "s:HowTo", "s:step": [{"@type": "s:HowToStep", "s:text": text} for text in STEPS]}),
    "prefix without context": with_json({"@type": "schema:HowTo", "schema:step": STEPS}),
    "IRIs": with_json(
        {"@type": SCHEMA + "HowTo", "http://schema.org/step": [{SCHEMA + "text": text} for text in STEPS]}
    ),
    "values and lists": with_json(
        how_to({"@list": [{"@value": STEPS[0]}, {"@set": [{"text": {"@value": STEPS[1]}}]}]})
    ),
    "terms": with_json(
        {"@context": {"schritt": {"@id": "schema:step"}, "art": "@type"}, "art": "HowTo", "schritt": STEPS}
    ),
    "keywords of schema.org": with_json({"@context": SCHEMA, "type": "HowTo", "step": STEPS}),
    "names of objects": graph_of(how_to("#1", {"@id": "#2"}), *({"@id": f"#{n}", **TEXTS[n - 1]} for n in (2, 1))),
    "one object twice": graph_of({"@id": "#t", "@type": "HowTo"}, {"@id": "#t", "step": STEPS}),
    "its steps apart": graph_of({"@id": "#t", **how_to(STEPS[0])}, {"@id": "#t", **how_to(STEPS[1])}),
    "the same twice": graph_of({"@id": "#t", **how_to(*STEPS)}, {"@id": "#t", **how_to(*STEPS)}),
    "positions": with_json(how_to({**TEXTS[1], "position": "2"}, {**TEXTS[0], "position": 1})),
    "positions of a list": with_json(
        how_to({"itemListElement": [{"position": 2, "item": TEXTS[1]}, {"position": "1.", "item": TEXTS[0]}]})
    ),
    "equal positions": with_json(how_to(*({**text, "position": 1} for text in TEXTS))),
    "a position missing": with_json(how_to({**TEXTS[0], "position": 7}, TEXTS[1])),
    "an odd position": with_json(how_to({**TEXTS[0], "position": 7}, {**TEXTS[1], "position": "nan"})),
    "itemref": page(
        "<div itemscope itemtype='http://schema.org/HowTo' itemref='b'></div><ol id=b>"
        "<li itemprop=step>Slice the bread.<li itemprop='https://schema.org/step'>Toast it.</ol>"
    ),
    "itemrefs in a circle": page(
        "<div id=a itemscope itemprop=step itemtype='http://schema.org/HowTo' itemref='a b'></div>"
        "<div id=b itemscope itemref=a itemprop=step><i itemprop=text>Slice the bread.</i></div>"
        "<div id=c itemscope itemtype='http://schema.org/HowTo' itemref='d'></div>"
        "<ol id=d><li itemprop=step>Slice the bread.<li itemprop=step>Toast it.</ol>"
    ).replace("HowTo' itemref='a b'", "Thing' itemref='a b'"),
    "RDFa": page(
        "<div vocab='https://schema.org/' typeof=HowTo><p property=step typeof=HowToStep>"
        "<meta property=position content=2>"
        "<b property=text>Toast it.</b><p property=step typeof=HowToStep><meta property=position content=1>"
        "<b property=text>Slice the bread.</b></div>"
    ),
    "RDFa with prefix": page(
        "<div prefix='s: http://schema.org/' typeof='s:HowTo'><link property='s:step' resource='#1'>"
        "<i property='s:step'>Toast it.</i></div><p resource='#1' typeof='s:HowToStep' property=''>"
        "<b property='s:text'>Slice the bread.</b>"
    ),
    "hRecipe": page(
        "<div class=hrecipe><b class=fn>Toast</b><div class=instructions><p>Slice the bread.<p>Toast it.</div>"
    ),
    "h-recipe": page(
        "<div class=h-recipe><i class='p-author h-card'><b class=p-name>Me</b></i><b class=p-name>Toast</b>"
        "<div class=e-instructions><p>Slice the bread.<p>Toast it.</div></div>"
    ),
}


@pytest.mark.parametrize("content", SAME_STEPS.values(), ids=SAME_STEPS)
def test_markup_in_every_form_has_the_same_steps(content: str, tmp_path: Path) -> None:
    document = only(tmp_path, content)
    assert (document.title, passages(document, PassageKind.STEP)) == ("Toast", STEPS)


def test_what_a_microformat_declares(tmp_path: Path) -> None:
    body = (
        "<div class=hrecipe><b class=fn>Toast</b><ul><li class=ingredient>1 loaf</ul><i class=yield>2 slices</i>"
        "<i class=duration><i class=value-title title=PT5M></i>5</i><ol class=instructions><li>Slice it.</ol>"
    )
    document = only(tmp_path, page(body))
    assert words(document, document.declared.supplies) == ["1 loaf"]
    assert [time.duration for time in document.declared.times] == ["PT5M"]


NUMBERED: list[tuple[str, list[str]]] = [
    *(
        (text, ["Boil it.", "Drain it.", "Eat it."])
        for text in (
            "1. Boil it.2. Drain it.3. Eat it.",
            "1.Boil it.2.Drain it.3.Eat it.",
            "1) Boil it. 2) Drain it. 3) Eat it.",
            "(1) Boil it. (2) Drain it. (3) Eat it.",
            "1: Boil it. 2: Drain it. 3: Eat it.",
            "①Boil it.②Drain it.③Eat it.",
            "Step 1: Boil it. Step 2: Drain it. Step 3: Eat it.",
            "STEP 1 Boil it. STEP 2 Drain it. STEP 3 Eat it.",
            "1\ufe0f\u20e3 Boil it. 2\ufe0f\u20e3 Drain it. 3\ufe0f\u20e3 Eat it.",
            "Method: 1. Boil it. 2. Drain it. 3. Eat it.",
            "1 - Boil it. 2 - Drain it. 3 - Eat it.",
            "1. Boil it.<br>2. Drain it.<br/>3. Eat it.",
            "9. Boil it. 10. Drain it. 11. Eat it.",
        )
    ),
    ("1. Boil water 2. Add salt 3. Stir", ["Boil water", "Add salt", "Stir"]),
    ("1. Add 2. 5 cups of rice. 2. Blend for 1.5 minutes.", ["Add 2. 5 cups of rice.", "Blend for 1.5 minutes."]),
    ("1. Divide it into 2. Roll each half. 2. Bake it.", ["Divide it into 2. Roll each half.", "Bake it."]),
    ("1. Beat 2 eggs.2. 2 minutes later, stir.", ["Beat 2 eggs.", "2 minutes later, stir."]),
    ("Heat to 180. Bake it.", ["Heat to 180. Bake it."]),
    ("Add 1.5 cups. Add 2. 5 cups.", ["Add 1.5 cups. Add 2. 5 cups."]),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERED)
def test_numbered_steps_in_one_string(text: str, expected: list[str], tmp_path: Path) -> None:
    assert passages(only(tmp_path, with_json(recipe(text))), PassageKind.STEP) == expected


@given(
    st.lists(
        st.sampled_from(["Add 2. 5 cups.", "Heat to 180.", "Mix it", "Wait 1.5 hours!", "Beat 2 eggs."]), min_size=2
    )
)
def test_numbered_steps_are_those_that_were_numbered(steps: list[str]) -> None:
    assert numbered_steps(" ".join(f"{number}) {step}" for number, step in enumerate(steps, 1))) == steps


LARGE: dict[str, str] = {
    "attributes": page("<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">x"),
    "attributes with tags in them": page("<p " + "".join(f"a{n}='><b'" for n in range(50_000)) + ">x"),
    "attributes behind a comment": page("<!-- <a b=' --><script>'<a b=\"'</script><p " + "a=1 " * 300 + ">x"),
    "attributes in a string": with_json(recipe("<p " + "a=1 " * 300 + ">Slice it.")),
    "elements": page("<b></b>" * 200_001),
    "cells": page("<table>" + ("<tr>" + "<td>x" * 100) * 2_100),
    "tables": page("<table><tr><td>x</table>" * 501),
    "nested lists of links": page("<ul><li>" * 100 + "<a href=x>x</a>" * 5_000),
    "elements too deep": page("<p>x" + "<b>" * 300 + "y"),
    "values of JSON-LD": with_json([1] * 200_001),
    "characters of JSON-LD": with_json("x" * (4 * 1024 * 1024)),
    "depth of JSON-LD": with_json(json.loads("[" * 70 + "]" * 70)),
    "how-tos of the same steps": graph_of(*[how_to({"@id": "#s"})] * 100, {"@id": "#s", "step": ["x"] * 9_000}),
    "names of names": graph_of({"@id": "#b", **how_to("x", name=[{"@id": "#b"}] * 9, tool=[{"@id": "#b"}] * 60_000)}),
    "values of values": page("<div itemscope itemtype=HowTo>" + "<i itemprop=step>" * 30 + "x"),
    "itemrefs": page("<p itemscope itemref=a></p>" * 1_000 + "<div id=a>" + "<i itemprop=x>y</i>" * 300),
}


@pytest.mark.parametrize("content", LARGE.values(), ids=LARGE)
def test_what_is_beyond_a_limit_is_named(content: str, tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    _, discards = read(tmp_path, "a.html", content)
    assert [discard.reason for discard in discards][:1] == [DiscardReason.TOO_LONG]


def test_the_limits_of_json_ld_files(tmp_path: Path) -> None:
    _, (discard,) = read(tmp_path, "a.jsonld", json.dumps([1] * 200_001))
    assert discard.reason is DiscardReason.TOO_LONG


def test_what_a_recipe_declares(tmp_path: Path) -> None:
    markup = recipe(
        [{"@type": "HowToSection", "name": "First", "itemListElement": STEPS}, "Eat it."],
        recipeIngredient=["1 loaf &amp; 1 roll", "  butter\n"],
        tool=["knife", {"@type": "HowToTool", "name": "toaster"}],
        prepTime="PT5M",
        cookTime="P0DT1H30M0S",
        totalTime="soon",
        recipeYield=["2", "2 slices"],
    )
    document = only(tmp_path, with_json(markup))
    declared = document.declared
    assert words(document, declared.tools) == ["knife", "toaster"]
    assert words(document, declared.supplies) == ["1 loaf & 1 roll", "butter"]
    assert [(time.kind, time.duration) for time in declared.times] == [
        ("preparation", "PT5M"),
        ("performance", "PT1H30M"),
    ]
    assert [words(document, (time.span,)) for time in declared.times] == [["5 minutes"], ["1 hour 30 minutes"]]
    assert declared.makes is not None
    assert words(document, (declared.makes,)) == ["2 slices"]
    assert passages(document, PassageKind.SECTION) == ["First\nSlice the bread.\nToast it."]
    assert passages(document, PassageKind.NEEDS) == [
        "Equipment\nknife\ntoaster",
        "Ingredients\n1 loaf & 1 roll\nbutter",
    ]
    assert passages(document, PassageKind.STEP) == [*STEPS, "Eat it."]


def test_equipment_beside_the_markup(tmp_path: Path) -> None:
    markup = with_json(recipe(STEPS)).replace("<h1>", "<h3>Equipment</h3><ul><li>toaster<li>knife</ul><h1>")
    document = only(tmp_path, markup)
    assert words(document, document.declared.tools) == ["toaster", "knife"]


def test_supplies_of_a_how_to_have_their_quantity(tmp_path: Path) -> None:
    supply = {"@type": "HowToSupply", "name": "nail", "requiredQuantity": {"value": 2, "unitText": "cm"}}
    markup = {"@type": "HowTo", "name": "Hang it", "step": STEPS, "supply": [supply, "wire"]}
    document = only(tmp_path, with_json(markup))
    assert words(document, document.declared.supplies) == ["2 cm nail", "wire"]
    assert passages(document, PassageKind.NEEDS) == ["Materials\n2 cm nail\nwire"]


FLOURS = ["250 g plain flour", "2 eggs", "200 ml buttermilk", "honey, to serve"]
OTHER_UNITS = ["8.8oz plain flour", "2 eggs", "6.7 fl oz buttermilk", "honey, to serve"]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        (FLOURS + OTHER_UNITS, FLOURS),
        (FLOURS + OTHER_UNITS + ["9 oz all-purpose flour", "2 eggs", "7 oz milk", "Honey, to serve"], FLOURS),
        (FLOURS + OTHER_UNITS[:3], FLOURS + OTHER_UNITS[:3]),
        ([*FLOURS, "1 onion", "2 carrots", "1 l stock", "salt, to taste"],) * 2,
        (["salt", "water", "salt", "water"],) * 2,
    ],
)
def test_a_list_in_other_units_is_told_once(items: list[str], told: list[str], tmp_path: Path) -> None:
    document = only(tmp_path, with_json(recipe(STEPS, recipeIngredient=items)))
    assert words(document, document.declared.supplies) == told


def test_several_recipes_of_a_page_and_none_twice(tmp_path: Path) -> None:
    other = recipe(["Peel the egg."], name="Egg")
    documents, _ = read(
        tmp_path, "a.html", with_json([recipe(STEPS), other, recipe(STEPS), {"@type": "Recipe", "name": "x"}])
    )
    assert [(document.name, document.title) for document in documents] == [("a.html#1", "Toast"), ("a.html#2", "Egg")]


def test_address_and_licence(tmp_path: Path) -> None:
    head = "<link rel=canonical href='https://example.org/toast'><a rel='license nofollow' href='/by'>CC BY</a>"
    document = only(tmp_path, page("<h2>Method</h2><p>Slice it.</p><p>Eat it.</p>", head))
    assert (document.url, document.licence) == ("https://example.org/toast", "https://example.org/by")
    said = only(tmp_path, with_json(recipe(STEPS, license={"@type": "CreativeWork", "name": "CC BY 4.0"})))
    assert (said.url, said.licence) == ("", "CC BY 4.0")
    odd = only(
        tmp_path, page("<h2>Method</h2><p>Slice it.</p><p>Eat it.</p>", "<link rel=canonical href='javascript:x'>")
    )
    assert odd.url == ""


def test_licence_and_declared_things_are_part_of_the_digest_and_the_address_is_not() -> None:
    how_to = HowTo(title="Toast", sections=[Section(steps=STEPS)])
    plain = document_of_how_to(how_to, name="a", format="html")
    assert document_of_how_to(how_to, name="b", format="html", url="https://example.org").digest == plain.digest
    assert document_of_how_to(how_to, name="a", format="html", licence="CC0").digest != plain.digest


def test_what_is_declared_is_kept_with_the_records() -> None:
    how_to = HowTo(
        title="Toast",
        tools=["knife"],
        supplies=["1 loaf"],
        times=[Time(kind=TimeKind.TOTAL, duration="PT5M", words="5 minutes")],
        makes="2 slices",
        sections=[Section(steps=STEPS)],
    )
    document = document_of_how_to(how_to, name="a", format="html", url="https://example.org", licence="CC0")
    ((_, _, _, kept),) = decode(Document, encode(Document, [(document.digest, "x", 0, document)]))
    assert kept == document
    assert kept.digest == document.digest


def test_the_licence_and_the_address_reach_the_graph(tmp_path: Path) -> None:
    head = "<link rel=canonical href='https://example.org/toast'><link rel=license href='https://example.org/by'>"
    (tmp_path / "a.html").write_text(page("<h2>Method</h2><p>Slice it.</p><p>Eat it.</p>", head))
    build_graph(tmp_path / "a.html", tmp_path / "graph", extractors=["labels"])
    graph = ScriptGraph.open(tmp_path / "graph")
    (row,) = graph.rows("Source", ("url", "licence"))
    assert (row["url"], row["licence"]) == ("https://example.org/toast", "https://example.org/by")
    export(graph, tmp_path / "graph.nq")
    quads = (tmp_path / "graph.nq").read_text("utf-8")
    assert '<https://schema.org/license> "https://example.org/by"' in quads
    assert '<https://schema.org/url> "https://example.org/toast"' in quads


def test_prose_is_the_main_text(tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    prose = [f"On day {n} I boiled the water, and then I poured it over the leaves in the pot." for n in range(6)]
    body = "".join(f"<p>{text}</p>" for text in prose)
    document = only(
        tmp_path, page(f"<article><h1>Toast</h1>{body}<div class=advertisement><p>Buy a pot!</p></div></article>")
    )
    assert passages(document) == prose


def test_without_trafilatura_prose_is_set_aside_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgscripts.corpora.web.reader.find_spec", lambda _: None)
    documents, (discard,) = read(tmp_path, "a.html", page("<p>I boiled the water, and then I poured it.</p>" * 9))
    assert not documents
    assert discard.reason is DiscardReason.NOT_INSTALLED
    assert "pip install 'kgscripts[web]'" in discard.detail
    assert only(tmp_path, SAYS_STEPS["steps"])  # what needs no main text is read


BAD: dict[str, str | bytes] = {
    "nothing": "<html></html>",
    "a tag cut off": "<html><body><p>Slice the br",
    "wrong types": with_json({"@type": 3, "name": [{}], "recipeInstructions": 4}),
    "types within": with_json(
        {"@type": ["Recipe"], "name": {"a": 1}, "recipeInstructions": [None, 1, [[]], {"text": [2]}]}
    ),
    "half a surrogate": with_json(recipe(STEPS)).replace("Toast it.", "Toast \\ud83d it."),
    "deep JSON": page("<p>x", "<script type='application/ld+json'>" + "[" * 100_000 + "</script>"),
    "deep sections": page(
        "<p>x",
        "<script type='application/ld+json'>"
        + json.dumps(recipe(STEPS)).replace(
            json.dumps(STEPS), '{"itemListElement":[' * 300 + '"Slice it."' + "]}" * 300
        )
        + "</script>",
    ),
    "references in a circle": with_json({"@graph": [recipe([{"@id": "#1"}]), {"@id": "#1", "step": {"@id": "#1"}}]}),
    "deep tags": "<html><body>" + "<div>" * 20_000 + "Slice the bread." + "</div>" * 20_000,
    "an entity bomb": '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
    "]><html><body><p>&b;&b;&b;</p></body></html>",
    "only scripts": page("<script>document.write('<h2>Method</h2><p>Slice it.')</script>"),
    "controls": b"<html><body><h2>Method</h2><p>Slice \x00\x01\x0b it.</p><p>Eat\xef\xbf\xbe it.</p></body></html>",
    "not UTF-8 as declared": '<html><meta charset="windows-1251"><h2>Method</h2><p>Нарежь хлеб тонко.</p>'.encode(
        "cp1251"
    ),
    "wrong base64": page("<img src='data:image/png;base64,////'>"),
    "many headings": "<html>" + "<h2>Instructions</h2><h2>Ingredients</h2><ul><li>1 egg</ul>" * 1_000,
    "many lists": "<html>" + "<h2>Instructions</h2>" + "<ol><li>Slice it.</ol><ul><li>Eat it.</ul>" * 2_000,
    "long lines": page("<h2>Method</h2><p>" + "slice it " * 40_000 + "</p>"),
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_bad_pages_are_read_or_set_aside(content: str | bytes, tmp_path: Path) -> None:
    """`read` checks the spans of documents and the places of discards; nothing is raised."""
    start = time.process_time()
    read(tmp_path, "a.html", content)
    assert time.process_time() - start < 60  # seconds; a quadratic reader would take minutes


def test_large_pages(tmp_path: Path) -> None:
    filler = "<!-- " + "x" * 5_000_000 + " --><script>" + "y" * 5_000_000 + "</script>"
    assert (
        passages(only(tmp_path, SAYS_STEPS["a numbered list"].replace("<nav>", filler + "<nav>")), PassageKind.STEP)
        == STEPS
    )
    _, (discard,) = read(tmp_path, "a.html", "<html>" + " " * (33 * 1024 * 1024))
    assert discard.reason is DiscardReason.TOO_LONG


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["Recipe", "HowToStep", "#1", "<b>x"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@id",
                    "@graph",
                    "name",
                    "text",
                    "step",
                    "itemListElement",
                    "recipeInstructions",
                    "tool",
                    "supply",
                    "recipeIngredient",
                    "totalTime",
                    "recipeYield",
                    "item",
                    "license",
                    "requiredQuantity",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=50)
@given(_VALUES)
def test_any_json_gives_documents_with_right_spans(value: Any) -> None:
    for how_to in how_tos_of(
        objects_of(json.dumps([value, {"@type": "Recipe", "name": "a", "recipeInstructions": value}]))
    ):
        document = document_of_how_to(how_to, name="a", format="html")
        check_spans(document)
        assert words(document, document.declared.tools) == list(how_to.tools)
        assert words(document, document.declared.supplies) == list(how_to.supplies)
        assert passages(document, PassageKind.STEP) == list(how_to.steps)


@settings(max_examples=50)
@given(
    st.lists(
        st.sampled_from(
            [
                "<h2>Method</h2>",
                "<li>",
                "<ol>",
                "</ol>",
                "<p>",
                "Slice it. ",
                "<b>",
                "</div>",
                "<div>",
                "Ingredients",
                "<br>",
                "<h3>",
                "1 egg",
                "<table><tr><td>",
                "<!--",
                "-->",
                "&amp",
                "<a rel=license href=:>",
            ]
        )
    )
)
def test_any_tags_give_documents(parts: list[str]) -> None:
    tree = parsed_page(f"<html><body>{''.join(parts)}".encode())
    assert tree is not None
    for document in documents_of_tree(tree, "a"):
        check_spans(document)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("PT90M", ("PT1H30M", "1 hour 30 minutes")),
        ("P1DT0.5H", ("P1DT30M", "1 day 30 minutes")),
        ("pt1m", ("PT1M", "1 minute")),
        ("PT0M", None),
        ("P", None),
        ("an hour", None),
        ("PT" + "9" * 50 + "M", None),
    ],
)
def test_durations(value: str, expected: tuple[str, str] | None) -> None:
    assert duration_of(value) == expected


def test_the_example_pages_are_read_with_and_without_markup() -> None:
    files = sorted(EXAMPLES.glob("*.html"))
    assert len(files) == 10
    with_declared = 0
    for file in files:
        tree, plain = parsed_page(file.read_bytes()), parsed_page(file.read_bytes())
        assert tree is not None
        assert plain is not None
        (document,) = documents_of_tree(tree, file.name)
        text = document.text.lower()
        assert "advert" not in text
        assert "subscribe" not in text
        assert "says:" not in text
        assert document.url
        with_declared += bool(document.declared.tools or document.declared.supplies)
        assert not any(item.get("itemprop") for item in without_markup(plain).iter() if isinstance(item.tag, str))
    assert with_declared == 8


def test_reading_a_page_does_not_import_trafilatura_unless_it_is_needed(tmp_path: Path) -> None:
    sys.modules.pop("trafilatura", None)
    only(tmp_path, SAYS_STEPS["steps"])
    assert "trafilatura" not in sys.modules
    check_spans(only(tmp_path, SAYS_STEPS["a numbered list"]))
