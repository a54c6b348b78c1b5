"""Prompt tokens of whole runs: real documents, engine, store and gate, prompts over HTTP to a scripted model.

A paper of 5,015 tokens with 40 facts, 8 of them limits, is uploaded and digested; then each step is one call of
the model, one experiment and one observation of about 300 tokens, approved by a person. Every request counts:
digest, steps, repairs, conclusion. Tokens are o200k's. "Cost" counts a token from the provider's prefix cache as
0.1, with a shortest cached prefix of 1,024 or 4,096 tokens; for a provider that caches nothing the narrow layout is
used. LangChain's ``create_agent`` does the same work beside it, once with ``SqliteSaver`` for CPU and bytes a step; ours
counts everything from a person's answer to the next question, in a process where every round is claimed anew. ``--bench-dir`` takes paper and observations from
another ``workload.py``; ``--long`` adds a run of 1,000 steps.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.testing import Answer, Say
from agents.testing.replies import Reply, Request, asked_format, prompt_text
from benchmarks.parts.common import Target, parser_for, report
from benchmarks.parts.tokens_meter import Call, metered, slope
from benchmarks.parts.tokens_peers import PUBLISHED, peer_figures, saved_figures
from benchmarks.parts.tokens_site import Ran, recall, run_through, site
from benchmarks.parts.tokens_work import ForeignWork, Work, encode

SIZES = (10, 30, 100)
RAW = {10: 15_000, 30: 33_000, 100: 96_000}
COST = {10: 12_000, 30: 23_000, 100: 60_000}
LARGEST = {"narrow": 1200, "wide": 1800}
TAIL = 380
CACHE = {"narrow": 0, "wide": 1024}
"""The shortest cached prefix that the provider of each layout announces; 0 is none."""
FILLED = 6
"""Prompts until the five findings and three steps that a prompt shows are there: what step 5 taught is filed
with step 6."""
PEER_STEPS = 100


def main() -> None:
    """Run every size in both layouts and report."""
    parser = parser_for(__doc__ or "")
    parser.add_argument("--bench-dir", type=Path, help="a folder with another workload.py")
    parser.add_argument("--long", action="store_true", help="also 1,000 steps")
    options = parser.parse_args()
    work = ForeignWork(options.bench_dir) if options.bench_dir else Work()
    sizes = (10, 30) if options.quick else (*SIZES, 1000) if options.long else SIZES
    figures: dict[str, Any] = {"tokens of the paper": len(encode(work.paper))}
    with site():
        for layout in LARGEST:
            for steps in sizes:
                figures |= measured(work, steps, layout)
        figures |= restarted(work)
    for steps in sizes:
        if steps <= PEER_STEPS:
            figures |= peer_figures(work, steps)
            figures |= saved_figures(work, steps)
    figures |= cost_beside_peer(figures, sizes)
    report(figures, targets(sizes), path=options.json)
    print(PUBLISHED)


def cost_beside_peer(figures: dict[str, Any], sizes: tuple[int, ...]) -> dict[str, float]:
    """Return the CPU of a round of ours as a share of the peer's step, at the largest size that both did."""
    steps = max(size for size in sizes if size <= PEER_STEPS)
    ours = figures[f"narrow {steps}: CPU ms a round"]
    theirs = figures[f"peer create_agent, SqliteSaver {steps}: CPU ms a step"]
    return {"CPU of a round, share of a step of create_agent with SqliteSaver": round(ours / theirs, 2)}


def targets(sizes: tuple[int, ...]) -> list[Target]:
    """Return the lines to reach for the sizes run."""
    lines = [
        Target("prompts asked again after the worker died", ">=", 10),
        Target("prompts that differ after the worker died", "==", 0),
        Target("CPU of a round, share of a step of create_agent with SqliteSaver", "<=", 1),
    ]
    for steps in sizes:
        if steps in RAW:
            lines.append(Target(f"narrow {steps}: raw tokens", "<=", RAW[steps]))
            lines.append(Target(f"narrow {steps}: cost tokens, cache from 4,096", "<=", RAW[steps]))
            lines.append(Target(f"wide {steps}: cost tokens, cache from 1,024", "<=", COST[steps]))
        for layout, largest in LARGEST.items():
            name = f"{layout} {steps}: "
            lines.append(Target(f"{name}largest reasoning prompt", "<=", largest))
            lines.append(Target(f"{name}growth a step after step 5", "<=", 1))
            lines.append(Target(f"{name}largest tail", "<=", TAIL))
            lines.append(Target(f"{name}prompts without the goal or a limit", "==", 0))
            lines.append(Target(f"{name}facts had in one call with their place", "==", 40))
            lines.append(Target(f"{name}observations not had in one call", "==", 0))
            lines.append(Target(f"{name}kB of rows a round", "<=", 12))
    return lines


def measured(work: Work, steps: int, layout: str) -> dict[str, Any]:
    """Return the figures of one run."""
    ran = run_through(work, oracle(work, steps), steps=steps, cache_minimum=CACHE[layout])
    name = f"{layout} {steps}: "
    return {name + key: value for key, value in figures_of(ran, work, steps).items()}


def figures_of(ran: Ran, work: Work, steps: int) -> dict[str, Any]:
    """Return what the requests of a run add up to, and what of it can be had again."""
    calls = metered(ran.requests)
    turns = [call for call in calls if call.kind == "turn"]
    needed = [work.goal, *(fact.value for fact in work.facts if fact.is_limit)]
    return {
        "status": ran.run.status,
        "raw tokens": sum(call.tokens for call in calls),
        "cost tokens, cache from 1,024": round(sum(call.cost(1024) for call in calls)),
        "cost tokens, cache from 4,096": round(sum(call.cost(4096) for call in calls)),
        "calls": len(calls),
        "tokens of the digest call": sum(call.tokens for call in calls if call.kind == "digest"),
        "largest reasoning prompt": max(call.tokens for call in turns),
        "growth a step after step 5": round(slope([call.tokens for call in turns[FILLED:]]), 3),
        "largest tail": max(call.tail for call in turns),
        "prompts without the goal or a limit": _lacking(turns, needed),
        "facts had in one call with their place": sum(_is_found(ran, fact.text) for fact in work.facts),
        "observations not had in one call": sum(
            not _is_kept(ran, work, step) for step in range(1, steps + 1)
        ),
        "kB of rows a round": round(ran.bytes / 1000 / steps, 1),
        "CPU ms a round": round(1000 * (ran.began[-1] - ran.began[0]) / (len(ran.began) - 1), 2),
        "CPU of a round by tenths of the run, ms": by_tenths(ran.began),
        "prompt tokens per step": [call.tokens for call in turns],
    }


def by_tenths(began: list[float]) -> list[float]:
    """Return the CPU a round in ms, in each tenth of the run: how it grows with what is remembered."""
    width = max(1, (len(began) - 1) // 10)
    ends = range(width, len(began), width)
    return [round(1000 * (began[end] - began[end - width]) / width, 1) for end in ends]


def restarted(work: Work, steps: int = 10) -> dict[str, Any]:
    """Return how many prompts differ when the worker dies after each answer, before it is stored, and another
    asks again from the rows; and how many of an undisturbed run differ from those."""
    script = oracle(work, steps)
    calm = run_through(work, script, steps=steps, cache_minimum=CACHE["wide"])
    shot = run_through(work, script, steps=steps, cache_minimum=CACHE["wide"], dies=True)
    prompts = [prompt_text(request) for request in shot.requests if asked_format(request) == "turn"]
    again = [number for number in range(1, len(prompts)) if prompts[number] == prompts[number - 1]]
    once = [prompt for number, prompt in enumerate(prompts) if number not in again]
    undisturbed = [prompt_text(request) for request in calm.requests if asked_format(request) == "turn"]
    differing = sum(left != right for left, right in zip(undisturbed, once, strict=False))
    return {
        "prompts asked again after the worker died": len(again),
        "prompts that differ after the worker died": differing + abs(len(undisturbed) - len(once)),
    }


def _lacking(turns: list[Call], needed: list[str]) -> int:
    return sum(any(text not in call.text for text in needed) for call in turns)


def _is_found(ran: Ran, text: str) -> bool:
    """Return True when a question that names no number brings the fact, with document and page."""
    question = re.sub(r"\d+\.\d+", "", text)
    found = recall(ran.run, "search_documents", {"query": question})["passages"]
    return any(text in " ".join(each["text"].split()) and each["page"] for each in found)


def _is_kept(ran: Ran, work: Work, step: int) -> bool:
    text, _ = work.observation(step)
    records = recall(ran.run, "recall_record", {"what": f"R{step}"})["records"]
    return any(text in record["text"] and record["place"].startswith("event ") for record in records)


def oracle(work: Work, steps: int) -> Callable[[Request, int], Reply]:
    """Return a model that sees every fact it is shown, and plays its part to the last step."""

    def reply(request: Request, number: int) -> Reply:
        text = prompt_text(request)
        if asked_format(request) == "digest":
            return Answer({"items": [_item(fact, text) for fact in work.facts if fact.text in text]})
        if asked_format(request) != "turn":
            return Say("The last one tried was the best.")
        done = re.findall(r"^(\d+)\. run_experiment", text, re.MULTILINE)
        step = max(map(int, done), default=0)
        memory = _memory(work, step, text)
        if step >= steps:
            known = re.findall(r"^(F\d+) ", text, re.MULTILINE)
            return Answer(
                {"memory": memory, "finish": {"answer": "The last one tried.", "findings": known[:1]}}
            )
        action = {"tool": "run_experiment", "arguments": work.arguments(step + 1)}
        hypothesis = (
            {}
            if step
            else {
                "hypothesis": {
                    "text": "Yield rises with temperature up to the sintering limit.",
                    "refuted_by": "A hotter run below it yields less.",
                }
            }
        )
        return Answer({"memory": memory, **hypothesis, "action": action, "reason": "It continues the rise."})

    return reply


def _memory(work: Work, step: int, text: str) -> list[dict[str, Any]]:
    fact = work.observation(step)[1] if step else None
    return [{"op": "add", "text": fact.text, "evidence": [step]}] if fact and fact.value in text else []


def _item(fact: Any, text: str) -> dict[str, Any]:
    name = re.sub(r"^(?:The|For batch \w+ the) | (?:must|was).*$", "", fact.text)
    kind = {"kind": "constraint", "op": "<="} if fact.is_limit else {"kind": "result"}
    page = re.findall(r"\[page (\d+)\]", text[: text.index(fact.text)])[-1]
    return {
        **kind,
        "text": fact.text,
        "page": int(page),
        "quote": fact.text,
        "name": name,
        "value": float(fact.value),
    }


if __name__ == "__main__":
    main()
