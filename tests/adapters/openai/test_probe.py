"""Test connection: each way of being wrong has its own sentence."""

import socket

import pytest

from agents.adapters.openai.probe import probe
from agents.adapters.openai.settings import ModelSettings
from agents.testing import Answer, Fail, Hang, ModelServer, Say, Traits

READY = Answer({"word": "ready"})


async def probed(script, *, traits=None, **settings):
    with ModelServer(script, traits=traits) as server:
        values = {"base_url": server.base_url, "models": {"reason": "scripted"}, "timeout_s": 2.0, **settings}
        return await probe(ModelSettings(**values))


def sentences(report):
    return [check.sentence for check in report.checks]


async def test_a_good_server_passes_every_check():
    report = await probed([READY])
    assert report.is_ready
    assert [(check.name, check.is_ok) for check in report.checks] == [
        ("reachable", True),
        ("authorised", True),
        ("model", True),
        ("json_schema", True),
        ("tool", True),
        ("usage", True),
    ]


async def test_nobody_at_the_address():
    report = await probed([READY], base_url="http://127.0.0.1:9/v1")
    assert not report.is_ready
    assert sentences(report) == ["Nothing answers at http://127.0.0.1:9/v1: is the server running there?"]


async def test_a_wrong_key():
    report = await probed([READY], traits=Traits(api_key="right"), api_key="wrong")
    assert (report.found("reachable"), report.found("authorised"), report.is_ready) == (True, False, False)
    assert sentences(report)[-1].endswith(
        "refused the key (401: Incorrect API key provided.): check OPENAI_API_KEY."
    )


async def test_a_missing_key():
    report = await probed([READY], traits=Traits(api_key="right"))
    assert sentences(report)[-1].endswith("wants a key and none is set: set OPENAI_API_KEY.")


async def test_a_model_that_is_not_there_lists_those_that_are():
    report = await probed([READY], traits=Traits(models=("qwen3", "llama4")))
    assert not report.is_ready
    assert sentences(report)[-1].endswith("has no model 'scripted'. It serves: llama4, qwen3.")


async def test_a_base_url_without_its_path():
    with ModelServer([READY]) as server:
        report = await probe(
            ModelSettings(base_url=server.base_url.removesuffix("/v1"), models={"reason": "scripted"})
        )
    assert not report.is_ready
    assert "is not the base URL of an OpenAI-compatible server" in sentences(report)[-1]


async def test_a_server_that_refuses_and_disregards_formats_is_still_ready():
    report = await probed([READY], traits=Traits(json_schema="refuses", tools="ignores", reports_usage=False))
    assert report.is_ready
    assert (report.found("json_schema"), report.found("tool"), report.found("usage")) == (False, False, False)
    assert "'scripted' disregards a forced tool call. Replies are asked for in another way." in sentences(
        report
    )


async def test_a_server_that_only_fails():
    report = await probed([Fail(503, "loading the model")])
    assert not report.is_ready
    assert sentences(report)[-1].startswith("'scripted' does not answer: ")
    assert sentences(report)[-1].endswith("answered 503: loading the model")


async def test_no_model_named():
    report = await probed([READY], models={})
    assert sentences(report)[-1] == "No model is named: set DAYBOOK_MODEL. The server has: scripted."


async def test_what_was_found_is_used_by_later_calls(bench):
    async with bench([Answer({"word": "ready"})], traits=Traits(json_schema="ignores")) as b:
        await probe(b.model.settings)
        reply = await b.ask()
    assert reply.mode == "tool"


@pytest.mark.parametrize("text", ["", "ready", '["ready"]'])
async def test_a_model_that_talks_does_not_honour_the_schema(text):
    report = await probed([Say(text)])
    assert report.found("json_schema") is False


async def test_a_server_that_says_nothing_is_waited_for_only_so_long():
    with ModelServer([Hang(), Hang(), Hang()]) as server:
        settings = ModelSettings(base_url=server.base_url, models={"reason": "scripted"}, timeout_s=60.0)
        report = await probe(settings, limit_s=0.5)
    assert not report.is_ready
    assert report.seconds < 5
    assert "no model did within 0.5 s" in sentences(report)[-1]


async def test_what_answered_before_the_limit_counts():
    with ModelServer([READY, Hang(), Hang()]) as server:
        settings = ModelSettings(base_url=server.base_url, models={"reason": "scripted"}, timeout_s=60.0)
        report = await probe(settings, limit_s=2.0)
    assert report.is_ready
    assert sentences(report)[-1] == f"The rest was not tried: {server.base_url} did not finish within 2 s."


async def test_a_server_that_takes_the_connection_and_never_answers_has_its_sentence():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        where = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        report = await probe(ModelSettings(base_url=where, models={"reason": "m"}), limit_s=0.5)
    assert sentences(report) == [
        f"{where} did not answer within 0.5 s. Is the address right, and the server idle?"
    ]
