"""The keys of the desk: what each does, which key a person gave it, and whether two would get in each other's way."""

import unicodedata
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.errors import BadInput
from reviews.models import Shortcuts
from reviews.present.words import Text

ACTS: dict[str, tuple[Text, str]] = {
    "next": (gettext_lazy("next in the list"), "j"),
    "previous": (gettext_lazy("previous in the list"), "k"),
    "approve": (gettext_lazy("approve and run"), "a"),
    "edit": (gettext_lazy("edit"), "e"),
    "measure": (gettext_lazy("I measured it"), "m"),
    "veto": (gettext_lazy("veto"), "v"),
    "note": (gettext_lazy("approve with a note"), "r"),
    "guide": (gettext_lazy("guidance"), "g"),
    "claim": (gettext_lazy("claim"), "c"),
    "sheet": (gettext_lazy("this sheet"), "?"),
}
"""Each act with its words and its usual key. Escape closes what is open and cannot be given to anything else."""

_KEPT = "_keys_of_the_desk"


def keys_of(user: Any) -> dict[str, str]:
    """Return the key of each act for ``user``; an empty one for an act that has none. One query for a request."""
    kept: dict[str, str] | None = getattr(user, _KEPT, None)
    if kept is None:
        row = Shortcuts.objects.filter(user_id=getattr(user, "pk", None) or 0).first()
        own = row.keys if row else {}
        kept = {act: own.get(act, usual) for act, (_text, usual) in ACTS.items()}
        setattr(user, _KEPT, kept)
    return kept


def set_keys(*, user: Any, keys: dict[str, str]) -> dict[str, str]:
    """Give each act of ``keys`` its key and return all; an empty one takes the key away.

    Raises ``BadInput`` with a problem by act when a key is not one character that a keyboard gives by itself, or
    when two acts have the same one; then nothing is changed.
    """
    wanted = {
        **keys_of(user),
        **{act: unicodedata.normalize("NFC", key.strip()) for act, key in keys.items()},
    }
    if unknown := wanted.keys() - ACTS.keys():
        raise BadInput(
            _("There is nothing called %(names)s that a key could do.")
            % {"names": ", ".join(sorted(unknown))}
        )
    problems = [*_unfit(wanted), *_conflicts(wanted)]
    if problems:
        raise BadInput(" ".join(problem["message"] for problem in problems), problems)
    own = {act: key for act, key in wanted.items() if key != ACTS[act][1]}
    Shortcuts.objects.update_or_create(user_id=user.pk, defaults={"keys": own})
    setattr(user, _KEPT, wanted)
    return wanted


def reset_keys(*, user: Any) -> None:
    """Go back to the usual keys."""
    Shortcuts.objects.filter(user_id=user.pk).delete()
    setattr(user, _KEPT, None)


def _unfit(keys: dict[str, str]) -> list[dict[str, str]]:
    return [
        {
            "field": act,
            "message": _("“%(key)s” is not one key. Give a single letter, digit or sign.") % {"key": key},
        }
        for act, key in keys.items()
        if key and (len(key) != 1 or not key.isprintable())
    ]


def _conflicts(keys: dict[str, str]) -> list[dict[str, str]]:
    problems = []
    for act, key in keys.items():
        others = [str(ACTS[other][0]) for other, its in keys.items() if other != act and key and its == key]
        if others:
            told = _("“%(key)s” is also the key for: %(others)s.") % {"key": key, "others": ", ".join(others)}
            problems.append({"field": act, "message": told})
    return problems
