"""A scripted scientist: reads the prompts that Daybook sends and answers them sensibly, without a model.

It spreads its first experiments over the space, then varies the best one, a factor at a time, in every other
round, states what it expects, files what it saw and finishes after ``ENOUGH`` rounds. The same prompt gets the
same answer.
"""

import re
from typing import Any

from agents.testing.lab_reading import Seen, Slot, sentences_of, what_is_seen
from agents.testing.replies import Answer, Reply, Request, Say, asked_format, prompt_text

ENOUGH = 12
SPREAD = 5
"""Rounds whose experiments are spread over the space before the best one is varied."""
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
_LIMIT = re.compile(
    r"must not|at most|not exceed|no more than|at least|≤|≥|不超过|不得|不高于|不低于", re.IGNORECASE
)
_LISTED = re.compile(r"^((?:\d+/)?F\d+) \(for ", re.MULTILINE)
_GOAL = re.compile(r"\b(?:goal|aim|objective|purpose)\b|目的|目标", re.IGNORECASE)


def scientist(request: Request, number: int) -> Reply:
    """Answer a request of Daybook: a digest, a turn, or a conclusion."""
    text = prompt_text(request)
    kind = asked_format(request) or _kind_of(text)
    if kind == "digest":
        return Answer({"items": _items(text)})
    if kind == "milestone":
        return Answer({"operations": _tidied(text)})
    if kind == "turn":
        return Answer(_turn(what_is_seen(text)))
    if kind == "ready":
        return Answer({"word": "ready"})
    return Say(_conclusion(what_is_seen(text)))


def _kind_of(text: str) -> str:
    """Tell what is asked in words only, by the reply format in the prompt."""
    if '{"items":[...]}' in text:
        return "digest"
    if '{"word": "ready"}' in text:
        return "ready"
    if '{"operations":[' in text:
        return "milestone"
    return "turn" if '"hypothesis":' in text else ""


def _tidied(text: str) -> list[dict[str, Any]]:
    """Distil a rule from the first two findings, unless there is one already."""
    names = _LISTED.findall(text)
    if len(names) < 2 or "\nrule (" in text:
        return []
    told = "Experiments beside the best condition tell more than experiments far from it."
    why = f"{names[0]} and {names[1]} bear it out."
    return [{"op": "distil", "text": told, "sources": names[:2], "scope": "", "reason": why}]


def _turn(seen: Seen) -> dict[str, Any]:
    memory = _memory(seen)
    if not seen.slots or seen.last_round >= ENOUGH:
        best = f"The best seen is {seen.best}." if seen.best else "Nothing was measured."
        return {"memory": memory, "finish": {"answer": best, "findings": seen.findings[:1]}}
    arguments = _next(seen)
    factor = seen.slots[seen.last_round % len(seen.slots)].name
    return {
        "memory": memory,
        "hypothesis": {
            "text": f"{factor} matters for {seen.objective or 'the result'}.",
            "refuted_by": f"Changing {factor} alone changes nothing beyond the noise.",
        },
        "action": {"tool": seen.tool, "arguments": arguments},
        **_prediction(seen),
        "reason": _reason(seen),
    }


def _memory(seen: Seen) -> list[dict[str, Any]]:
    if not seen.last_round or not seen.last_outcome:
        return []
    text = f"{seen.last_conditions} gave {seen.last_outcome}."
    return [{"op": "add", "text": text, "evidence": [seen.last_round]}]


def _next(seen: Seen) -> dict[str, Any]:
    """Spread first, then take the best and change one factor; a refusal moves on along the sequence."""
    place = max(seen.measured, seen.last_round) + 1 + 7 * seen.refusals
    spread = {slot.name: slot.at(_halton(place, _PRIMES[i % 8])) for i, slot in enumerate(seen.slots)}
    if seen.last_round < SPREAD or not seen.best_conditions or place % 2:
        return {**spread, **_untried(seen)}
    chosen = seen.slots[place // 2 % len(seen.slots)]
    best = {slot.name: slot.read(seen.best_conditions.get(slot.name, "")) for slot in seen.slots}
    varied = {**best, chosen.name: spread[chosen.name]}
    return spread if seen.refusals or varied == best else varied


def _untried(seen: Seen) -> dict[str, Any]:
    slots: dict[str, Slot] = {slot.name: slot for slot in seen.slots}
    return {name: slots[name].read(levels[0]) for name, levels in seen.untried.items() if name in slots}


def _prediction(seen: Seen) -> dict[str, Any]:
    if not seen.objective or seen.best_value is None:
        return {}
    spread = max(1.0, abs(seen.best_value) * 0.3)
    bounds = {"mean": seen.best_value, "low": seen.best_value - spread, "high": seen.best_value + spread}
    return {"prediction": {"objective": seen.objective, **bounds}}


def _reason(seen: Seen) -> str:
    if seen.last_round < SPREAD:
        return (
            f"Spreading the first {SPREAD} experiments over the space; this is number {seen.last_round + 1}."
        )
    return "Looking beside the best condition and, in turn, where nothing was measured."


def _halton(index: int, base: int) -> float:
    """Return the ``index``-th number of the Halton sequence in ``base``, from 0 to 1."""
    result, part = 0.0, 1.0
    while index:
        part /= base
        result += part * (index % base)
        index //= base
    return result


def _items(text: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for page, sentence in sentences_of(text):
        if _LIMIT.search(sentence):
            kind = "constraint"
        elif _GOAL.search(sentence) and all(item["kind"] != "goal" for item in items):
            kind = "goal"
        elif re.search(r"\d", sentence):
            kind = "result"
        else:
            continue
        items.append({"kind": kind, "text": sentence, "page": page, "quote": sentence})
    return items


def _conclusion(seen: Seen) -> str:
    best = f"The best condition seen: {seen.best}." if seen.best else "Nothing was measured."
    cited = f" ({', '.join(seen.findings)})" if seen.findings else ""
    return f"## Result\n\n{best}{cited}\n\n## Uncertain\n\nThis text was written by a script, not by a model."
