"""Notices for people, how they want to be told, and what was sent outside."""

from django.conf import settings
from django.db import models

from agents.models import Run
from agents.models.study import new_uuid
from reviews.models.review import Review
from reviews.models.sealed import SealedField


class Notice(models.Model):
    """Something that a person should know, in the application. It decides nothing and links to a page."""

    class Kind(models.TextChoices):
        OPENED = "opened"
        ASSIGNED = "assigned"
        SECOND = "second"
        DISPUTED = "disputed"
        ESCALATED = "escalated"
        DEADLINE = "deadline"
        ENDED = "ended"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    kind = models.CharField(max_length=12, choices=Kind)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="notices")
    review = models.ForeignKey(
        Review, null=True, blank=True, on_delete=models.CASCADE, related_name="notices"
    )
    title = models.CharField(max_length=300)
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["user", "-at"]),
            models.Index(fields=["user", "read_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user_id}: {self.title}"


class Preference(models.Model):
    """How a person wants to be told outside the application. Secrets are written here and never shown again."""

    class Email(models.TextChoices):
        OFF = "off"
        DIGEST = "digest"
        EACH = "each"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="preference"
    )
    kinds = models.JSONField(default=list, blank=True)
    """The kinds that are told outside; in the application all are."""
    email = models.CharField(max_length=6, choices=Email, default=Email.OFF)
    digest_hour = models.PositiveSmallIntegerField(default=8)
    webhook_url = models.CharField(max_length=500, blank=True)
    webhook_secret = SealedField(blank=True)
    apprise_url = SealedField(blank=True)
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_to = models.TimeField(null=True, blank=True)
    time_zone = models.CharField(max_length=60, default="UTC")
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"


class Delivery(models.Model):
    """One message to one person by one channel: when it is due, how often it was tried, what came of it."""

    class Channel(models.TextChoices):
        EMAIL = "email"
        WEBHOOK = "webhook"
        APPRISE = "apprise"

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        SENT = "sent"
        DROPPED = "dropped"
        """Nothing of it was news any more when it was due."""
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    """Sent along, so that a receiver can tell a message that comes twice."""
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=8, choices=Channel)
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    notices = models.ManyToManyField(Notice, related_name="deliveries")
    next_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-created_at", "id"]
        indexes = [models.Index(fields=["status", "next_at"], name="delivery_due")]

    def __str__(self) -> str:
        return f"{self.channel} to {self.user_id} {self.status}"
