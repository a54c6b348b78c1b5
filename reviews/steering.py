"""What people do to a run as a whole, from the browser and from a terminal: the same roles, the same services."""

from collections.abc import Callable

from django.contrib.auth.models import User

from agents import services
from agents.core.errors import NotFound
from agents.models import Run
from reviews.models import Role
from reviews.permissions import require

ACTS: dict[str, Callable[..., Run]] = {
    "pause": services.pause_run,
    "resume": services.resume_run,
    "retry": services.retry_run,
    "stop": services.stop_run,
}
CHOICES = ("finish", "fork", "close")
"""What a held run may be told: see ``agents.services.holds.choose``."""

VERBS = (*ACTS, *CHOICES, "rewind", "continue")


def steer(run: Run, verb: str, *, user: User, round: int | None = None) -> Run:
    """Do ``verb`` to ``run`` as ``user`` and return the run that goes on: another one after a fork, a rewind or a
    continuation.

    ``round`` is where a rewind goes back to; the run's last round unless given. Raises ``NotFound`` for a verb
    that does not exist, ``Refused`` when the role is too low, ``IllegalTransition`` when the run's state forbids it.
    """
    if verb not in VERBS:
        raise NotFound(f"There is nothing called {verb!r} to do to a run; choose one of {', '.join(VERBS)}.")
    require(user, run.study, Role.RESEARCHER)
    by = user.get_username()
    if verb == "rewind":
        return services.rewind_run(run.pk, round=run.round if round is None else round, by=by, user=user)
    if verb == "continue":
        return services.fork_latest(run, by=by, user=user)
    if verb in CHOICES:
        return services.choose(run.pk, verb, by=by, user=user)
    return ACTS[verb](run.pk, by=by)
