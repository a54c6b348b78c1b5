"""A home folder that may not be written: every command says so in a sentence, with what to do."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.processes import ROOT, database_file, environment

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


def _obey_permissions() -> None:
    """Let also root be stopped by the permissions of a folder. Linux only."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def said_by(home: Path, *command: str) -> str:
    """Return what a command says that must fail, without the database of the test."""
    env = environment(home, DATABASE_URL=f"sqlite:///{home}/daybook.sqlite3", SECRET_KEY="")
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=env,
        preexec_fn=_obey_permissions,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    return (done.stdout + done.stderr).strip()


@pytest.fixture
def locked(tmp_path: Path):
    """Take the right to write from a folder and its files; give it back for the clean-up."""
    folder = tmp_path / "home"
    folder.mkdir()

    def lock() -> Path:
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        return folder

    yield lock
    folder.chmod(0o755)


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("run", "any")], ids=["serve", "run"])
def test_a_new_folder_that_may_not_be_written_is_named(locked, command):
    home = locked()
    assert said_by(home, *command) == (
        f"Daybook cannot write to its folder {home} (Permission denied). Give this account the right to write "
        "there, or set DAYBOOK_HOME to a folder where it may."
    )


@pytest.fixture
def used(locked, tmp_path: Path, transactional_db: None) -> Path:
    """A site that worked before its folder was taken away."""
    folder = tmp_path / "home"
    (folder / "secret_key").write_text("x" * 50)
    shutil.copy(database_file(), folder / "daybook.sqlite3")
    return locked()


def test_serve_names_the_folder_of_a_site_that_lost_its_rights(used):
    assert said_by(used, "serve", "--port", "0").startswith(
        f"CommandError: Daybook cannot write to its folder {used} ("
    )


def test_run_names_the_database_of_a_site_that_lost_its_rights(used):
    assert said_by(used, "run", "any") == (
        f"The database in {used} cannot be written (attempt to write a readonly database). Give this account the "
        "right to write there."
    )


def test_a_database_that_is_not_set_up_is_told_with_the_command(tmp_path):
    assert said_by(tmp_path, "run", "any") == (
        f"The database in {tmp_path} is not set up for this release (no such table: agents_study): run "
        "`manage.py migrate`."
    )
