"""Markdown from models and people: structure stays, nothing runs, nothing loads."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from reviews.present.markdown import to_html


def test_structure_stays():
    html = to_html("## Best\n\n- **CsOPiv**\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    for element in ("<h2>", "<li>", "<strong>", "<table>", "<td>"):
        assert element in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](https://evil.example/beacon.png)",
        "<iframe src=https://evil.example></iframe>",
        '<a href="x" onclick="alert(1)">x</a>',
        "<style>@import url(https://evil.example)</style>",
    ],
)
def test_nothing_runs_and_nothing_loads(text):
    tree = LexborHTMLParser(to_html(text))
    elements = [node for node in tree.body.traverse(include_text=False) if node.tag != "body"]
    assert {node.tag for node in elements} <= {"p", "a"}
    for node in elements:
        assert node.attributes.keys() <= {"href", "rel"}
        assert not str(node.attributes.get("href", "")).startswith(("javascript:", "data:"))


def test_links_tell_nobody_where_they_were_followed():
    assert 'rel="noopener noreferrer nofollow"' in to_html("[paper](https://doi.org/10.1)")
