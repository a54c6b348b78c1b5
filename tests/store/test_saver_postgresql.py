"""The saver's tests once more, on PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.test_saver_conformance import CAPABILITIES

HERE = Path(__file__).parent


@pytest.mark.services
def test_the_saver_keeps_its_contract_on_postgresql():
    url = os.environ.get("TEST_DATABASE_URL")
    if not url:
        pytest.skip("TEST_DATABASE_URL names no PostgreSQL server")
    others = [str(path) for path in sorted(HERE.glob("test_saver*.py")) if path != Path(__file__)]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-vv", "--create-db", "-p", "no:cacheprovider", *others],
        env={**os.environ, "DATABASE_URL": url},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stdout[-4000:]
    for capability in CAPABILITIES:
        assert f"test_the_saver_has_the_capability[{capability}] PASSED" in done.stdout
