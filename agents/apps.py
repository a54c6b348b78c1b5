"""The engine and its persistence."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Studies, runs and their log."""

    name = "agents"
    verbose_name = "Studies and runs"
