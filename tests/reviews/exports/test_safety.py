"""Untrusted text in every place of a report: shown, never obeyed."""

import csv
import io

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from reviews.exports import export_run
from reviews.exports.escape import markdown_text, sheet_cell, shown, tame_markdown
from tests.reviews.exports import stories

EVIL = "<script>alert(1)</script> ![x](https://evil.example/b.png) [a](javascript:alert(1)) <img src=x onerror=alert(1)>"


def hostile_run():
    study = stories.a_study(title=f"T {EVIL}"[:200], goal=EVIL, initial_hypothesis=EVIL)
    run = stories.a_run(study)
    gate = stories.propose(run, 1, {"base": "CsOPiv", "temperature": 90}, hypothesis=EVIL)
    gate.request["title"] = EVIL
    gate.save()
    stories.decide(
        gate=gate,
        user=stories.user(),
        verdict="veto",
        shown_digest=gate.digest,
        reason_code="other",
        note=EVIL,
    )
    stories.log(run, "guidance.given", {"text": EVIL, "by": EVIL})
    stories.measure(run, 1, gate, 5.0, operator=EVIL, note=EVIL, actual={EVIL: EVIL})
    return stories.reload(stories.finish(run, text=EVIL))


@pytest.mark.django_db
def test_the_html_holds_no_script_no_handler_and_loads_nothing():
    tree = LexborHTMLParser(export_run(hostile_run(), "html").content.decode())
    assert [tree.css(tag) for tag in ("script", "img", "iframe", "link", "object", "form")] == [[]] * 6
    attributes = {name for node in tree.css("*") for name in node.attributes}
    assert not {name for name in attributes if name.startswith("on") or name in ("src", "srcset", "style")}
    assert {node.attributes.get("href") for node in tree.css("a")} <= {None}
    assert "<script>alert(1)</script>" in tree.body.text()


@pytest.mark.django_db
def test_the_markdown_renders_without_html_images_or_links_even_where_html_is_allowed():
    text = export_run(hostile_run(), "md").content.decode()
    tree = LexborHTMLParser(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))
    assert [tree.css(tag) for tag in ("script", "img", "a")] == [[], [], []]
    assert tree.css_first("h1").text() == f"T {EVIL}"[:200]


@pytest.mark.django_db
def test_the_csv_holds_the_text_and_its_row_stays_one_row():
    rows = list(csv.DictReader(io.StringIO(export_run(hostile_run(), "csv").content.decode("utf-8-sig"))))
    assert [row["operator"] for row in rows] == [EVIL]


@pytest.mark.parametrize("text", ["# a", "- a", "+ a", "1. a", "1) a", "> a", "* a", "=", "---", "a | b", "`a`", "~~a~~", "<b>", "&lt;", "a_b_c", "$x$", "0.153", "-5", "a\n# b"])  # fmt: skip
def test_markdown_text_reads_as_it_was(text):
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(f"- {markdown_text(text)}")
    assert LexborHTMLParser(html).css_first("ul").text().strip() == " ".join(text.split())
    assert [node.tag for node in LexborHTMLParser(html).css("ul *")] == ["li"]


def test_plain_numbers_are_not_cluttered():
    assert [markdown_text(text) for text in ("0.153", "-5", "2026-11-30")] == ["0.153", "-5", "2026-11-30"]


def test_a_conclusion_keeps_its_structure_below_its_section():
    given = "# Result\n\n## Why\n\n- **one**\n- two"
    assert tame_markdown(given, below=2) == "### Result\n\n#### Why\n\n- **one**\n- two"


@pytest.mark.parametrize(
    "text", ["```\nopen", "~~~\nopen", "text\n---", "<!-- open", "[a]: https://x.example"]
)
def test_a_conclusion_cannot_swallow_or_restyle_what_follows(text):
    page = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(
        tame_markdown(text, below=2) + "\n\n## Next"
    )
    assert page.endswith("<h2>Next</h2>\n")
    assert page.count("<h2>") == 1


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("＝1+1", "'＝1+1"),
        ("-5", "-5"),
        ("+1.5e-3", "+1.5e-3"),
        (-5, -5),
        (0.1, 0.1),
        (None, ""),
        ("KOAc", "KOAc"),
        (True, "True"),
    ],
)
def test_text_never_becomes_a_formula_and_numbers_stay_numbers(cell, written):
    assert sheet_cell(cell) == written


def test_characters_that_turn_the_direction_of_writing_leave_a_mark():
    assert shown({"a": ["x\u202ey", 1]}) == {"a": ["x\ufffdy", 1]}


@pytest.mark.django_db
def test_the_longest_name_with_such_characters_can_be_exported():
    name = "\u202e" * 80
    run = stories.a_run(stories.a_study(objectives=[{"name": name}]))
    assert "\ufffd" * 80 in export_run(stories.reload(run), "md").content.decode()
