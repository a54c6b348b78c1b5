"""Reviews, decisions and drafts."""

from django.conf import settings
from django.db import models
from django.db.models import Case, Value, When

from agents.models import Gate, Run, Study


class Review(models.Model):
    """The request put to people for one gate."""

    class Status(models.TextChoices):
        OPEN = "open"
        DECIDED = "decided"
        CANCELLED = "cancelled"

    gate = models.OneToOneField(Gate, on_delete=models.CASCADE, primary_key=True, related_name="review")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="reviews")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+", db_index=False)
    """The study of ``run``, which never changes: the inbox looks for what a person may see by it."""
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    title = models.CharField(max_length=300)
    tool = models.CharField(max_length=120, blank=True)
    """The tool of the action that is asked about; empty when there is none, or when it is a list of several."""
    policy = models.CharField(max_length=200, blank=True)
    """What asked for it: the policy's table and rule. Reviews of one tool and policy may be decided together."""
    risk = models.CharField(max_length=10, default="low")
    severity = models.GeneratedField(
        expression=Case(
            When(risk="high", then=Value(2)), When(risk="medium", then=Value(1)), default=Value(0)
        ),
        output_field=models.PositiveSmallIntegerField(),
        db_persist=True,
    )
    """The risk as a number, so that an index can put the riskiest first."""
    cost = models.FloatField(default=0)
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    claimed_until = models.DateTimeField(null=True, blank=True)
    mode = models.CharField(max_length=10, default="review")
    """Who must agree: ``review`` one person, ``second`` two (the second blind), ``four_eyes`` not only the person
    who started the run or edited the proposal."""
    needs_role = models.CharField(max_length=12, default="reviewer")
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="assigned"
    )
    due_at = models.DateTimeField(null=True, blank=True)
    """When ``on_deadline`` is applied; empty when nothing is, or when it was."""
    on_deadline = models.CharField(max_length=10, blank=True)
    escalated_at = models.DateTimeField(null=True, blank=True)
    reader_at = models.DateTimeField(null=True, blank=True)
    """When the reviewing model is to read it; empty when it is not, or has."""
    is_disputed = models.BooleanField(default=False)
    """Two people disagree: an owner decides, knowing what both said."""
    opened_at = models.DateTimeField()

    class Meta:
        ordering = ["opened_at", "gate"]
        indexes = [
            models.Index(fields=["status", "opened_at", "gate"], name="review_oldest"),
            models.Index(fields=["status", "-severity", "opened_at", "gate"], name="review_riskiest"),
            models.Index(fields=["status", "-cost", "opened_at", "gate"], name="review_costliest"),
            models.Index(fields=["-opened_at", "gate"], name="review_newest"),
            models.Index(fields=["status", "tool", "policy", "study"], name="review_alike"),
            models.Index(fields=["status", "due_at"], name="review_due"),
            models.Index(fields=["status", "reader_at"], name="review_to_read"),
        ]

    def __str__(self) -> str:
        return self.title


class Opinion(models.Model):
    """What one of several people says of a review: append-only. The decision is made of it when enough agree."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="opinions", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    by = models.CharField(max_length=150)
    role = models.CharField(max_length=12, blank=True)
    verdict = models.CharField(max_length=14)
    reason_code = models.CharField(max_length=30, blank=True)
    note = models.TextField(blank=True)
    answer = models.JSONField(default=dict)
    shown_digest = models.CharField(max_length=64)
    channel = models.CharField(max_length=20, default="web")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "id"]
        constraints = [models.UniqueConstraint(fields=["review", "user"], name="one_opinion_per_person")]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.by}, one of several"


class Handover(models.Model):
    """A review was given to somebody, by whom and why: append-only."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="handovers")
    to = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    to_name = models.CharField(max_length=150, blank=True)
    """Empty when it was given to nobody in particular."""
    by = models.CharField(max_length=150)
    note = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.review_id} to {self.to_name or 'anybody'} by {self.by}"


class Decision(models.Model):
    """The answer to a review: append-only. What was proposed, edited and let through stand side by side."""

    review = models.OneToOneField(Review, on_delete=models.CASCADE, related_name="decision")
    verdict = models.CharField(max_length=14)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    by = models.CharField(max_length=150)
    role = models.CharField(max_length=12, blank=True)
    source = models.CharField(max_length=60, default="person")
    channel = models.CharField(max_length=20, default="web")
    reason_code = models.CharField(max_length=30, blank=True)
    note = models.TextField(blank=True)
    proposed = models.JSONField(default=dict)
    answer = models.JSONField(default=dict)
    shown_digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.by}"


class Draft(models.Model):
    """What a reviewer has typed on a card and not sent."""

    gate = models.ForeignKey(Gate, on_delete=models.CASCADE, related_name="drafts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    fields = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["gate", "user"], name="one_draft_per_reviewer")]

    def __str__(self) -> str:
        return f"draft of {self.user_id} on {self.gate_id}"
