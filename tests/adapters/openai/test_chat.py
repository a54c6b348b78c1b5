"""The chat client over real HTTP: streaming, usage, the reply ladder, retries and clear refusals."""

import pytest

from agents.adapters.openai.settings import Price
from agents.core.errors import ModelFault, NotConfigured, Refused
from agents.core.model import RawCall, WindowExceeded
from agents.testing import Answer, Call, Drop, Fail, Hang, Say, Traits

GOOD = Answer({"text": "yield rises"})
GOOD_TEXT = '{"text": "yield rises"}'


async def test_a_reply_streams_piece_by_piece(bench):
    async with bench([GOOD]) as b:
        reply = await b.ask()
    assert (reply.text, reply.finish, reply.mode) == (GOOD_TEXT, "stop", "json_schema")
    assert b.ears.heard == GOOD_TEXT
    assert b.server.requests[0]["stream"] is True


async def test_usage_comes_from_the_provider_with_cached_tokens_and_money(bench):
    long = Traits(count=len)
    prices = {"scripted": Price(prompt=2.0, cached=0.5, completion=8.0)}
    async with bench([GOOD], traits=long, prices=prices) as b:
        usage = (await b.ask()).usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (37, 0, 42)
    assert usage.money == pytest.approx((37 * 2.0 + 42 * 8.0) / 1e6)
    assert (usage.estimated, usage.sections, usage.role) == (False, {"goal": 7}, "reason")


async def test_a_repeated_prefix_is_reported_as_cached(bench):
    async with bench([GOOD], traits=Traits(count=lambda text: 40 * len(text))) as b:
        await b.ask()
        usage = (await b.ask()).usage
    assert (usage.prompt_tokens, usage.cached_tokens) == (1480, 1408)


async def test_usage_is_estimated_when_the_server_reports_none(bench):
    async with bench([GOOD], traits=Traits(reports_usage=False)) as b:
        usage = (await b.ask()).usage
    assert usage.estimated
    assert 20 < usage.prompt_tokens < 60


async def test_a_refused_json_schema_leads_to_a_tool_call_and_is_remembered(bench):
    async with bench([GOOD], traits=Traits(json_schema="refuses")) as b:
        first, second = await b.ask(), await b.ask()
    assert first.calls == [RawCall(name="finding", arguments=GOOD_TEXT)]
    assert (first.mode, second.mode) == ("tool", "tool")
    assert b.ears.faults == ["json_schema_refused"]


async def test_a_server_that_refuses_both_is_asked_in_words(bench):
    async with bench([GOOD], traits=Traits(json_schema="refuses", tools="refuses")) as b:
        reply = await b.ask()
    assert (reply.mode, reply.text) == ("text", GOOD_TEXT)
    assert "response_format" not in b.server.requests[-1]
    assert "tools" not in b.server.requests[-1]


async def test_a_disregarded_format_is_not_asked_for_again(bench):
    async with bench([GOOD], traits=Traits(json_schema="ignores", tools="ignores")) as b:
        modes = [(await b.ask()).mode for _ in range(4)]
    assert modes == ["json_schema", "tool", "text", "text"]


async def test_one_slip_does_not_cost_a_mode_that_worked(bench):
    async with bench([GOOD, Say("Hm."), GOOD]) as b:
        modes = [(await b.ask()).mode for _ in range(3)]
    assert modes == ["json_schema"] * 3


async def test_a_fixed_reply_mode_is_kept(bench):
    async with bench([GOOD], traits=Traits(json_schema="refuses"), reply_mode="json_schema") as b:
        with pytest.raises(ModelFault, match="does not honour json_schema"):
            await b.ask()


async def test_free_text_asks_for_no_format(bench):
    async with bench([Say("All is well.")]) as b:
        reply = await b.ask(structured=False)
    assert (reply.text, reply.mode) == ("All is well.", "text")
    assert "response_format" not in b.server.requests[0]


async def test_a_server_that_cannot_stream_is_read_whole(bench):
    async with bench([GOOD], traits=Traits(can_stream=False)) as b:
        first, second = await b.ask(), await b.ask(structured=False)
    assert (first.text, second.text) == (GOOD_TEXT, GOOD_TEXT)
    assert [request["stream"] for request in b.server.requests] == [True, False, False]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_reasoning_refusal_and_arguments_sent_as_an_object_are_kept(bench):
    async with bench([Say("", reasoning="Because."), Say("", refusal="No."), Call({"text": "x"})]) as b:
        replies = [await b.ask() for _ in range(3)]
    assert replies[0].reasoning == "Because."
    assert replies[1].refusal == "No."
    assert replies[2].calls == [RawCall(name="finding", arguments='{"text": "x"}')]


@pytest.mark.parametrize("finish", ["length", ""])
async def test_a_truncated_stream_is_seen(bench, finish):
    async with bench([Say('{"text": "yie', finish=finish)]) as b:
        reply = await b.ask()
    assert (reply.is_cut, reply.finish) == (True, finish)


async def test_a_rate_limit_waits_as_long_as_it_says(bench):
    async with bench([Fail(429, retry_after=1.5), GOOD]) as b:
        assert (await b.ask()).text == GOOD_TEXT
    assert (b.waits, b.ears.faults) == ([1.5], ["rate_limited"])


async def test_a_very_long_wait_is_left_to_a_person(bench):
    async with bench([Fail(429, retry_after=3600)]) as b:
        with pytest.raises(ModelFault, match="asks to wait 3600 s"):
            await b.ask()
    assert b.waits == []


async def test_passing_faults_are_tried_twice_more_with_growing_waits(bench):
    async with bench([Fail(500)]) as b:
        with pytest.raises(ModelFault, match="answered 500") as caught:
            await b.ask()
    assert [one["fault"] for one in caught.value.tries] == ["server_error"] * 3
    assert 0.5 <= b.waits[0] <= 1.0
    assert 1.0 <= b.waits[1] <= 1.5


async def test_a_half_closed_connection_is_tried_again(bench):
    async with bench([Drop('{"text": "yie'), GOOD]) as b:
        assert (await b.ask()).text == GOOD_TEXT
    assert b.ears.faults == ["connection_lost"]
    assert b.ears.usages[0].completion_tokens > 0


async def test_silence_ends_at_the_time_limit(bench):
    async with bench([Hang(30), GOOD], timeout_s=0.2) as b:
        assert (await b.ask()).text == GOOD_TEXT
    assert b.ears.faults == ["timeout"]


async def test_a_call_that_trickles_for_ever_ends_at_the_call_limit(bench):
    slow = Traits(piece=1, pause_s=0.05)
    async with bench([Say("x" * 1000)], traits=slow, call_limit_s=0.3) as b:
        with pytest.raises(ModelFault, match="silent for too long"):
            await b.ask()


async def test_what_is_turned_away_at_the_door_costs_nothing(bench):
    async with bench([Fail(500)], traits=Traits(reports_usage=False)) as b:
        with pytest.raises(ModelFault):
            await b.ask()
    assert [usage.prompt_tokens for usage in b.ears.usages] == [0, 0, 0]


async def test_five_failures_let_the_endpoint_rest(bench):
    async with bench([Fail(500)]) as b:
        for _ in range(2):
            with pytest.raises(ModelFault) as caught:
                await b.ask()
    assert len(b.server.requests) == 5
    assert caught.value.tries[-1]["fault"] == "resting"
    assert "failed 5 times in a row" in str(caught.value)


async def test_a_prompt_that_is_too_long_names_the_window(bench):
    async with bench([GOOD], traits=Traits(window=8192, count=lambda text: 9000)) as b:
        with pytest.raises(WindowExceeded) as caught:
            await b.ask()
    assert caught.value.limit == 8192


async def test_a_wrong_key_says_so(bench):
    async with bench([GOOD], traits=Traits(api_key="right"), api_key="wrong") as b:
        with pytest.raises(NotConfigured, match=r"refused the key \(401: Incorrect API key provided.\)"):
            await b.ask()


async def test_a_model_that_is_not_there_is_named(bench):
    async with bench([GOOD], models={"reason": "gpt-x"}) as b:
        with pytest.raises(NotConfigured, match="has no model 'gpt-x'"):
            await b.ask()


async def test_nobody_listening_asks_whether_the_server_runs(bench):
    async with bench([GOOD], base_url="http://127.0.0.1:9/v1") as b:
        with pytest.raises(ModelFault, match=r"Nothing answers at .*:9/v1: is the server running"):
            await b.ask()


async def test_the_listener_may_end_it_when_the_budget_is_used_up(bench):
    async with bench([Fail(500)]) as b:

        async def used(usage):
            raise Refused("The budget is used up.")

        b.ears.used = used
        with pytest.raises(Refused):
            await b.ask()
    assert len(b.server.requests) == 1


async def test_ollama_is_told_how_much_to_read(bench):
    async with bench([GOOD], provider="ollama", context_tokens=8192) as b:
        await b.ask()
    assert b.server.requests[0]["options"] == {"num_ctx": 8192}
    assert "tool_choice" not in b.server.requests[0]


async def test_the_default_endpoint_without_a_key_says_how_to_set_one(bench):
    async with bench([GOOD], base_url="") as b:
        with pytest.raises(NotConfigured, match="set OPENAI_API_KEY, or set OPENAI_BASE_URL"):
            await b.ask()


async def test_the_servers_own_count_holds_for_a_reply_that_could_not_be_read(bench):
    """A whole body in place of a stream is asked for again; both calls cost what the server says, no estimate."""
    async with bench([GOOD, GOOD], traits=Traits(can_stream=False, count=lambda text: 15)) as b:
        usage = (await b.ask()).usage
    (lost,) = b.ears.usages
    assert lost.fault == "no_stream"
    assert (lost.prompt_tokens, lost.completion_tokens, lost.estimated) == (15, 15, False)
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (15, 15, False)
