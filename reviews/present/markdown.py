"""Markdown from models and people as clean HTML: no raw HTML, no images, no remote loads."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_TAGS = {
    *("p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}


def to_html(text: str) -> SafeString:
    """Return ``text`` as HTML that holds only plain structure; links carry no referrer and open nothing by themselves."""
    html = nh3.clean(
        _MARKDOWN.render(text or ""),
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308  (cleaned by an allow-list one line above)
