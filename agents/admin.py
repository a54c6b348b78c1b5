"""A read-only window on the tables: the log and the ledger are changed by services alone."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from agents import models


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows rows and changes none."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds rows here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes rows here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes rows here."""
        return False


@admin.register(models.Study)
class StudyAdmin(ReadOnlyAdmin):
    """Studies."""

    list_display = ("title", "slug", "reasoner", "policy", "created_at")
    search_fields = ("title", "slug")


@admin.register(models.Run)
class RunAdmin(ReadOnlyAdmin):
    """Runs."""

    list_display = ("study", "number", "status", "round", "seq", "created_at")
    list_filter = ("status", "reasoner")
    list_select_related = ("study",)


@admin.register(models.Event)
class EventAdmin(ReadOnlyAdmin):
    """The log."""

    list_display = ("run_id", "seq", "kind", "round", "at")
    list_filter = ("kind",)


@admin.register(models.Effect)
class EffectAdmin(ReadOnlyAdmin):
    """The ledger of effects."""

    list_display = ("run_id", "key", "attempt", "effect_class", "status", "tries")
    list_filter = ("status", "effect_class")


@admin.register(
    models.Gate, models.Experiment, models.Finding, models.Document, models.Dataset, models.Artifact
)
class OtherAdmin(ReadOnlyAdmin):
    """Everything else that is worth a look."""

    list_display = ("__str__", "pk")
