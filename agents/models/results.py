"""Results of tools that are used again."""

from django.db import models

from agents.models.study import Study


class KeptResult(models.Model):
    """What a cacheable tool gave for one call. ``key`` as in ``agents.tools.cache``; the least used go first."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=64)
    tool = models.CharField(max_length=80)
    version = models.CharField(max_length=40)
    result = models.JSONField()
    made_at = models.DateTimeField()
    used_at = models.DateTimeField()

    class Meta:
        ordering = ["study", "-used_at", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="kept_result_once_per_study")]
        indexes = [models.Index(fields=["study", "used_at"], name="kept_result_last_used")]

    def __str__(self) -> str:
        return f"{self.tool} {self.version} {self.key[:12]}"
