"""Outside sources of tools, what they offer, and the jobs that instruments have."""

from django.conf import settings
from django.db import models

from agents.models.run import Run
from agents.models.study import Study, new_uuid


class ToolSource(models.Model):
    """An MCP server, an OpenAPI document or an instrument that a study's owner added.

    ``config`` holds the fields of ``OutsideSource`` that say where it is; secrets only by the name of a variable.
    """

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="tool_sources")
    name = models.CharField(max_length=24)
    kind = models.CharField(max_length=12)
    config = models.JSONField(default=dict)
    document = models.TextField(blank=True)
    """The text of an OpenAPI document that was uploaded; empty when it has an address."""
    error = models.TextField(blank=True)
    """Why it could not be looked at last time."""
    checked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="source_name_once_per_study")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class SourceTool(models.Model):
    """One tool of a source. ``accepted`` is the definition that an owner let in; ``seen`` another that came since."""

    class State(models.TextChoices):
        OK = "ok"
        CHANGED = "changed"
        GONE = "gone"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    source = models.ForeignKey(ToolSource, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=64)
    remote = models.CharField(max_length=200)
    accepted = models.JSONField(default=dict)
    seen = models.JSONField(null=True, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.OK)
    is_on = models.BooleanField(default=False)
    declared = models.JSONField(default=dict)
    """What the owner declared: the fields of ``OutsideTool`` beside name and definition."""
    changed_by = models.CharField(max_length=150, blank=True)
    """Who switched it on or off, or accepted a change, last."""
    changed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["source", "remote"]
        constraints = [models.UniqueConstraint(fields=["source", "remote"], name="remote_once_per_source")]

    def __str__(self) -> str:
        return self.name


class ToolChange(models.Model):
    """One change of a study's tools from outside, by names: it stays when source and tool are gone. Append-only."""

    class What(models.TextChoices):
        ADDED = "added"
        REMOVED = "removed"
        ON = "on"
        OFF = "off"
        DECLARED = "declared"
        ACCEPTED = "accepted"
        BLOCKED = "blocked"
        TRIED = "tried"
        CODE_ON = "code_on"
        CODE_OFF = "code_off"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="tool_changes", db_index=False)
    what = models.CharField(max_length=10, choices=What)
    source = models.CharField(max_length=24, blank=True)
    tool = models.CharField(max_length=64, blank=True)
    by = models.CharField(max_length=150, blank=True)
    """Empty for what the machine found out."""
    told = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-id"]
        indexes = [models.Index(fields=["study", "-id"], name="tool_changes_newest")]

    def __str__(self) -> str:
        return f"{self.tool or self.source} {self.what} by {self.by}"


class Job(models.Model):
    """What an instrument was asked to do. ``key`` is the effect's idempotency key: a job sent again is the same."""

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="jobs")
    source = models.ForeignKey(ToolSource, null=True, on_delete=models.SET_NULL, related_name="jobs")
    key = models.CharField(max_length=200, unique=True)
    round = models.PositiveIntegerField()
    messages = models.JSONField(default=dict, blank=True)
    """Digest of each message that was taken, by its id: a repeat is told that it came."""
    sent_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["sent_at", "id"]

    def __str__(self) -> str:
        return f"{self.key} {self.id}"
