"""Wiring only: checks and commands that belong to the site as a whole."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The site."""

    name = "project"
    verbose_name = "Daybook"
