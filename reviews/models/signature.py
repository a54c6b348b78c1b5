"""Signatures: who proved anew who they are when they decided, and what their name stands for."""

from django.conf import settings
from django.db import models

from reviews.models.review import Review


class Signature(models.Model):
    """A person's name under what they said of a review, given with their password: append-only."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="signatures", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    by = models.CharField(max_length=150)
    role = models.CharField(max_length=12, blank=True)
    meaning = models.CharField(max_length=20)
    signed_digest = models.CharField(max_length=64)
    """Of the gate, what was shown, the whole answer and the meaning: see ``reviews.services.signing``."""
    channel = models.CharField(max_length=20, default="web")
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "id"]
        constraints = [models.UniqueConstraint(fields=["review", "user"], name="one_signature_per_person")]

    def __str__(self) -> str:
        return f"{self.by}: {self.meaning}"


class SigningTry(models.Model):
    """A password that was tried for a signature; gone once one was right. Limits how many may be tried."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["user", "at"], name="signing_try_by_user")]

    def __str__(self) -> str:
        return f"{self.user_id} at {self.at}"
