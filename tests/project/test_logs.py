"""The log: JSON Lines that tell run, round, node, tool and time, plain lines for people, and never a secret."""

import json
import logging
import logging.config
import sys
from pathlib import Path

import pytest

from agents import assembly, wiring
from agents.core.ports import ModelUsage
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.worker import advance
from project.env import url_passwords
from project.logs import HIDDEN, Hide, logging_config
from tests.support import make_run, make_study, take

CANARY = "canary-4711-secret"
SECRETS = [
    ("the known one", f"refused: {CANARY} is not valid"),
    ("a database's address", "could not connect to postgres://daybook:hunter2-hunter2@db:5432/x"),
    ("a header", "sent Authorization: Bearer abcdefghijk.lmnop-123"),
    ("an API key by its shape", "Incorrect API key provided: sk-proj-abcdefgh12345678"),
]
SECRET_TEXTS = (CANARY, "hunter2-hunter2", "abcdefghijk.lmnop-123", "sk-proj-abcdefgh12345678")


@pytest.fixture
def log_file(tmp_path):
    """The file of JSON Lines of a site with a secret; everything is put back afterwards."""
    path = tmp_path / "daybook.jsonl"
    root, engine = logging.getLogger(), logging.getLogger("daybook")
    # Those of the site; pytest's own come and go with the parts of a test.
    sites = [handler for handler in root.handlers if type(handler) is logging.StreamHandler]
    levels = root.level, engine.level
    logging.config.dictConfig(
        logging_config(level="WARNING", as_json=False, file=str(path), secrets=[CANARY])
    )
    ours = root.handlers[:]
    yield path
    for handler in ours:
        handler.close()
        root.removeHandler(handler)
    for handler in sites:
        root.addHandler(handler)
    root.setLevel(levels[0])
    engine.setLevel(levels[1])


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("what", "text"), SECRETS, ids=[what for what, _ in SECRETS])
def test_no_secret_is_written_wherever_it_stands(log_file, what, text):
    log = logging.getLogger("daybook.test")
    log.warning("it said %s", text)
    log.warning("with fields", extra={"told": {"deep": [text]}, "api_key": "anything", "password": "pw"})
    try:
        raise ValueError(text)
    except ValueError:
        log.exception("it broke")
    written = log_file.read_text(encoding="utf-8")
    assert not [secret for secret in SECRET_TEXTS if secret in written]
    assert written.count(HIDDEN) >= 5
    assert len(lines(log_file)) == 3


def test_words_and_counts_that_only_sound_like_secrets_stay(log_file):
    logging.getLogger("daybook.test").warning(
        "tokens", extra={"prompt_tokens": 12, "key": "1/act/weigh", "monkey": "Bearer of news"}
    )
    (line,) = lines(log_file)
    assert (line["prompt_tokens"], line["key"], line["monkey"]) == (12, "1/act/weigh", "Bearer of news")


def test_short_settings_hide_nothing():
    assert Hide(["", "abc"]).hidden("abc is a word") == "abc is a word"


def test_passwords_of_addresses_are_known(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://:deep-secret@127.0.0.1:6379/0")
    assert url_passwords("REDIS_URL", "NO_SUCH_URL") == ["deep-secret"]


def test_a_traceback_is_one_line_for_machines_and_lines_for_people(log_file):
    plain = next(h.formatter for h in logging.getLogger().handlers if type(h) is logging.StreamHandler)
    try:
        raise RuntimeError(CANARY)
    except RuntimeError:
        logging.getLogger("daybook.test").exception("it broke")
        record = logging.LogRecord("daybook", logging.ERROR, "f.py", 1, "it %s", ("broke",), sys.exc_info())
    (line,) = lines(log_file)
    assert f"RuntimeError: {HIDDEN}" in line["exception"]
    assert (line["event"], line["level"], line["logger"]) == ("it broke", "error", "daybook.test")
    said = plain.format(record)
    assert said.startswith("it broke\nTraceback")
    assert said.endswith(f"RuntimeError: {HIDDEN}")


@pytest.mark.django_db
def test_a_drive_tells_run_round_node_tool_version_and_time(log_file, monkeypatch):
    usage = ModelUsage(role="reason", model="m", prompt_tokens=7)
    turns = [propose("convert_units", value=1.0, from_unit="g", to_unit="mg"), finish("so")]
    for module in (assembly, wiring):
        monkeypatch.setattr(
            module, "reasoner_for", lambda protocol, toolbox: ScriptedReasoner(turns, usage=usage)
        )
    study = make_study(experiment_tool="ask_researcher", tools=["convert_units"])
    run = make_run(study, policy="auto")
    assert advance(take(run)) == "succeeded"
    told = lines(log_file)
    assert {line["run"] for line in told} == {str(run.pk)}
    assert {line["study"] for line in told} == {study.slug}
    (tool,) = [line for line in told if line["event"] == "tool called"]
    assert (tool["tool"], tool["version"], tool["node"], tool["round"]) == ("convert_units", "1", "act", 1)
    assert tool["seconds"] >= 0
    nodes = [(line["node"], line["round"]) for line in told if line["event"] == "node ended"]
    assert nodes[:4] == [("digest", 0), ("reason", 0), ("review", 1), ("act", 1)]
    assert all(line["seconds"] >= 0 for line in told if line["event"] == "node ended")
    assert [line["prompt_tokens"] for line in told if line["event"] == "model called"] == [7, 7]
    assert (told[0]["event"], told[-1]["event"], told[-1]["status"]) == (
        "drive began",
        "drive ended",
        "succeeded",
    )
