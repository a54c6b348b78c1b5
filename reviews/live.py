"""The run page as it changes: the same templates for a first load, a socket and a poll."""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from agents.core.lifecycle import RunStatus
from agents.core.versions import Difference
from agents.models import Run
from agents.queries import asked_model_at, events_after, experiments_of, open_gate, thought_of
from reviews.models import Role
from reviews.permissions import RANK, role_in, runs_of
from reviews.present.state import state_view
from reviews.present.thought import said_so_far
from reviews.present.words import Text
from reviews.views.cards import card_context

AT_ONCE = 200


@dataclass(frozen=True)
class Verb:
    """Something a person may do to the run as a whole."""

    name: str
    label: Text
    icon: str
    is_danger: bool = False
    confirm: Text = ""


PAUSE = Verb("pause", _("Pause"), "pause")
RESUME = Verb("resume", _("Resume"), "play")
RETRY = Verb("retry", _("Try again"), "undo-2")
STOP = Verb(
    "stop",
    _("Stop the run"),
    "square",
    is_danger=True,
    confirm=_("Stop the run for good? Results so far are kept."),
)

HELD_VERBS: dict[str, tuple[Verb, Text]] = {
    "finish": (
        Verb("finish", _("Finish it"), "play"),
        _("It goes on with the program as it is now, along the steps that it began with."),
    ),
    "fork": (
        Verb("fork", _("Fork it"), "git-branch"),
        _("A new run on the new program takes over its state. Nothing that was approved is inherited."),
    ),
    "close": (
        Verb(
            "close",
            _("Close it"),
            "square",
            is_danger=True,
            confirm=_("Close the run for good? Results so far are kept."),
        ),
        _("It ends here, with what it has found."),
    ),
}
"""What a run may be told that an older program began, and what comes of each."""

VERBS: dict[str, tuple[Verb, ...]] = {
    RunStatus.QUEUED: (PAUSE, STOP),
    RunStatus.RUNNING: (PAUSE, STOP),
    RunStatus.WAITING: (PAUSE, STOP),
    RunStatus.PAUSED: (RESUME, STOP),
    RunStatus.FAILED: (RETRY,),
}


def verbs_of(run: Run) -> tuple[Verb, ...]:
    """Return what may be done to the run as a whole; a held run is told by its notice."""
    return () if run.state.get("held") else VERBS.get(run.status, ())


def held_of(run: Run) -> dict[str, Any] | None:
    """Return why the run is held and what it may be told, or None when it is not."""
    held = run.state.get("held")
    if not held:
        return None
    return {
        "differences": [Difference.model_validate(row) for row in held["differences"]],
        "choices": [HELD_VERBS[name] for name in held["choices"] if name in HELD_VERBS],
    }


def panes(run: Run, user: Any, *, role: Role | None, back: str = "?from=run") -> dict[str, Any]:
    """Return what the page shows of ``run`` besides its events: head, verbs, state and the pinned card."""
    gate = None if run.has_ended else open_gate(run)
    asked_at = None if gate else asked_model_at(run)
    context: dict[str, Any] = {
        "run": run,
        "verbs": verbs_of(run),
        "held": held_of(run),
        "may_act": role is not None and RANK[role] >= RANK[Role.RESEARCHER],
        "view": state_view(run, list(experiments_of(run.study_id, run=run))),
        "card": None,
        "asked_at": asked_at,
        "card_key": f"none:{run.status}:{asked_at.timestamp() if asked_at else ''}",
    }
    if gate is not None and getattr(gate, "review", None) is not None:
        gate.run = run
        context |= card_context(gate=gate, user=user, role=role, back=back)
    return context


@dataclass(frozen=True)
class Seen:
    """How far a reader has come: the cursor, and what its panes and thought were made from."""

    cursor: int
    stamp: str = ""
    thought: str = ""


def news(run_id: UUID | str, user: Any, seen: Seen, *, csrf_token: str = "") -> tuple[str, Seen] | None:
    """Return the HTML of what happened after ``seen`` and the new position, or None when nothing did.

    At most ``AT_ONCE`` events at a time; the caller asks again until there is nothing. Raises ``Gone``
    when the run does not exist for ``user`` (any more).
    """
    run = runs_of(user).select_related("study", "thought").filter(pk=run_id).first()
    if run is None:
        raise Gone
    thought, stamp = said_so_far(thought_of(run)), f"{run.seq} {run.status} {run.wish}"
    rows = events_after(run.pk, after=seen.cursor, limit=AT_ONCE) if run.seq > seen.cursor else []
    cursor = rows[-1].seq if rows else seen.cursor
    is_behind = cursor < run.seq
    fresh = replace(seen, cursor=cursor, thought=thought, stamp=seen.stamp if is_behind else stamp)
    if fresh == seen:
        return None
    context: dict[str, Any] = {
        "rows": rows,
        "cursor": cursor,
        "thought": thought,
        "panes": fresh.stamp != seen.stamp,
        "is_final": is_over(run) and not is_behind,
        "csrf_token": csrf_token,
        "user": user,
    }
    if context["panes"]:
        context |= panes(run, user, role=role_in(user, run.study))
    return render_to_string("live/update.html", context), fresh


def is_over(run: Run) -> bool:
    """True when nothing will happen any more; a failed run may be tried again."""
    return run.status in (RunStatus.SUCCEEDED, RunStatus.CANCELLED)


class Gone(Exception):
    """The reader may not watch any more: signed out, deactivated, no longer a member."""


def reader_of(session_key: str) -> Any:
    """Return the active user whose session this is; raise ``Gone`` when it has ended or the password changed."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    session: dict[str, Any] = store(session_key=session_key).load() if session_key else {}
    user = get_user_model().objects.filter(pk=session.get(SESSION_KEY) or 0, is_active=True).first()
    if user is None or not constant_time_compare(
        session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash()
    ):
        raise Gone
    return user


def news_in(language: str, run_id: str, user: Any, seen: Seen, *, csrf_token: str) -> tuple[str, Seen] | None:
    """Return ``news`` in a language; for readers that no request has one chosen for."""
    with translation.override(language):
        return news(run_id, user, seen, csrf_token=csrf_token)
