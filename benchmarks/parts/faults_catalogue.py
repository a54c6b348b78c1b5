"""What models, servers and tools do wrong: one row a fault, in the form that each side is sent."""

import json
from dataclasses import dataclass, field
from typing import Any

from agents.testing import Answer, Call, Drop, Fail, Say, Traits
from agents.testing.replies import PROSE, Reply

TOOL = "run_experiment"
GOAL = "Run the experiment at 300 K with C1 and report the yield."
ARGUMENTS: dict[str, Any] = {"temperature_k": 300, "catalyst": "C1"}
PLAIN = json.dumps(ARGUMENTS)

CLAIM = {"text": "At 300 K with C1 the yield is low.", "refuted_by": "A yield of 50 % or more."}
TURN: dict[str, Any] = {
    "memory": [],
    "hypothesis": CLAIM,
    "action": {"tool": TOOL, "arguments": ARGUMENTS},
    "reason": "It was asked for and was not done yet.",
}
TEXT = json.dumps(TURN)
FINISH = Answer({"memory": [], "finish": {"answer": "The yield at 300 K with C1 was 10.0 %."}})
FALSE = {"memory": [], "finish": {"answer": "The yield at 300 K with C1 was 99.9 %."}}
FINDING = '{"finding": "The yield rises.", "confidence": 0.8}'
CHINESE = "好的,我建议在三百开尔文下用催化剂进行实验,然后报告产率。"


@dataclass(frozen=True)
class Fault:
    """One misbehaviour.

    ``ours`` are the replies in Daybook's own form and ``wire`` the same as tool calls, as LangChain's agent
    asks for them: both before the good tail (one right call, then the end). ``for_ever``: the first reply
    comes again and again. ``structured`` is instead sent to an agent with a response format.
    ``has_call``: the right call is among the replies, so only the end follows. ``is_ambiguous``: what it means
    cannot be known, so that running it without asking again is a guess. ``streams``: it shows only in a stream.
    ``says`` is a pattern that the log or the card must hold when a person is to know what happened.
    """

    name: str
    ours: tuple[Reply, ...] = ()
    wire: tuple[Reply, ...] = ()
    group: str = "loop"
    tool: str = "ok"
    traits: Traits = field(default_factory=Traits)
    structured: str | None = None
    for_ever: bool = False
    is_ambiguous: bool = False
    has_call: bool = False
    streams: bool = False
    says: str = ""


def turn(arguments: str, tool: str = TOOL, **changes: Any) -> str:
    """Return the text of a turn with ``arguments`` as raw JSON."""
    action = {"tool": tool, "arguments": "@"}
    return json.dumps({**TURN, "action": action, **changes}, ensure_ascii=False).replace('"@"', arguments)


def _arguments(name: str, raw: str, says: str, **more: Any) -> Fault:
    return Fault(name, (Say(turn(raw)),), (Call(raw, name=TOOL),), says=says, **more)


def _text(name: str, ours: str, wire: str, says: str, **more: Any) -> Fault:
    return Fault(name, (Say(ours),), (Say(wire),), says=says, **more)


_MISFIT = "did not fit the tool"
_NAN = '{"temperature_k": NaN, "catalyst": "C1"}'
_NESTED = '{"temperature_k": ' + "[" * 3_000 + "300" + "]" * 3_000 + ', "catalyst": "C1"}'
_MINUTES = '{"temperature_k": 300, "catalyst": "C1", "minutes": %s}'
_CALL_AS_TEXT = json.dumps({"name": TOOL, "arguments": ARGUMENTS})
_WINDOW = Fail(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "context_length_exceeded",
)

LOOP = (
    Fault("none (control)"),
    _arguments("trailing comma", PLAIN[:-1] + ",}", "JSON mended"),
    Fault("code fence", (Say(f"```json\n{TEXT}\n```"),), (Call(f"```json\n{PLAIN}\n```", name=TOOL),), says="code fence"),
    _arguments("NaN for an integer", _NAN, "NaN"),
    _arguments("NaN for a float", _MINUTES % "NaN", "NaN"),
    _arguments("single quotes", PLAIN.replace('"', "'"), "JSON mended"),
    Fault(
        "truncated",
        (Say(TEXT[:160], finish="length"),),
        (Call('{"temperature_k": 300, "catal', name=TOOL, finish="length"),),
        says="cut off",
    ),
    Fault("JSON in a string", (Say(json.dumps(TEXT)),), (Call(json.dumps(PLAIN), name=TOOL),), says="unwrapped"),
    Fault("arguments as an object, not a string", (Call(TURN),), (Call(ARGUMENTS, name=TOOL),)),
    Fault(
        "misspelt tool",
        (Say(turn(PLAIN, tool="run_experimnt")),),
        (Call(PLAIN, name="run_experimnt"),),
        says="'run_experimnt' read as 'run_experiment'",
    ),
    _arguments("'300' for 300", '{"temperature_k": "300", "catalyst": "C1"}', "temperature_k.*300"),
    _arguments("'abc' for an integer", '{"temperature_k": "abc", "catalyst": "C1"}', _MISFIT),
    _arguments("missing argument", '{"temperature_k": 300}', _MISFIT),
    _arguments(
        "unknown extra argument", '{"temperature_k": 300, "catalyst": "C1", "mood": "good"}', _MISFIT
    ),
    Fault("empty tool-call id", (), (Call(PLAIN, name=TOOL),)),
    Fault("the same action for ever", (Say(TEXT),), (Call(PLAIN, name=TOOL),), for_ever=True, says="this was done in round 1"),
    Fault("tool raises", tool="raises", says="the heater is broken"),
    Fault("tool hangs", tool="hangs", says="did not finish within 2 s"),
    Fault("tool returns 400,000 characters", tool="huge", says="artifact"),
    Fault("tool returns NaN", tool="NaN", says="yield_percent"),
    Fault("done before any step", (Answer(FALSE | {"finish": {"answer": "FINISHED"}}),), (Say("FINISHED"),), says="No action of this run has given a result|no JSON object"),
    _text(
        "call written as text, with <think>",
        f"<think>I should call it.</think>\n```json\n{TEXT}\n```",
        f"<think>I should call it.</think>\n```json\n{_CALL_AS_TEXT}\n```",
        "thoughts removed",
    ),
    _text("empty reply", "", "", "empty"),
    Fault(
        "final answer contradicts the result",
        (Say(TEXT), Answer(FALSE)),
        (Call(PLAIN, name=TOOL), Say("FINISHED: the yield was 99.9 %")),
        has_call=True,
        says="says 99.9 %|no JSON object",
    ),
    Fault("HTTP 500 once", (Fail(500),), (Fail(500),), says="answered 500"),
    Fault("context length exceeded once", (Say(TEXT), _WINDOW), (Call(PLAIN, name=TOOL), _WINDOW), has_call=True, says="maximum context length"),
)  # fmt: skip

OUTPUT = (
    _text("text around JSON", f"Sure, here it is:\n{TEXT}\nLet me know.", f"Sure: {_CALL_AS_TEXT}\nLet me know.", "text around it"),
    Fault("arguments as a string", (Say(turn(json.dumps(PLAIN))),), says="arguments unwrapped"),
    _arguments("Infinity", _MINUTES % "Infinity", "Infinity"),
    _arguments("a number that overflows", _MINUTES % "1e999", "too large"),
    Fault("stream that just ends", (Say(TEXT[:160], finish=""),), (Call(PLAIN[:20], name=TOOL, finish=""),), streams=True, says="cut off"),
    Fault("half-closed connection", (Drop(TEXT[:60]),), (Drop("I will"),), streams=True, says="closed the connection"),
    _arguments("duplicate keys", '{"temperature_k": 450, "catalyst": "C1", "temperature_k": 300}', "stands twice", is_ambiguous=True),
    _text("wrong language", CHINESE, CHINESE, "no JSON object"),
    Fault("wrong language, in form", (Say(turn(PLAIN, reason=CHINESE)),), says="another language"),
    Fault("unknown tool", (Say(turn("{}", tool="launch_rocket")),), (Call("{}", name="launch_rocket"),), says="named a tool that this study does not have"),
    Fault("refusal", (Say("", refusal="I cannot help with that."),), (Say("", refusal="I cannot help with that."),), says="refused to answer"),
    Fault("429 with Retry-After", (Fail(429, retry_after=1.0),), (Fail(429, retry_after=1.0),), says="answered 429"),
    Fault("500 for ever", (Fail(500),), (Fail(500),), for_ever=True, says="answered 500"),
    Fault("ignores tool_choice", (Say(PROSE),), (Say(PROSE),), traits=Traits(json_schema="refuses"), says="no JSON object"),
    Fault("prose for ever", (Say(PROSE),), (Say(PROSE),), for_ever=True, says="no JSON object"),
    _arguments("nested without end", _NESTED, "nested far deeper"),
    Fault("nested without end, for ever", (Say(_NESTED),), (Call(_NESTED, name=TOOL),), for_ever=True, says="nested far deeper"),
    _text("brackets that never close", "{" * 20_000, "{" * 20_000, "nested far deeper"),
    Fault("NaN for ever", (Say(turn(_NAN)),), (Call(_NAN, name=TOOL),), for_ever=True, says="NaN"),
)  # fmt: skip


def _reply(name: str, ours: str, theirs: str, says: str = "", **more: Any) -> Fault:
    return Fault(name, (Say(ours),), group="structured", structured=theirs, says=says, **more)


STRUCTURED = (
    _reply("clean (control)", TEXT, FINDING),
    _reply("code fence", f"```json\n{TEXT}\n```", f"```json\n{FINDING}\n```", "code fence"),
    _reply("prose around it", f"Here it is:\n{TEXT}\nBye.", f"Here it is:\n{FINDING}\nBye.", "text around it"),
    _reply(
        "<think> block first",
        f'<think>It said {{"finding": 1}}.</think>\n{TEXT}',
        f'<think>It said {{"finding": 1}}.</think>\n{FINDING}',
        "thoughts removed",
    ),
    _reply("trailing comma", TEXT[:-1] + ",}", FINDING[:-1] + ",}", "JSON mended"),
    _reply("single quotes", TEXT.replace('"', "'"), FINDING.replace('"', "'"), "JSON mended"),
    _reply("NaN value", turn(_NAN), FINDING.replace("0.8", "NaN"), "NaN"),
    _reply("number as a string", turn(PLAIN.replace("300", '"300"')), FINDING.replace("0.8", '"0.8"'), "temperature_k"),
    _reply("missing key", turn('{"temperature_k": 300}'), '{"finding": "The yield rises."}', _MISFIT),
    _reply("truncated", TEXT[:160], FINDING[:40], "cut off"),
    _reply("two objects", f"{TEXT}\n{TEXT}", f"{FINDING}\n{FINDING}", "text around it"),
    _reply("empty", "", "", "empty"),
    _reply("response_format ignored", PROSE, PROSE, "no JSON object"),
)  # fmt: skip

FAULTS: tuple[Fault, ...] = (*LOOP, *OUTPUT, *STRUCTURED)
