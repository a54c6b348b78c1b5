"""Wiring only: checks and commands that belong to the site as a whole."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The site."""

    name = "project"
    verbose_name = "Daybook"

    def ready(self) -> None:
        """Register the system checks and arm the fault that a test asked for."""
        from django.conf import settings

        from agents.core.faults import arm
        from project import checks  # noqa: F401

        if settings.REDIS_URL:
            from project.celery import app

            # Without it, a task sent from here would go to Celery's default broker.
            app.set_default()
        if settings.DAYBOOK_FAULT:
            arm(settings.DAYBOOK_FAULT)
