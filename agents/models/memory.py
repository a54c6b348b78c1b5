"""Findings, experiments and artifacts."""

from django.db import models

from agents.models.run import Run
from agents.models.study import Study, new_uuid


class Finding(models.Model):
    """A distilled claim. Old versions stay as ``FindingVersion``; nothing is deleted."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        SUPERSEDED = "superseded"
        RETRACTED = "retracted"
        VETOED = "vetoed"
        UNREVIEWED = "unreviewed"

    class Kind(models.TextChoices):
        FINDING = "finding"
        RULE = "rule"

    class Reach(models.TextChoices):
        STUDY = "study"
        DOMAIN = "domain"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="findings")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.CASCADE, related_name="findings")
    number = models.PositiveIntegerField()
    """Counts from 1 within the run: people and prompts read F1, F2 …; imported ones count within the study, L1, L2 …"""
    text = models.TextField()
    confidence = models.FloatField(default=0.5)
    support = models.IntegerField(default=1)
    against = models.IntegerField(default=0)
    status = models.CharField(max_length=12, choices=Status, default=Status.ACTIVE)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.FINDING)
    reach = models.CharField(max_length=8, choices=Reach, default=Reach.STUDY)
    scope = models.CharField(max_length=200, blank=True)
    domain = models.CharField(max_length=120, blank=True)
    evidence = models.JSONField(default=list, blank=True)
    round = models.IntegerField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    replaced_by = models.CharField(max_length=36, blank=True)
    """The id of the finding that took its place, as text: it may be made anew from its log before that one is."""
    origin = models.JSONField(default=dict, blank=True)
    """Of an imported one: its id, study, run and status there, the file, who imported it and when."""
    is_indexed = models.BooleanField(default=False)
    is_to_embed = models.BooleanField(default=False)
    """In the index as it should be, and to be embedded once more because somebody asked for it."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="finding_number_once_per_run")]
        indexes = [
            models.Index(fields=["study", "status"]),
            models.Index(
                fields=["study", "created_at"], condition=models.Q(kind="rule"), name="rules_of_study"
            ),
            models.Index(
                fields=["domain"], condition=models.Q(kind="rule", reach="domain"), name="rules_of_domain"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class FindingVersion(models.Model):
    """What a finding said before a change, and why it changed."""

    finding = models.ForeignKey(Finding, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    text = models.TextField()
    confidence = models.FloatField()
    status = models.CharField(max_length=12)
    scope = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)
    by = models.CharField(max_length=150, blank=True)
    """The person who made the change; empty when the reasoner did."""
    approved_by = models.CharField(max_length=150, blank=True)
    """The second person, where the study's policy asks for one."""
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["finding", "version"]
        constraints = [models.UniqueConstraint(fields=["finding", "version"], name="finding_version_once")]

    def __str__(self) -> str:
        return f"{self.finding_id} v{self.version}"


class FindingChange(models.Model):
    """What a person would change in a finding and a second one has to approve; the finding stays as it is until
    then. Kept when it was decided."""

    class State(models.TextChoices):
        WAITING = "waiting"
        APPROVED = "approved"
        REFUSED = "refused"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    finding = models.ForeignKey(Finding, on_delete=models.CASCADE, related_name="changes")
    verb = models.CharField(max_length=12)
    given = models.JSONField(default=dict, blank=True)
    """What the verb takes: text, scope and reach, or the id of the other finding."""
    seen = models.PositiveIntegerField()
    """The version of the finding that it is a change of."""
    reason = models.TextField(blank=True)
    by = models.CharField(max_length=150)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    decided_by = models.CharField(max_length=150, blank=True)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["finding"], condition=models.Q(state="waiting"), name="one_waiting_change_a_finding"
            )
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.finding_id} by {self.by}: {self.state}"


class Experiment(models.Model):
    """A row of the study's ledger. ``run`` is empty for experiments that came with the study."""

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="experiments")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.CASCADE, related_name="experiments")
    key = models.CharField(max_length=200)
    """Makes filing idempotent within the run (or dataset)."""
    position = models.PositiveIntegerField(default=0)
    planned = models.JSONField(default=dict)
    actual = models.JSONField(default=dict, blank=True)
    conditions_digest = models.CharField(max_length=64, db_index=True)
    measurements = models.JSONField(default=list, blank=True)
    replicate = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=12, default="measured")
    origin = models.CharField(max_length=8, default="tool")
    operator = models.CharField(max_length=150, blank=True)
    instrument = models.CharField(max_length=120, blank=True)
    note = models.TextField(blank=True)
    measured_at = models.CharField(max_length=40, blank=True)
    """ISO 8601 with zone, as the person or the instrument said it; empty when nobody did."""
    attachments = models.JSONField(default=list, blank=True)
    round = models.PositiveIntegerField(null=True, blank=True)
    prediction = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "position", "created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "key"], name="experiment_key_once_per_run"),
        ]

    def __str__(self) -> str:
        return f"{self.study_id} {self.key}"


class Artifact(models.Model):
    """A file by the SHA-256 of its content. Stored once however often it comes."""

    content_hash = models.CharField(max_length=64, primary_key=True)
    size = models.BigIntegerField()
    media_type = models.CharField(max_length=120, blank=True)
    path = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.content_hash[:12]
