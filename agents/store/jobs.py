"""The jobs that instruments have: rows behind the ``Jobs`` port."""

from django.conf import settings
from django.utils import timezone

from agents.core.errors import NotConfigured
from agents.models import Job
from agents.store.bridge import in_database


class OrmJobs:
    """Implements ``Jobs`` on rows."""

    async def open(self, key: str, source_id: str) -> tuple[str, str]:
        """Return id and callback address of the job of the effect ``key``."""
        return await in_database(_open, key, source_id)


def callback_url(job: Job) -> str:
    """Return where the instrument reports. Raises ``NotConfigured`` when the site's own address is not set."""
    if not settings.DAYBOOK_PUBLIC_URL:
        raise NotConfigured(
            "the site does not know its own address: set DAYBOOK_PUBLIC_URL to where instruments reach it"
        )
    return f"{settings.DAYBOOK_PUBLIC_URL.rstrip('/')}/hooks/jobs/{job.pk}/"


def _open(key: str, source_id: str) -> tuple[str, str]:
    # The engine writes the key: run, then round/act/tool, then attempt.
    run_id, effect, _ = key.split(":", 2)
    found, _ = Job.objects.get_or_create(
        key=key,
        defaults={
            "run_id": run_id,
            "source_id": source_id,
            "round": int(effect.partition("/")[0]),
            "sent_at": timezone.now(),
        },
    )
    return str(found.pk), callback_url(found)
