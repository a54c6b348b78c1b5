"""A read-only window on reviews and decisions; members are managed on the study's page."""

from django.contrib import admin

from agents.admin import ReadOnlyAdmin
from reviews import models


@admin.register(models.Review, models.Decision, models.Membership)
class RecordAdmin(ReadOnlyAdmin):
    """Reviews, decisions and members."""

    list_display = ("__str__", "pk")
