"""A run: one execution of a study. Its row is a projection of its log, plus the lease."""

from django.conf import settings
from django.db import models

from agents.core.lifecycle import ENDED, RunStatus
from agents.models.study import Study, new_uuid


class Run(models.Model):
    """``id`` is the graph's thread id. ``protocol`` is the study as it stood when the run started.

    ``epoch`` grows with each claim: every worker write carries it and a stale one changes nothing.
    ``seq`` is the last event's number. ``state`` and ``spent`` are what pages show.
    """

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=10, default=RunStatus.QUEUED, db_index=True)
    protocol = models.JSONField(default=dict)
    reasoner = models.CharField(max_length=20)
    policy = models.CharField(max_length=40)
    """The name of its table: a preset, or ``custom``."""
    policy_table = models.JSONField(default=dict, blank=True)
    """The table that gates are judged by; empty in runs of release 0.1, which went by the preset's name."""
    graph_version = models.CharField(max_length=20)
    config_digest = models.CharField(max_length=64)
    seq = models.PositiveBigIntegerField(default=0)
    head = models.CharField(max_length=64, blank=True)
    """The chain value of the last event."""
    last_event_at = models.DateTimeField(null=True, blank=True)
    round = models.PositiveIntegerField(default=0)
    state = models.JSONField(default=dict, blank=True)
    spent = models.JSONField(default=dict, blank=True)
    wait = models.JSONField(default=dict, blank=True)
    """While waiting: {"gate", "kind", "title"}; while paused: {"by"}."""
    error = models.TextField(blank=True)
    wish = models.CharField(max_length=10, blank=True)
    """``stop`` or ``pause``: what a person asked of a running run; the worker obeys before the next effect."""
    epoch = models.PositiveBigIntegerField(default=0)
    lease_owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True, db_index=True)
    not_before = models.DateTimeField(null=True, blank=True)
    """A queued run is not claimed before this: the back-off of a crash or a passing fault."""
    crashes = models.PositiveIntegerField(default=0)
    """Lost workers in a row without a new event in between."""
    crash_seq = models.PositiveBigIntegerField(default=0)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="forks")
    forked_at = models.PositiveBigIntegerField(null=True, blank=True)
    start = models.JSONField(default=dict, blank=True)
    """The state that a fork begins with; empty for a run that begins at its digest."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="run_number_once_per_study")]

    def __str__(self) -> str:
        return f"{self.study_id} #{self.number}"

    @property
    def has_ended(self) -> bool:
        """True when nothing more will happen by itself."""
        return self.status in ENDED


class Event(models.Model):
    """An immutable fact of a run's log. ``seq`` is dense from 1. ``key`` makes an emit idempotent.

    Here and below ``run`` has no index of its own: a unique rule that begins with it is one.

    ``chain`` is the SHA-256 over the previous event's chain and this event's canonical JSON.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events", db_index=False)
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=40)
    round = models.PositiveIntegerField(null=True, blank=True)
    key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  (null is "no key" under the unique rule)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField()
    chain = models.CharField(max_length=64)

    class Meta:
        ordering = ["run", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["run", "seq"], name="event_seq_once_per_run"),
            models.UniqueConstraint(fields=["run", "key"], name="event_key_once_per_run"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.seq} {self.kind}"


class Effect(models.Model):
    """The ledger of effects: what left the process, started before and finished after the call."""

    class Status(models.TextChoices):
        STARTED = "started"
        DONE = "done"
        UNKNOWN = "unknown"
        NOT_HAPPENED = "not_happened"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="effects", db_index=False)
    key = models.CharField(max_length=200)
    tool = models.CharField(max_length=80, null=True, blank=True)  # noqa: DJ001  (null keeps other effects out of the index)
    """The tool that was called, where the effect is a call of one."""
    attempt = models.PositiveIntegerField(default=1)
    effect_class = models.CharField(max_length=10)
    status = models.CharField(max_length=14, choices=Status, default=Status.STARTED)
    epoch = models.PositiveBigIntegerField()
    tries = models.PositiveIntegerField(default=1)
    """How often the call was begun; more than 1 only for local and keyed effects."""
    request = models.JSONField(default=dict)
    result = models.JSONField(null=True, blank=True)
    """Only in rows of older versions: the event that ended the effect has it (``agents.store.results``)."""
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "key", "attempt"], name="effect_attempt_once")]
        indexes = [
            models.Index(
                fields=["tool", "started_at"],
                name="effect_by_tool",
                condition=models.Q(tool__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.key}#{self.attempt} {self.status}"


class Gate(models.Model):
    """A place where the run asks people. The row is the truth: an answer is one compare-and-swap on it."""

    class Status(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="gates", db_index=False)
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)
    round = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    digest = models.CharField(max_length=64)
    request = models.JSONField()
    answer = models.JSONField(null=True, blank=True)
    judgement = models.JSONField(default=dict, blank=True)
    """What the policy made of it when it was opened: which rule, and why people were asked or not."""
    opened_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run", "opened_at", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="gate_key_once_per_run")]
        indexes = [models.Index(fields=["status", "opened_at"])]

    def __str__(self) -> str:
        return f"{self.run_id} {self.key} {self.status}"


class Thought(models.Model):
    """What the model is saying right now; replaced, not kept."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="thought")
    text = models.TextField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.run_id}: {len(self.text)} characters"
