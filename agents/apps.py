"""The engine and its persistence."""

from django.apps import AppConfig
from django.conf import settings

from agents.core.faults import arm


class AgentsConfig(AppConfig):
    """Studies, runs and their log."""

    name = "agents"
    verbose_name = "Studies and runs"

    def ready(self) -> None:
        """Arm the named fault of a test run (``DAYBOOK_FAULT``); without one, nothing."""
        arm(settings.DAYBOOK_FAULT)
