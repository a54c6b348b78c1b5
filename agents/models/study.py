"""Study, its documents, datasets and digest."""

import uuid

from django.conf import settings
from django.db import models

from agents.core.study import ReasonerName


def new_uuid() -> uuid.UUID:
    """Return a new random id; a named function, so that migrations can refer to it."""
    return uuid.uuid4()


class Study(models.Model):
    """The protocol of an investigation. JSON fields hold the values of ``agents.core`` by name."""

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    slug = models.SlugField(max_length=80, unique=True, allow_unicode=True)
    title = models.CharField(max_length=200)
    goal = models.TextField(blank=True)
    domain = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=10, default="en")
    space = models.JSONField(default=dict, blank=True)
    objectives = models.JSONField(default=list, blank=True)
    constraints = models.JSONField(default=list, blank=True)
    tools = models.JSONField(default=list, blank=True)
    experiment_tool = models.CharField(max_length=80, blank=True)
    runs_code = models.BooleanField(default=False)
    """True when an owner lets runs execute Python that a model wrote, in the sandbox and after a review."""
    reasoner = models.CharField(max_length=20, default="optimiser")
    batch = models.PositiveSmallIntegerField(default=1)
    milestones = models.PositiveSmallIntegerField(default=0)
    """Rounds from one milestone review of the memory to the next; 0 for none."""
    policy = models.CharField(max_length=40, default="every_step")
    budget = models.JSONField(default=dict, blank=True)
    initial_hypothesis = models.TextField(blank=True)
    draft = models.JSONField(default=dict, blank=True)
    """What was typed on the form and does not validate yet, by field: nothing typed is lost."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    is_archived = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["-created_at", "id"]

    def __str__(self) -> str:
        return self.title

    @property
    def reasoner_name(self) -> ReasonerName:
        """The reasoner, as the engine names it."""
        return "language_model" if self.reasoner == "language_model" else "optimiser"


class Document(models.Model):
    """A source of the study. Read once, in the background; the file is an artifact."""

    class Status(models.TextChoices):
        UPLOADED = "uploaded"
        READING = "reading"
        READY = "ready"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64, db_index=True)
    media_type = models.CharField(max_length=120, blank=True)
    size = models.BigIntegerField(default=0)
    pages = models.IntegerField(default=0)
    pages_read = models.IntegerField(default=0)
    language = models.CharField(max_length=10, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.UPLOADED)
    how = models.CharField(max_length=20, blank=True)
    """``extractive`` or ``language model``: which way the digest was made."""
    error = models.TextField(blank=True)
    warnings = models.JSONField(default=list, blank=True)
    coverage = models.JSONField(default=dict, blank=True)
    """{"captured", "seen", "uncovered": [...]} of the digest."""
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "content_hash"], name="document_once_per_study")
        ]

    def __str__(self) -> str:
        return self.name


class Passage(models.Model):
    """A retrievable part of a document's text; ``start`` and ``end`` are offsets in the page's text."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="passages")
    index = models.IntegerField()
    page = models.IntegerField()
    start = models.IntegerField()
    end = models.IntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["document", "index"]
        constraints = [models.UniqueConstraint(fields=["document", "index"], name="passage_index_once")]

    def __str__(self) -> str:
        return f"{self.document_id} p.{self.page} #{self.index}"


class DigestItem(models.Model):
    """One item of the digest; the researcher keeps, edits or drops it. ``original`` is never changed."""

    class Status(models.TextChoices):
        PROPOSED = "proposed"
        KEPT = "kept"
        EDITED = "edited"
        DROPPED = "dropped"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="digest_items")
    document = models.ForeignKey(Document, null=True, on_delete=models.CASCADE, related_name="digest_items")
    position = models.IntegerField(default=0)
    kind = models.CharField(max_length=20)
    text = models.TextField()
    data = models.JSONField(default=dict, blank=True)
    note = models.TextField(blank=True)
    page = models.IntegerField(null=True, blank=True)
    quote = models.TextField(blank=True)
    is_verified = models.BooleanField(default=False)
    status = models.CharField(max_length=10, choices=Status, default=Status.PROPOSED)
    original = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text[:60]}"


class Dataset(models.Model):
    """An uploaded table. ``columns`` and ``levels`` say how it fits the space (see ``DatasetRef``)."""

    class Role(models.TextChoices):
        INSTRUMENT = "instrument"
        PAST = "past"
        REFERENCE = "reference"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64, db_index=True)
    size = models.BigIntegerField(default=0)
    role = models.CharField(max_length=12, choices=Role, default=Role.REFERENCE)
    columns = models.JSONField(default=dict, blank=True)
    levels = models.JSONField(default=dict, blank=True)
    rows = models.IntegerField(default=0)
    header = models.JSONField(default=list, blank=True)
    problems = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "id"]

    def __str__(self) -> str:
        return self.name
