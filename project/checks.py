"""System checks of the wiring: wrong combinations of settings are refused with a hint."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


@register()
def profile(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse settings that cannot work together."""
    found: list[CheckMessage] = []
    engine = str(settings.DATABASES["default"]["ENGINE"])
    if settings.REDIS_URL and engine.endswith("sqlite3"):
        found.append(
            Warning(
                "REDIS_URL is set and the database is SQLite.",
                hint="Workers on other machines need PostgreSQL: set DATABASE_URL, or unset REDIS_URL.",
                id="daybook.W001",
            )
        )
    if settings.DAYBOOK_LEASE_SECONDS < 1:
        found.append(
            Error(
                f"DAYBOOK_LEASE_SECONDS is {settings.DAYBOOK_LEASE_SECONDS}.",
                hint="A lease shorter than a second is lost between two heartbeats; 30 is the default.",
                id="daybook.E001",
            )
        )
    return found


@register()
def tools(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Name each plug-in that does not load, be it from the settings or from an installed package."""
    from importlib.metadata import entry_points

    # The built-in tools are loaded only when there is something to check: other commands start faster without.
    if not settings.DAYBOOK_TOOLS and not entry_points(group="daybook.tools"):
        return []
    from agents.wiring import registry

    return [
        Error(
            f"{problem['source']}: {problem['message']}",
            hint="Mend it, or take it out: of DAYBOOK_TOOLS, or uninstall the package that offers it.",
            id="daybook.E002",
        )
        for problem in registry().problems
    ]
