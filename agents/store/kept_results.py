"""The results of a study's tools that are used again, in a table: they outlast the process that made them."""

from collections.abc import Iterable
from datetime import datetime

from django.utils import timezone

from agents.core.tools import ToolResult
from agents.models import KeptResult
from agents.store.bridge import in_database

MOST_A_STUDY = 500
REMOVED_AT_ONCE = 100


class OrmKeptResults:
    """Implements ``KeptResults`` for one study: at most ``most``, those that were not used for longest go."""

    def __init__(self, study_id: str, *, most: int = MOST_A_STUDY) -> None:
        self._study_id = study_id
        self._most = most

    async def get(self, key: str) -> ToolResult | None:
        """Return the result under ``key``, or None."""
        return await in_database(self._get, key)

    async def put(self, key: str, result: ToolResult) -> None:
        """Keep ``result`` under ``key`` in place of what was there."""
        await in_database(self._put, key, result)

    def _get(self, key: str) -> ToolResult | None:
        row = KeptResult.objects.filter(study_id=self._study_id, key=key).first()
        if row is None:
            return None
        KeptResult.objects.filter(pk=row.pk).update(used_at=timezone.now())
        return ToolResult.model_validate(row.result)

    def _put(self, key: str, result: ToolResult) -> None:
        now = timezone.now()
        row = KeptResult(
            study_id=self._study_id,
            key=key,
            tool=result.tool,
            version=result.version,
            result=result.model_dump(mode="json"),
            made_at=now,
            used_at=now,
        )
        KeptResult.objects.bulk_create(
            [row],
            update_conflicts=True,
            unique_fields=["study", "key"],
            update_fields=["tool", "version", "result", "made_at", "used_at"],
        )
        kept = KeptResult.objects.filter(study_id=self._study_id).order_by("-used_at", "-id")
        spare = list(kept.values_list("pk", flat=True)[self._most : self._most + REMOVED_AT_ONCE])
        if spare:
            KeptResult.objects.filter(pk__in=spare).delete()


def kept_since(study_id: str, keys: Iterable[str]) -> dict[str, datetime]:
    """Return when each result that is kept under ``keys`` was made, in one query."""
    rows = KeptResult.objects.filter(study_id=study_id, key__in=list(keys))
    return dict(rows.values_list("key", "made_at"))
