"""Daybook's side of the fault benchmark: a fault through the whole engine, and the verdict on it."""

import re
from collections.abc import Callable, Sequence

from agents.testing import Call, Say
from agents.testing.replies import Reply, Request
from benchmarks.parts.faults_catalogue import FINISH, PLAIN, TEXT, TOOL, Fault
from benchmarks.parts.faults_site import Facts, facts_of
from benchmarks.parts.faults_tool import is_as_meant, is_sound
from benchmarks.parts.faults_verdicts import (
    ASKS,
    BAD,
    CAP,
    CRASH,
    ENDLESS,
    LONGEST_PROMPT,
    RECOVERS,
    SILENT,
    SWAMPED,
)

SUMMARY = Say("The yield at 300 K with C1 was 10.0 %.")


def script_of(fault: Fault, *, wire: bool) -> Callable[[Request, int], Reply]:
    """Return the script of Daybook's model: the faulty replies, one right call, the end, a conclusion."""
    first = fault.wire if wire else fault.ours
    good: Reply = Call(PLAIN, name=TOOL) if wire else Say(TEXT)
    tail: Sequence[Reply] = [FINISH, SUMMARY] if fault.has_call else [good, FINISH, SUMMARY]

    def script(request: Request, number: int) -> Reply:
        if fault.for_ever and number < CAP:
            return first[0]
        replies = [*first, *tail]
        return replies[min(number, len(replies) - 1)]

    return script


def run_ours(fault: Fault, *, wire: bool = False) -> Facts:
    """Return what came of ``fault`` in Daybook; ``wire`` sends it as the tool call that an agent would get."""
    return facts_of(script_of(fault, wire=wire), mode=fault.tool, traits=fault.traits)


def verdict(fault: Fault, facts: Facts) -> str:
    """Return what came of it, in a word."""
    if not all(is_sound(line) for line in facts.executed):
        return BAD
    if facts.asked >= CAP or facts.status in ("queued", "running"):
        return ENDLESS
    if facts.longest_prompt > LONGEST_PROMPT:
        return SWAMPED
    if facts.status == "failed":
        return CRASH
    if facts.status == "waiting":
        return ASKS
    is_guess = fault.is_ambiguous and facts.asked <= 3
    is_known = fault.tool != "NaN" and any(map(is_as_meant, facts.executed))
    is_true = is_known and "10.0 %" in facts.answer
    return RECOVERS if is_true and not is_guess else SILENT


def is_told(fault: Fault, facts: Facts) -> bool:
    """Return True when a person can read what happened."""
    return not fault.says or any(re.search(fault.says, sentence, re.DOTALL) for sentence in facts.said)
