"""What people say of a passage of a proposal."""

from django.conf import settings
from django.db import models

from reviews.models.review import Review


class Comment(models.Model):
    """A remark on the characters ``start`` to ``end`` of one part of what a review asks. Append-only but ``sent_at``."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="comments")
    part = models.CharField(max_length=80)
    """``hypothesis``, ``refuted_by``, ``reason``, ``text``, or ``arg.<name>`` for an argument."""
    quote = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    by = models.CharField(max_length=150)
    at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    """When it went to the reasoner; empty while it waits for the decision."""

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.by} on {self.part}: {self.text[:40]}"
