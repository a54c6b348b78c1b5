"""Versions of a study's policy, and approvals that are remembered within a run."""

from django.conf import settings
from django.db import models

from agents.models.run import Run
from agents.models.study import Study, new_uuid


class PolicyVersion(models.Model):
    """A study's table as somebody stored it: append-only. The highest number is the current one."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="policies", db_index=False)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=40)
    table = models.JSONField()
    by = models.CharField(max_length=150, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="policy_number_once_per_study")
        ]

    def __str__(self) -> str:
        return f"{self.study_id} policy v{self.number}"


class RememberedApproval(models.Model):
    """One person's "approve and do not ask again": for a tool and a predicate, in one run, until it is over."""

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="remembered")
    tool = models.CharField(max_length=80)
    clauses = models.JSONField(default=list, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    until_round = models.PositiveIntegerField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)
    by = models.CharField(max_length=150)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["-created_at", "id"]

    def __str__(self) -> str:
        return f"{self.tool} in {self.run_id} by {self.by}"
