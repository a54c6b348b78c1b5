"""What people keep about a task at the bench until its result is filed: who, when, drafts, files."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from agents.models import Gate


class BenchTask(models.Model):
    """How, by when and by whom a measurement is to be made. A gate without a row has none of these."""

    gate = models.OneToOneField(Gate, on_delete=models.CASCADE, primary_key=True, related_name="bench_task")
    instructions = models.TextField(blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    is_standing = models.BooleanField(default=False)
    """True when later tasks of the run start with these instructions and this assignee."""
    set_by = models.CharField(max_length=150, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"task of {self.gate_id}"

    @property
    def is_overdue(self) -> bool:
        """True after the due time."""
        return self.due_at is not None and self.due_at < timezone.now()


class BenchDraft(models.Model):
    """A result that is not filed yet, shared by everybody who may enter it."""

    gate = models.OneToOneField(Gate, on_delete=models.CASCADE, primary_key=True, related_name="bench_draft")
    fields = models.JSONField(default=dict)
    """What is typed, by the name of the field."""
    replaced = models.JSONField(default=list)
    """What somebody typed and somebody else typed over: {"field", "value", "by", "at"}, newest last."""
    updated_by = models.CharField(max_length=150, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"draft of {self.gate_id} by {self.updated_by}"


class BenchFile(models.Model):
    """A file that belongs to a result; its content is an artifact."""

    gate = models.ForeignKey(Gate, on_delete=models.CASCADE, related_name="bench_files", db_index=False)
    name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64, db_index=True)
    media_type = models.CharField(max_length=120)
    size = models.BigIntegerField()
    notes = models.JSONField(default=list)
    """What was read from the file into the form, as sentences for people."""
    added_by = models.CharField(max_length=150)
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["added_at", "id"]
        constraints = [models.UniqueConstraint(fields=["gate", "content_hash"], name="bench_file_once")]

    def __str__(self) -> str:
        return self.name
