"""The checks of machine, database, model and tools, and how the command tells of them."""

from pathlib import Path

import pytest
from django.db import connection
from django.test import override_settings

from agents.doctor import database, machine
from agents.doctor.registry import Level, Look
from agents.testing import ModelServer, Say
from tests.commands.console import fault, say
from tests.doctor.conftest import examine, summary


def found(check, **look) -> list[tuple[Level, str]]:
    return [(remark.level, remark.what) for remark in check(Look(**look))]


@pytest.mark.django_db
def test_a_sound_site_has_no_failure():
    assert {remark["check"] for remark in summary()["remarks"]} >= {
        *("python", "home", "database", "log", "projection", "runs", "effects"),
        *("decisions", "artifacts", "findings", "model", "tools"),
    }


@pytest.mark.django_db
def test_a_page_says_check_and_finding_and_an_unknown_check_is_named():
    assert say("doctor", "--only", "tools").startswith("ok    tools       ")
    assert str(fault("doctor", "--only", "luck")).startswith(
        "there is no check 'luck'; the checks are python, home,"
    )


def test_packages_are_compared_with_the_pins(tmp_path):
    pins = tmp_path / "requirements.txt"
    pins.write_text("django==1.0  # why\nno-such-package-here==2.0\n# comment\n")
    assert [(r.level, r.what.split(";")[0]) for r in machine._packages(pins)] == [
        (Level.WARN, f"django is {__import__('django').__version__}"),
        (Level.FAIL, "The package no-such-package-here is not installed."),
    ]


def test_a_key_that_others_can_read_is_locked(tmp_path):
    key = tmp_path / "secret_key"
    key.write_text("s")
    key.chmod(0o644)
    with override_settings(DAYBOOK_HOME=tmp_path):
        assert "Others on this machine" in found(machine.home)[-1][1]
        list(machine.home(Look(repair=True)))
    assert oct(key.stat().st_mode)[-3:] == "600"


@pytest.mark.django_db
@pytest.mark.parametrize(("pragma", "bad"), [("synchronous", "NORMAL"), ("foreign_keys", "OFF")])
def test_unsafe_settings_of_sqlite_are_named(pragma, bad):
    if connection.vendor != "sqlite":
        pytest.skip("SQLite only")
    wanted, how = database.PRAGMAS[pragma]
    database.PRAGMAS[pragma] = ("something else", how)
    try:
        assert any(pragma in what for level, what in found(database.database) if level is Level.FAIL)
    finally:
        database.PRAGMAS[pragma] = (wanted, how)


@pytest.mark.parametrize(
    ("mount", "kind"),
    [
        ("22 1 0:1 / / rw - ext4 /dev/a rw", "ext4"),
        ("23 1 0:2 / /data rw shared:1 - nfs4 host:/x rw", "nfs4"),
    ],
)
def test_the_kind_of_file_system_is_that_of_the_longest_mount(tmp_path, mount, kind):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"21 1 0:0 / / rw - ext4 /dev/a rw\n{mount}\n")
    assert database.file_system_of(Path("/data/daybook.sqlite3"), mounts) == kind


@pytest.mark.django_db
def test_a_network_file_system_is_refused(monkeypatch):
    monkeypatch.setattr(database, "file_system_of", lambda path: "nfs4")
    if connection.vendor == "sqlite":
        assert "network file system (nfs4)" in found(database.database)[-1][1]


@pytest.mark.django_db
@override_settings(OPENAI_API_KEY="", OPENAI_BASE_URL="")
def test_no_model_is_fine_until_somebody_asks_for_one():
    assert examine("--only", "model") == []
    (remark,) = examine("--only", "model", "--model")
    assert (remark["level"], "OPENAI_API_KEY" in remark["todo"]) == ("fail", True)


@pytest.mark.django_db
def test_a_model_is_asked_for_real_and_a_wrong_address_is_named():
    with (
        ModelServer(lambda request, number: Say('{"word": "ready"}')) as server,
        override_settings(
            OPENAI_API_KEY="k", OPENAI_BASE_URL=server.base_url, DAYBOOK_MODELS={"reason": "m"}
        ),
    ):
        remarks = summary("--only", "model", "--model")["remarks"]
    assert remarks[0]["what"].endswith("answers.")
    with override_settings(OPENAI_API_KEY="k", OPENAI_BASE_URL="http://127.0.0.1:9/v1"):
        assert examine("--only", "model", "--model")[0]["level"] == "fail"


@pytest.mark.django_db
@override_settings(DAYBOOK_TOOLS=["no.such.module"])
def test_a_tool_that_would_not_load_is_named():
    from agents.wiring import registry

    registry.cache_clear()
    (remark,) = examine("--only", "tools")
    registry.cache_clear()
    assert (remark["where"], remark["level"]) == ("no.such.module", "fail")


@pytest.mark.django_db
def test_a_check_that_breaks_off_does_not_take_the_others_with_it(monkeypatch):
    monkeypatch.setattr("agents.doctor.artifacts.default_storage", None)
    from agents.store.artifacts import store_bytes

    store_bytes(b"x")
    remarks = summary("--only", "artifacts", "--only", "tools")["remarks"]
    assert [remark["check"] for remark in remarks] == ["artifacts", "tools"]
    assert remarks[0]["what"].startswith("This check broke off: AttributeError")


@pytest.mark.django_db
def test_a_database_without_its_tables_is_named_and_the_rest_left_out(monkeypatch):
    from django.db.migrations.executor import MigrationExecutor

    plan = [(type("M", (), {"app_label": "agents", "name": "0009_x"}), False)]
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda self, nodes: plan)
    remarks = summary("--only", "database", "--only", "log", "--only", "tools")["remarks"]
    assert {remark["check"] for remark in remarks} == {"database", "tools"}
    assert remarks[0]["what"] == "1 migrations are not applied, the first is agents.0009_x."
