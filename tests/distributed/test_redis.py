"""The distributed profile: the doorbell over Redis, and a run that a Celery worker advances."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers, get_channel_layer
from django.test import override_settings

from reviews.doorbell import group_of, ring

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
PATIENCE = 90


@pytest.fixture
def redis() -> str:
    url = os.environ.get("TEST_REDIS_URL")
    if not url:
        pytest.skip("TEST_REDIS_URL names no Redis server")
    return url


async def test_the_doorbell_rings_through_redis(redis):
    layers = {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [redis]}}}
    with override_settings(CHANNEL_LAYERS=layers):
        channel_layers.backends.clear()
        layer = get_channel_layer()
        channel = await layer.new_channel()
        await layer.group_add(group_of("r1"), channel)

        await sync_to_async(ring, thread_sensitive=False)("r1")
        heard = await layer.receive(channel)
        await layer.close_pools()
    channel_layers.backends.clear()

    assert heard == {"type": "news"}


def test_a_celery_worker_advances_a_queued_run_to_its_end(redis, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "DAYBOOK_FAULT")}
    environment |= {"DAYBOOK_HOME": str(tmp_path), "REDIS_URL": redis, "PYTHONWARNINGS": "ignore"}
    # Any start of the site on a queue that others left behind must not disturb this one.
    subprocess.run(
        [sys.executable, "-m", "celery", "-A", "project.celery", "purge", "-f"], env=environment, cwd=ROOT
    )

    def manage(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    manage("migrate", "-v0")
    manage("study", "create", "--from", "examples/direct_arylation")
    queued = manage(
        "run",
        "direct-arylation-of-an-imidazole",
        "--policy",
        "auto",
        "--experiments",
        "3",
        "--detach",
        "--json",
    )
    run = json.loads(queued.splitlines()[-1])["result"]["run"]
    worker = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "project.celery",
            "worker",
            "--pool",
            "solo",
            "--loglevel",
            "error",
        ],
        env=environment,
        cwd=ROOT,
    )
    try:
        end = time.monotonic() + PATIENCE
        log = ""
        while '"run.finished"' not in log and time.monotonic() < end:
            time.sleep(1)
            log = manage("export", run, "--format", "jsonl", "-o", "-")
    finally:
        worker.terminate()
        worker.wait(30)

    kinds = [json.loads(line)["kind"] for line in log.splitlines()]
    assert kinds.count("experiment.filed") == 3
    assert kinds[-1] == "run.finished"
