"""Tags and filters of the pages: icons, state, figures, differences, events."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import template
from django.template.base import Template
from django.template.loader import select_template
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.pictures import Picture, pictures_of
from agents.core.quotes import find_quote
from agents.core.tools import Action
from agents.models import Event
from reviews.exports.parts.wording import entered_text
from reviews.keys import ACTS, keys_of
from reviews.models import Review
from reviews.present import figures, words
from reviews.present.comments import stretches
from reviews.present.diffs import Piece, difference
from reviews.present.lists import items_or_none
from reviews.present.markdown import to_html
from reviews.present.policy import EFFECTS
from reviews.present.rounds import is_quiet
from reviews.present.state import shown_state

register = template.Library()

RAIL = (
    ("inbox", gettext_lazy("Inbox"), "inbox", ("/inbox/", "/reviews/")),
    ("notices", gettext_lazy("Notices"), "bell", ("/notices/",)),
    ("studies", gettext_lazy("Studies"), "flask-conical", ("/studies/", "/documents/", "/sources/")),
    ("runs", gettext_lazy("Runs"), "activity", ("/runs/",)),
    ("findings", gettext_lazy("Findings"), "library-big", ("/findings/",)),
    ("tools", gettext_lazy("Tools"), "wrench", ("/tools/",)),
    ("settings", gettext_lazy("Settings"), "settings", ("/settings/",)),
)

register.filter("number", figures.number)
register.filter("share", figures.share)
register.filter("span", figures.span)
register.filter("quantity", figures.quantity)
register.filter("markdown", to_html)
register.filter("entered", entered_text)
register.filter("run_state", shown_state)


@register.simple_tag
def icon(name: str) -> SafeString:
    """Draw a symbol of the sprite; it says nothing to a screen reader, so a word must stand beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("vendor/lucide/icons.svg"),
        name,
    )


@register.simple_tag(takes_context=True)
def rail_links(context: template.Context) -> list[dict[str, Any]]:
    """Return the links of the rail; the one whose part of the site this page belongs to is marked."""
    path = getattr(context.get("request"), "path", "")
    links = []
    for name, text, symbol, parts in RAIL:
        here = any(path.startswith(part) for part in parts)
        links.append({"name": name, "url": reverse(name), "label": text, "icon": symbol, "is_here": here})
    return links


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """Return the look that this browser chose, or '' for the system's."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme", "") if request else ""
    return chosen if chosen in ("light", "dark") else ""


@register.simple_tag(takes_context=True)
def key_of(context: template.Context, act: str) -> str:
    """Return the key that whoever reads this gave to ``act``, or '' for none."""
    user = context.get("user")
    return keys_of(user).get(act, "") if user is not None and user.is_authenticated else ""


@register.simple_tag(takes_context=True)
def keymap(context: template.Context) -> list[dict[str, Any]]:
    """Return every act of the desk with its words and the reader's key for it."""
    return [{"act": act, "label": text, "key": key_of(context, act)} for act, (text, _usual) in ACTS.items()]


@register.simple_tag(takes_context=True)
def commented(context: template.Context, text: Any, part: str) -> SafeString:
    """Show a part of the proposal, escaped, with what is commented on marked by the numbers of the comments."""
    found = stretches(str(text), part, context.get("comments") or [])
    shown = format_html_join(
        "",
        "{}",
        (
            (format_html('<mark class="on" data-n="{}">{}</mark>', one.told, one.text),)
            if one.numbers
            else (one.text,)
            for one in found
        ),
    )
    return format_html('<span class="pre-line" data-part="{}">{}</span>', part, shown)


@register.simple_tag
def pill(table: str, code: str, text: str = "") -> SafeString:
    """Show a code as colour, icon and word. ``text`` replaces the word."""
    word = words.word(table, code)
    return format_html(
        '<span class="pill tone-{}">{}<span>{}</span></span>', word.tone, icon(word.icon), text or word.label
    )


@register.simple_tag
def word(table: str, code: str) -> words.Word:
    """Return the word of a code, for templates that lay it out themselves."""
    return words.word(table, code)


@register.filter
def parts_of(action: dict[str, Any] | Action) -> list[dict[str, Any]]:
    """Return an action as what it is made of: itself, or the steps of a list; arguments as pairs."""
    action = action if isinstance(action, Action) else Action.model_validate(action)
    parts: list[tuple[int | None, str, dict[str, Any]]] = [
        (item.step, item.tool, item.arguments) for item in items_or_none(action)
    ]
    parts = parts or [(None, action.tool, action.arguments)]
    return [
        {"step": step, "tool": tool, "arguments": list(arguments.items())} for step, tool, arguments in parts
    ]


@register.filter
def seconds_since(moment: datetime) -> int:
    """Return how many whole seconds ago ``moment`` was; the page counts on from there."""
    return max(0, int((timezone.now() - moment).total_seconds()))


@register.filter
def label(code: str, table: str) -> Any:
    """Return the label of ``code`` in one of the plain tables: reasons, roles, budget, datasets."""
    tables = {
        "reasons": words.REASONS,
        "roles": words.ROLES,
        "budget": words.BUDGET,
        "datasets": words.DATASETS,
        "origins": words.ORIGINS,
        "deadlines": words.DEADLINES,
        "effects": EFFECTS,
        "notices": words.NOTICES,
        "meanings": words.MEANINGS,
        "pauses": words.PAUSES,
    }
    return words.label(tables[table], code)


@register.filter
def policy(code: str) -> Any:
    """Return a policy preset in words."""
    return words.POLICIES.get(code, (code, ""))[0]


@register.filter
def reasoner(code: str) -> Any:
    """Return a reasoner in words."""
    return words.REASONERS.get(code, (code, ""))[0]


@register.simple_tag
def measured(value: float | None, uncertainty: float | None, unit: str = "") -> SafeString:
    """Show value, uncertainty and unit as one."""
    return format_html('<span class="num">{}</span>', figures.measured(value, uncertainty, unit))


@register.simple_tag
def ago(moment: datetime | str | None) -> SafeString | str:
    """Show a time as how long ago it was, the absolute one on hover. Takes ISO text too."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment) if moment else None
    if moment is None:
        return ""
    gone = (timezone.now() - moment).total_seconds()
    text = _("just now") if gone < 60 else _("%(time)s ago") % {"time": timesince(moment, depth=1)}
    absolute = date_format(timezone.localtime(moment), "DATETIME_FORMAT")
    return format_html('<time datetime="{}" title="{}">{}</time>', moment.isoformat(), absolute, text)


@register.filter
def clock(moment: datetime) -> str:
    """Return the time of day of an event."""
    return date_format(timezone.localtime(moment), "H:i:s")


@register.simple_tag
def pieces(parts: Iterable[Piece]) -> SafeString:
    """Show the pieces of a difference: what went struck, what came marked."""
    elements = {"same": "{}", "added": "<ins>{}</ins>", "removed": "<del>{}</del>"}
    return format_html_join("", "{}", ((format_html(elements[part.kind], part.text),) for part in parts))


@register.simple_tag
def marked(text: str, quote: str) -> SafeString:
    """Show ``text`` with ``quote`` marked where it stands in it, differences of space and hyphenation aside."""
    span = find_quote(quote, text)
    if span is None:
        return format_html("{}", text)
    return format_html(
        "{}<mark>{}</mark>{}", text[: span.start], text[span.start : span.end], text[span.end :]
    )


@register.simple_tag
def changed(old: Any, new: Any) -> SafeString:
    """Show how ``new`` differs from ``old``."""
    return pieces(difference(figures.number(old), figures.number(new)))


@register.simple_tag(takes_context=True)
def event(context: template.Context, row: Event) -> str:
    """Render an event by the template of its kind, the same for first load and for live update."""
    found = select_template([f"events/{row.kind}.html", "events/other.html"])
    inner: Template = found.template
    with context.push(event=row, payload=row.payload, quiet=is_quiet(row)):
        return inner.render(context)


@register.filter
def pictures(result: Any) -> list[Picture]:
    """Return the pictures among a call's result."""
    return pictures_of(result) if isinstance(result, dict) else []


@register.filter
def is_long(value: Any) -> bool:
    """Return True for text of several lines, such as code: it is shown whole and as it is laid out."""
    return isinstance(value, str) and "\n" in value.strip()


@register.filter
def as_json(value: Any) -> str:
    """Return ``value`` as indented JSON, letters as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


@register.filter
def is_held(review: Review) -> bool:
    """Return True while somebody's claim on the review lasts."""
    return bool(review.claimed_by_id and review.claimed_until and review.claimed_until > timezone.now())


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """Return ``mapping[key]``, or None: for keys that a template cannot spell."""
    return mapping.get(key) if isinstance(mapping, dict) else None


@register.filter
def share_of(used: float, limit: float) -> float:
    """Return the used share of a limit, at most 1; a limit of 0 is used up."""
    return min(1.0, used / limit) if limit else 1.0


@register.simple_tag(takes_context=True)
def with_query(context: template.Context, key_of_page: str = "", **changes: Any) -> str:
    """Return this page's query string with ``changes`` made; None drops a key, and so is how a card was reached.

    ``page`` is stored under ``key_of_page`` where several lists of one page turn by themselves.
    """
    if key_of_page and "page" in changes:
        changes[key_of_page] = changes.pop("page")
    query = context["request"].GET.copy()
    for name in ("from", "at", "do"):
        query.pop(name, None)
    for key, value in changes.items():
        query.pop(key, None)
        if value is not None:
            query[key] = str(value)
    return f"?{query.urlencode()}"
