"""Who may see and do what in a study."""

from django.conf import settings
from django.db import models

from agents.models import Study


class Role(models.TextChoices):
    """Roles of a member, weakest first."""

    VIEWER = "viewer"
    RESEARCHER = "researcher"
    REVIEWER = "reviewer"
    OWNER = "owner"


class Membership(models.Model):
    """A person's role in a study. Without one, the study does not exist for them."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role, default=Role.VIEWER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "user"]
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="one_role_per_member")]

    def __str__(self) -> str:
        return f"{self.user} {self.role} of {self.study}"


class Absence(models.Model):
    """A person is away: what is theirs goes to ``deputy``, or to the owners when there is none."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="absences")
    starts = models.DateTimeField()
    ends = models.DateTimeField()
    deputy = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-starts", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ends__gt=models.F("starts")), name="absence_has_a_length"
            )
        ]
        indexes = [models.Index(fields=["ends", "starts"])]

    def __str__(self) -> str:
        return f"{self.user} away until {self.ends}"
