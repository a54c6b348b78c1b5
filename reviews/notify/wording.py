"""What a message says: plain text, one line a notice, with a link to a page that asks for a sign-in."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.core.text import clean_text, shorten
from reviews.models import Notice
from reviews.present.words import NOTICES, label


def path_of(notice: Notice) -> str:
    """Return the page that a notice is about."""
    if notice.review_id:
        return reverse("review", args=[notice.review_id])
    return reverse("run", args=[notice.run_id])


def link_of(notice: Notice) -> str:
    """Return the full address of that page."""
    return f"{settings.DAYBOOK_URL.rstrip('/')}{path_of(notice)}"


def subject(notices: Sequence[Notice]) -> str:
    """Return the subject of a message: one line, whatever the titles hold."""
    if len(notices) == 1:
        text = f"{label(NOTICES, notices[0].kind)}: {notices[0].title}"
    else:
        n = len(notices)
        text = ngettext("%(n)s notice from Daybook", "%(n)s notices from Daybook", n) % {"n": n}
    return shorten(" ".join(clean_text(str(text)).split()), 150)


def body(notices: Sequence[Notice]) -> str:
    """Return the text of a message."""
    lines = [_("From Daybook. To decide, open the page and sign in; this message decides nothing."), ""]
    for notice in notices:
        run = notice.run
        lines += [
            f"{label(NOTICES, notice.kind)}: {' '.join(clean_text(notice.title).split())}",
            f"{run.study.title} #{run.number}",
            link_of(notice),
            "",
        ]
    lines.append(_("Change how you are told: %(link)s") % {"link": _settings_link()})
    return "\n".join(lines)


def payload(notices: Sequence[Notice], delivery_id: Any) -> dict[str, Any]:
    """Return the same for a program."""
    return {
        "type": "daybook.notices",
        "id": str(delivery_id),
        "notices": [
            {
                "kind": notice.kind,
                "title": notice.title,
                "study": notice.run.study.slug,
                "run": notice.run.number,
                "review": str(notice.review_id) if notice.review_id else None,
                "link": link_of(notice),
                "at": notice.at.isoformat(),
            }
            for notice in notices
        ],
    }


def _settings_link() -> str:
    return f"{settings.DAYBOOK_URL.rstrip('/')}{reverse('notify-settings')}"
