"""Every bad answer of a model or its server: mended, asked again, or a ModelFault. Never run, never the end."""

import json

import bpe_openai
import pytest

from agents.core.errors import ModelFault
from agents.core.tools import Action
from agents.testing import Answer, Call, Drop, Fail, Hang, Say, Traits
from tests.reasoners.language_model.briefs import brief

O200K = bpe_openai.get_encoding("o200k_base")
ARGUMENTS = {"base": "KOAc", "temperature": 90}
TURN = {
    "memory": [],
    "hypothesis": {"text": "CsOPiv beats KOAc.", "refuted_by": "KOAc gives more."},
    "action": {"tool": "measure", "arguments": ARGUMENTS},
    "reason": "It was not measured yet.",
}
GOOD = Answer(TURN)
TEXT = json.dumps(TURN)
WANTED = Action(tool="measure", arguments=ARGUMENTS)


def turn(**changes):
    return json.dumps({**TURN, **changes}, ensure_ascii=False)


def with_arguments(arguments):
    return turn(action={"tool": "measure", "arguments": arguments})


MENDED = {
    "plain JSON": Say(TEXT),
    "code fence": Say(f"```json\n{TEXT}\n```"),
    "code fence in a tool call": Call(f"```json\n{TEXT}\n```"),
    "trailing comma": Say(TEXT[:-1] + ",}"),
    "trailing comma in a tool call": Call(TEXT[:-1] + ",}"),
    "single quotes": Say(TEXT.replace('"', "'")),
    "Python literals": Say(TEXT.replace('"reason"', '"replicate": False, "reason"')),
    "think block": Say(f'<think>Maybe {{"action": 1}}.</think>\n{TEXT}'),
    "think block without a beginning": Say(f"I should measure.</think>{TEXT}"),
    "text around it": Say(f"Sure, here it is:\n{TEXT}\nLet me know."),
    "arguments as an object": Call(TURN),
    "arguments as a string": Say(with_arguments(json.dumps(ARGUMENTS))),
    "JSON in a string": Say(json.dumps(TEXT)),
    "JSON in a string in a string": Call(json.dumps(json.dumps(TEXT))),
    "a list of one": Say(f"[{TEXT}]"),
    "wrapped under a name": Say(json.dumps({"turn": TURN})),
    "a bare tool call in text": Say(json.dumps({"name": "measure", "arguments": ARGUMENTS})),
    "a call of the study's own tool": Call(json.dumps(ARGUMENTS), name="measure"),
    "misspelt tool": Say(turn(action={"tool": "mesure", "arguments": ARGUMENTS})),
    "answer in the reasoning only": Say("", reasoning=TEXT),
    "two objects": Say(f"{TEXT}\n{TEXT}"),
}

ASKED_AGAIN = {
    "NaN": (Say(with_arguments({"temperature": float("nan")})), "not_finite"),
    "NaN in a tool call": (Call(with_arguments({"temperature": float("nan")})), "not_finite"),
    "NaN with a trailing comma": (
        Say(with_arguments({"temperature": float("nan")})[:-1] + ",}"),
        "not_finite",
    ),
    "Infinity": (Say(with_arguments({"temperature": float("inf")})), "not_finite"),
    "a number that overflows": (Say(TEXT.replace("90", "1e999")), "not_finite"),
    "truncated stream": (Say(TEXT[:150], finish="length"), "truncated"),
    "stream that just ends": (Say(TEXT[:150], finish=""), "truncated"),
    "truncated without saying so": (Call(TEXT[:-20]), "truncated"),
    "truncated after the action": (Say(TEXT[: TEXT.index(', "reason"')]), "truncated"),
    "empty": (Say(""), "empty"),
    "only thoughts": (Say("<think>What now?</think>"), "empty"),
    "duplicate keys": (Say(TEXT.replace('"base"', '"temperature": 300, "base"')), "duplicate_keys"),
    "duplicate keys in single quotes": (
        Say(TEXT.replace('"base"', '"temperature": 300, "base"').replace('"', "'")),
        "duplicate_keys",
    ),
    "a unit behind a number": (Say(TEXT.replace("90", "90 °C")), "broken_json"),
    "wrong language, in prose": (Say("好的,我建议继续在九十度下测量。"), "no_object"),
    "wrong language, in form": (Say(turn(reason="这个条件还没有测量过,所以先测它。")), "wrong_language"),
    "unknown tool": (Say(turn(action={"tool": "launch_rocket", "arguments": {}})), "unknown_tool"),
    "call of an unknown tool": (Call("{}", name="launch_rocket"), "unknown_tool"),
    "refusal": (Say("", refusal="I cannot help with that."), "refusal"),
    "refusal in prose": (Say("I'm sorry, but I can't assist with that."), "no_object"),
    "filtered": (Say("", finish="content_filter"), "refusal"),
    "prose": (Say("I would raise the temperature a little."), "no_object"),
    "wrong types": (Say(with_arguments({"base": "KOAc", "temperature": "abc"})), "bad_arguments"),
    "wrong shape": (Say('{"action": [1, 2]}'), "wrong_shape"),
    "action and finish at once": (Say(turn(finish={"answer": "Done."})), "wrong_shape"),
    "neither action nor finish": (Say('{"memory": []}'), "wrong_shape"),
}


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("name", MENDED)
async def test_mended_without_another_call(lab, name):
    async with lab([MENDED[name]]) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.action == WANTED
    assert (len(b.server.requests), b.ears.faults) == (1, [""])


@pytest.mark.parametrize("name", ASKED_AGAIN)
async def test_asked_again_once_in_at_most_sixty_tokens(lab, name):
    bad, fault = ASKED_AGAIN[name]
    async with lab([bad, GOOD]) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.action == WANTED
    assert b.ears.faults == [fault, ""]
    reminder = b.asked(1)[len(b.asked(0)) :].strip()
    assert 5 < len(O200K.encode(reminder)) <= 60


@pytest.mark.parametrize(
    "name", [name for name, (_, fault) in ASKED_AGAIN.items() if fault != "wrong_language"]
)
async def test_a_model_that_never_learns_is_asked_three_times_and_nothing_is_run(lab, name):
    bad, fault = ASKED_AGAIN[name]
    async with lab([bad]) as b:
        with pytest.raises(ModelFault) as caught:
            await b.reasoner.propose(brief(), b.ears)
    assert len(b.server.requests) == 3
    assert [one["fault"] for one in caught.value.tries] == [fault] * 3


SERVERS = {
    "429 with Retry-After": ([Fail(429, retry_after=0.01), GOOD], Traits(), ["rate_limited", ""]),
    "500": ([Fail(500), GOOD], Traits(), ["server_error", ""]),
    "half-closed connection": ([Drop(TEXT[:40]), GOOD], Traits(), ["connection_lost", ""]),
    "timeout": ([Hang(30), GOOD], Traits(), ["timeout", ""]),
    "ignores response_format": ([GOOD], Traits(json_schema="ignores"), ["no_object", ""]),
    "ignores response_format and tool_choice": (
        [GOOD],
        Traits(json_schema="ignores", tools="ignores"),
        ["no_object", "no_object", ""],
    ),
    "refuses response_format": ([GOOD], Traits(json_schema="refuses"), ["json_schema_refused", ""]),
    "does not stream": ([GOOD], Traits(can_stream=False), ["no_stream", ""]),
}


@pytest.mark.parametrize("name", SERVERS)
async def test_servers_that_misbehave(lab, name):
    script, traits, faults = SERVERS[name]
    async with lab(script, traits=traits, timeout_s=0.3) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.action == WANTED
    assert b.ears.faults == faults


@pytest.mark.parametrize("bad", [Fail(500), Drop("{"), Hang(30)])
async def test_a_server_that_never_answers_ends_in_a_fault_with_every_try(lab, bad):
    async with lab([bad], timeout_s=0.2) as b:
        with pytest.raises(ModelFault) as caught:
            await b.reasoner.propose(brief(), b.ears)
    assert (len(b.server.requests), len(caught.value.tries), len(b.ears.usages)) == (3, 3, 3)


async def test_the_broken_text_is_never_sent_back(lab):
    async with lab([Say(TEXT[:150], finish="length"), GOOD]) as b:
        await b.reasoner.propose(brief(), b.ears)
    first, second = b.asked(0), b.asked(1)
    assert second.startswith(first)
    assert len(b.server.requests[1]["messages"]) == 2
    assert second[len(first) :].strip() == (
        "Your last reply could not be used: the reply was cut off; answer more briefly. Reply with one JSON "
        'object: {"memory":[],"hypothesis":{"text":""},"action":{"tool":"","arguments":{}},"reason":""}'
    )


async def test_the_message_of_a_field_is_passed_on(lab):
    async with lab([Say(with_arguments({"temperature": 300})), GOOD]) as b:
        await b.reasoner.propose(brief(), b.ears)
    assert b.asked(1).endswith("field temperature: expected a number ≤ 120 °C, received 300.")


async def test_an_unknown_tool_is_answered_with_the_tools(lab):
    async with lab([ASKED_AGAIN["unknown tool"][0], GOOD]) as b:
        await b.reasoner.propose(brief(), b.ears)
    assert b.asked(1).endswith("there is no tool 'launch_rocket'; the tools are: measure, search_documents.")


async def test_the_wrong_language_is_accepted_rather_than_ending_the_run(lab):
    async with lab([ASKED_AGAIN["wrong language, in form"][0]]) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.action == WANTED
    assert len(b.server.requests) == 2


async def test_what_was_mended_is_told_on_the_card(lab):
    async with lab([Say("```\n" + turn(action={"tool": "mesure", "arguments": ARGUMENTS}) + "\n```")]) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.details == {"mended": ["code fence", "tool 'mesure' read as 'measure'"]}


async def test_a_number_in_quotes_is_left_to_the_gate(lab):
    async with lab([Say(with_arguments({"base": "KOAc", "temperature": "90"}))]) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.action.arguments == {"base": "KOAc", "temperature": "90"}


async def test_a_prompt_that_the_server_cut_in_silence_is_noticed(lab):
    long = Traits(count=lambda text: 1024)
    many = "x " * 4000
    async with lab([GOOD], traits=long) as b:
        with pytest.raises(ModelFault, match="read only 1024 of about"):
            await b.reasoner.propose(
                brief(protocol=brief().protocol.model_copy(update={"goal": many})), b.ears
            )


async def test_a_context_error_teaches_the_limit_and_is_sent_once_more(lab):
    seen = []

    def script(request, number):
        seen.append(sum(len(message["content"]) for message in request["messages"]))
        return (
            Fail(400, "maximum context length is 900 tokens", "context_length_exceeded")
            if number == 0
            else GOOD
        )

    async with lab(script) as b:
        result = await b.reasoner.propose(brief(), b.ears)
    assert result.proposal.action == WANTED
    assert seen[1] < seen[0]
