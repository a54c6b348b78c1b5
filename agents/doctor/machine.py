"""The machine: Python, packages, disk, the site's folder and its key."""

import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings

from agents.doctor.registry import Level, Look, Remark, check

PYTHON = (3, 11)
FEW_BYTES = 1 << 30
NO_BYTES = 100 << 20
_PIN = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s#;]+)")


@check("python", order=10, needs_database=False)
def python(look: Look) -> Iterator[Remark]:
    """Compare the interpreter and the installed packages with what the release was tested with."""
    found = list(_packages(Path(settings.BASE_DIR) / "requirements.txt"))
    if sys.version_info < PYTHON:
        found.append(Remark(Level.FAIL, f"Python {platform.python_version()} is too old; 3.11 is needed."))
    yield from found
    if not found:
        yield Remark(Level.OK, f"Python {platform.python_version()} and every pinned package")


def _packages(requirements: Path) -> Iterator[Remark]:
    if not requirements.is_file():
        yield Remark(Level.WARN, f"{requirements} is not there, so packages cannot be compared.")
        return
    for line in requirements.read_text().splitlines():
        pin = _PIN.match(line)
        if pin is None:
            continue
        name, wanted = pin[1], pin[2]
        todo = f"uv pip install '{name}=={wanted}' (or pip install -r requirements.txt)"
        try:
            installed = version(name)
        except PackageNotFoundError:
            yield Remark(Level.FAIL, f"The package {name} is not installed.", todo=todo)
            continue
        if installed != wanted:
            yield Remark(
                Level.WARN, f"{name} is {installed}; this release was tested with {wanted}.", todo=todo
            )


@check("home", order=15, needs_database=False)
def home(look: Look) -> Iterator[Remark]:
    """Look at the folder where the site keeps everything."""
    folder = Path(settings.DAYBOOK_HOME)
    if not os.access(folder, os.W_OK):
        todo = f"Make {folder} writable for the account that runs Daybook, or set DAYBOOK_HOME."
        yield Remark(Level.FAIL, "The site's folder cannot be written.", str(folder), todo)
        return
    free = shutil.disk_usage(folder).free
    level = Level.FAIL if free < NO_BYTES else Level.WARN if free < FEW_BYTES else Level.OK
    todo = "" if level is Level.OK else "Free some space: runs stop before an effect when the disk is full."
    yield Remark(level, f"{free / (1 << 30):.1f} GB are free", str(folder), todo)
    yield from _key(folder / "secret_key", look)


def _key(path: Path, look: Look) -> Iterator[Remark]:
    if not path.is_file() or not stat.S_IMODE(path.stat().st_mode) & 0o077:
        return
    mended = ""
    if look.repair:
        path.chmod(0o600)
        mended = "made it readable for its owner only"
    yield Remark(
        Level.WARN,
        "Others on this machine can read the site's secret key.",
        str(path),
        f"chmod 600 {path}",
        mended,
    )
