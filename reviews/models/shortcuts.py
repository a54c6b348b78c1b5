"""The keys that a person gave to what the desk can do."""

from django.conf import settings
from django.db import models


class Shortcuts(models.Model):
    """What of the usual keys a person changed, by act: see ``reviews.keys``. An empty key is none."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="shortcuts"
    )
    keys = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "shortcuts"

    def __str__(self) -> str:
        return f"keys of {self.user_id}"
