"""What every test stands on: a database on a file, files in a folder of their own, strict checkpoints."""

import os

# Read by LangGraph when it is imported: a type that a checkpoint may not hold is then refused, not warned of.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import override_settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# How fast examples are made says something of the machine, not of the code.
hypothesis_settings.register_profile("daybook", suppress_health_check=[HealthCheck.too_slow], deadline=None)
hypothesis_settings.load_profile("daybook")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Put the SQLite test database on a file: in memory, threads would meet locks that no site has."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
        # Tests kill processes, never the machine, so nothing here is lost without syncing.
        database["OPTIONS"]["init_command"] = database["OPTIONS"]["init_command"].replace("FULL", "OFF")


@pytest.fixture(scope="session", autouse=True)
def files_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests store out of the site's own folder."""
    folder = str(tmp_path_factory.mktemp("files"))
    default = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}}
    with override_settings(STORAGES={**settings.STORAGES, "default": default}, MEDIA_ROOT=folder):
        yield


@pytest.fixture(autouse=True)
def storage_without_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test hear of the trouble with the storage that another one made."""
    from agents.store import trouble

    monkeypatch.setattr(trouble, "_met", None)
