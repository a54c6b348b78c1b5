"""The same faults through LangChain's ``create_agent`` at its defaults, over the same scripted server."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from agents.testing import Call, ModelServer, Say
from agents.testing.replies import Reply, Request, prompt_text
from agents.testing.serving import _Handler
from benchmarks.parts import faults_tool
from benchmarks.parts.faults_catalogue import FINDING, GOAL, PLAIN, TOOL, Fault
from benchmarks.parts.faults_tool import SLOW_S, is_as_meant, is_sound
from benchmarks.parts.faults_verdicts import (
    BAD,
    CAP,
    CRASH,
    ENDLESS,
    LONGEST_PROMPT,
    RECOVERS,
    SILENT,
    SWAMPED,
    UNLIMITED,
)

END = Say("FINISHED: the yield was 10.0 %")
SYSTEM = "You plan experiments. Use the tool, then answer."


class Finding(BaseModel):
    """What the agent is asked for where it answers in a format."""

    finding: str
    confidence: float


@dataclass
class PeerFacts:
    """What came of one fault. ``final`` is the last answer, or the structured one."""

    final: Any = None
    error: str = ""
    asked: int = 0
    longest_prompt: int = 0
    executed: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


class _NamelessHandler(_Handler):
    """Sends tool calls without an id."""

    def _complete(
        self, request: Request, message: dict[str, Any], finish: str, usage: dict[str, Any]
    ) -> None:
        for call in message.get("tool_calls") or []:
            call["id"] = ""
        super()._complete(request, message, finish, usage)


def run_peer(fault: Fault) -> PeerFacts:
    """Return what the agent makes of ``fault``."""
    faults_tool.prepare(fault.tool)
    facts = PeerFacts()
    started = time.monotonic()
    with ModelServer(_script(fault), traits=fault.traits) as server:
        if fault.name == "empty tool-call id":
            server._http.RequestHandlerClass = type("Handler", (_NamelessHandler,), {"owner": server})
        try:
            facts.final = _agent(fault, server.base_url)
        except Exception as error:  # whatever ends the loop is a result
            facts.error = f"{type(error).__name__}: {str(error)[:200]}"
        facts.asked = len(server.requests)
        facts.longest_prompt = max((len(prompt_text(request)) for request in server.requests), default=0)
    facts.seconds = time.monotonic() - started
    facts.executed = faults_tool.executed()
    return facts


def _script(fault: Fault) -> Callable[[Request, int], Reply]:
    if fault.structured is not None:
        replies: list[Reply] = [Say(fault.structured), Say(FINDING)]
    else:
        replies = [*fault.wire, END] if fault.has_call else [*fault.wire, Call(PLAIN, name=TOOL), END]

    def script(request: Request, number: int) -> Reply:
        if fault.for_ever:
            return fault.wire[0] if number < CAP else END
        return replies[min(number, len(replies) - 1)]

    return script


def _agent(fault: Fault, base_url: str) -> Any:
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ProviderStrategy
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="scripted", base_url=base_url, api_key="x", streaming=fault.streams)
    if fault.structured is not None:
        structured = create_agent(model, tools=[], response_format=ProviderStrategy(Finding))
        return structured.invoke({"messages": [("user", "Give the finding.")]})["structured_response"]
    agent = create_agent(model, tools=[faults_tool.run_experiment], system_prompt=SYSTEM)
    return agent.invoke({"messages": [("user", GOAL)]})["messages"][-1].content


def peer_verdict(fault: Fault, facts: PeerFacts) -> str:
    """Return what came of it, in a word."""
    if not all(is_sound(line) for line in facts.executed):
        return BAD
    if facts.asked >= CAP:
        return ENDLESS
    if facts.error:
        return f"{CRASH} ({facts.error.partition(':')[0]})"
    if fault.structured is not None:
        is_number = isinstance(facts.final, Finding) and math.isfinite(facts.final.confidence)
        return RECOVERS if is_number else BAD
    if fault.tool == "hangs" and facts.seconds >= SLOW_S:
        return UNLIMITED
    if facts.longest_prompt > LONGEST_PROMPT:
        return SWAMPED
    is_guess = fault.is_ambiguous and facts.asked == 3
    is_known = fault.tool != "NaN" and any(map(is_as_meant, facts.executed))
    is_true = is_known and "10.0 %" in str(facts.final)
    return RECOVERS if is_true and not is_guess else SILENT
