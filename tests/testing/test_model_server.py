"""The scripted model server: it records what came and says what the script says."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from agents.testing import Answer, Call, Fail, ModelServer, Say, Traits

QUESTION = {"model": "scripted", "messages": [{"role": "user", "content": "Well?"}]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "finding", "schema": {"type": "object"}}}
TOOLS = [{"type": "function", "function": {"name": "finding", "parameters": {"type": "object"}}}]


def post(server, **changes):
    body = json.dumps({**QUESTION, **changes}).encode()
    with urlopen(Request(f"{server.base_url}/chat/completions", data=body)) as response:
        return response.read().decode()


def message(server, **changes):
    return json.loads(post(server, **changes))["choices"][0]["message"]


def test_replies_come_in_order_and_the_last_is_repeated():
    with ModelServer([Say("one"), Say("two")]) as server:
        assert [message(server)["content"] for _ in range(3)] == ["one", "two", "two"]
    assert server.requests == [QUESTION] * 3


def test_a_script_may_be_a_function_of_the_request():
    with ModelServer(lambda request, number: Say(f"{number}: {request['messages'][0]['content']}")) as server:
        assert message(server)["content"] == "0: Well?"


def test_an_answer_comes_in_the_form_that_was_asked_for():
    with ModelServer([Answer({"a": 1})]) as server:
        assert message(server, response_format=FORMAT)["content"] == '{"a": 1}'
        call = message(server, tools=TOOLS)["tool_calls"][0]["function"]
    assert call == {"name": "finding", "arguments": '{"a": 1}'}


def test_a_stream_ends_with_usage_and_done():
    with ModelServer([Say("abcdef")], traits=Traits(piece=3)) as server:
        text = post(server, stream=True, stream_options={"include_usage": True})
    events = [line.removeprefix("data: ") for line in text.splitlines() if line]
    assert [json.loads(event)["choices"][0]["delta"].get("content") for event in events[1:3]] == [
        "abc",
        "def",
    ]
    assert json.loads(events[-2])["usage"]["total_tokens"] > 0
    assert events[-1] == "[DONE]"


def test_a_failure_carries_its_status_and_retry_after():
    with ModelServer([Fail(429, retry_after=2)]) as server, pytest.raises(HTTPError) as caught:
        post(server)
    assert (caught.value.code, caught.value.headers["Retry-After"]) == (429, "2")


def test_raw_arguments_are_sent_as_they_are():
    with ModelServer([Call('{"a": NaN,}', name="other")]) as server:
        call = message(server, tools=TOOLS)["tool_calls"][0]["function"]
    assert call == {"name": "other", "arguments": '{"a": NaN,}'}


def test_it_lists_its_models_and_wants_its_key():
    with ModelServer([Say("x")], traits=Traits(models=("a", "b"), api_key="k")) as server:
        with pytest.raises(HTTPError) as caught:
            urlopen(f"{server.base_url}/models")
        request = Request(f"{server.base_url}/models", headers={"Authorization": "Bearer k"})
        with urlopen(request) as response:
            names = [row["id"] for row in json.loads(response.read())["data"]]
    assert (caught.value.code, names) == (401, ["a", "b"])
