"""Reviews, decisions and drafts."""

from django.conf import settings
from django.db import models

from agents.models import Gate, Run


class Review(models.Model):
    """The request put to people for one gate."""

    class Status(models.TextChoices):
        OPEN = "open"
        DECIDED = "decided"
        CANCELLED = "cancelled"

    gate = models.OneToOneField(Gate, on_delete=models.CASCADE, primary_key=True, related_name="review")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="reviews")
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    title = models.CharField(max_length=300)
    risk = models.CharField(max_length=10, default="low")
    cost = models.FloatField(default=0)
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    claimed_until = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField()

    class Meta:
        ordering = ["opened_at", "gate"]
        indexes = [models.Index(fields=["status", "opened_at"])]

    def __str__(self) -> str:
        return self.title


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
