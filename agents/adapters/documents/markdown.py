"""Markdown to sections and tables: rendered by markdown-it, then read like any HTML."""

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agents.adapters.documents.html import read_html
from agents.adapters.documents.parts import Parts

_TAGS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "script",
        "section",
        "small",
        "span",
        "strong",
        "style",
        "sub",
        "summary",
        "sup",
        "svg",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "iframe",
        "object",
        "embed",
        "form",
        "input",
    ]
)


def read_markdown(text: str) -> Parts:
    """Return the text by section, without markup. Angle brackets that are no HTML tag stay as text."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or []:
            _keep_unknown(child)
    return read_html(parser.renderer.render(tokens, parser.options, {}), media_type="text/markdown")


def _keep_unknown(token: Token) -> None:
    """Names such as ``Elemene <beta>`` look like tags and are chemistry."""
    if token.type == "html_inline" and token.content.startswith("<"):
        name = token.content.strip("</>").split(" ")[0].split("\n")[0].casefold()
        if name not in _TAGS and not token.content.startswith("<!--"):
            token.type = "text"
