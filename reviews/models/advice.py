"""What a reviewing model said of a review."""

from django.db import models

from reviews.models.review import Review


class ReaderAdvice(models.Model):
    """The advice of a reviewing model, written once. It is shown to people; it decides only where a rule says so."""

    review = models.OneToOneField(Review, on_delete=models.CASCADE, primary_key=True, related_name="advice")
    leans = models.CharField(max_length=8)
    reasons = models.JSONField(default=list)
    model = models.CharField(max_length=120, blank=True)
    tokens = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "review"]

    def __str__(self) -> str:
        return f"{self.leans}: {self.review_id}"
