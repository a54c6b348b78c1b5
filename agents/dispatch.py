"""Hands a queued run to workers: threads of this process, or Celery when there is a broker."""

from typing import Any

from django.conf import settings

from agents.worker import wake


def dispatch(run_id: Any) -> None:
    """Say "look at run X"; harmless when said twice or never, since workers look by themselves too."""
    wake()
    if settings.REDIS_URL:
        from agents.tasks import advance_run

        if run_id is not None:
            advance_run.delay(str(run_id))
