"""Prompt tokens of a run with the language-model reasoner, on real HTTP requests to the scripted server.

One paper is digested, then each step is one call. Every request counts: digest, steps, repairs. Tokens are
o200k's. "Cost" counts a token from the provider's prefix cache as 0.1, with a shortest cached prefix of 1,024
or 4,096 tokens; where nothing is cached the narrow layout is used and cost equals raw. ``--bench-dir`` takes
paper and observations from another ``workload.py``; ``--long`` adds a run of 1,000 steps.
"""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.adapters.openai.settings import ModelSettings
from agents.adapters.openai_chat import ChatModel
from agents.core.brief import Brief, Step
from agents.core.digest import DigestItem, Page, ParsedDocument
from agents.core.findings import Finding
from agents.core.memory import apply_operation
from agents.core.ports import ModelUsage
from agents.core.proposal import Hypothesis, Turn
from agents.core.science import Constraint
from agents.core.study import StudyProtocol
from agents.core.tools import ToolSpec
from agents.reasoners.language_model.reasoner import LanguageModelReasoner
from agents.testing import Answer, ModelServer
from agents.testing.replies import Reply, Request, asked_format, prompt_text
from benchmarks.parts.common import Target, parser_for, report
from benchmarks.parts.tokens_meter import Call, metered, slope
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
PEERS = """
Stated for comparison, measured on the same kind of work (prompt tokens at 10 / 30 / 100 steps, largest prompt, cost):
  create_agent                       80,311 / 344,751 / 2,473,591    43,591    16,605 / 51,797 / 292,855
  SummarizationMiddleware, docs      79,581 / 206,861 / 727,941       8,829    23,709 / 131,059 / 462,635
  the same, best tuned, lossless     50,821 / 129,290 / 443,544       6,155    24,555 / 52,567 / 183,768
  deepagents                        107,591 / 421,631 / 2,724,071    46,071    21,767 / 60,479 / 318,925
"""

Drive = Callable[[LanguageModelReasoner, Work, int], Awaitable[list[DigestItem]]]
"""Takes a run through ``steps`` steps and returns the digest's items."""

TOOLS = [
    ToolSpec(
        name="run_experiment",
        description="Run one experiment at the given condition and return the instrument log with the measured yield.",
        is_experiment=True,
        input_schema={
            "type": "object",
            "properties": {
                "temperature_k": {"type": "number", "unit": "K"},
                "catalyst": {"type": "string"},
                "minutes": {"type": "integer", "unit": "min"},
            },
            "required": ["temperature_k", "catalyst", "minutes"],
        },
    ),
    ToolSpec(
        name="search_documents",
        description="Look up passages of the paper for a question and return the best two with their places.",
        input_schema={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    ),
    ToolSpec(
        name="record_note",
        description="Write one short note into the lab book.",
        input_schema={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    ),
]


def main() -> None:
    """Run every size in both layouts and report."""
    parser = parser_for(__doc__ or "")
    parser.add_argument("--bench-dir", type=Path, help="a folder with another workload.py")
    parser.add_argument("--long", action="store_true", help="also 1,000 steps")
    options = parser.parse_args()
    work = ForeignWork(options.bench_dir) if options.bench_dir else Work()
    sizes = (10, 30) if options.quick else (*SIZES, 1000) if options.long else SIZES
    figures: dict[str, Any] = {"tokens of the paper": len(encode(work.paper))}
    for layout in ("narrow", "wide"):
        for steps in sizes:
            figures |= asyncio.run(measured(work, steps, layout, drive))
    report(figures, targets(sizes), path=options.json)
    print(PEERS)


def targets(sizes: tuple[int, ...]) -> list[Target]:
    """Return the lines to reach for the sizes run."""
    lines: list[Target] = []
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
            lines.append(Target(f"{name}facts stored with their place", "==", 40))
    return lines


async def measured(work: Work, steps: int, layout: str, drive: Drive) -> dict[str, Any]:
    """Return the figures of one run."""
    with ModelServer(oracle(work, steps)) as server:
        settings = ModelSettings(
            base_url=server.base_url, models={"reason": "scripted"}, cache_minimum=CACHE[layout]
        )
        model = ChatModel(settings)
        items = await drive(LanguageModelReasoner(model), work, steps)
        await model.aclose()
    calls = metered(server.requests)
    name = f"{layout} {steps}: "
    return {name + key: value for key, value in figures_of(calls, items, work).items()}


def figures_of(calls: list[Call], items: list[DigestItem], work: Work) -> dict[str, Any]:
    """Return what the requests of a run add up to."""
    turns = [call for call in calls if call.kind == "turn"]
    needed = [work.goal, *(fact.value for fact in work.facts if fact.is_limit)]
    placed = [item for item in items if item.source.verified and item.source.page is not None]
    return {
        "raw tokens": sum(call.tokens for call in calls),
        "cost tokens, cache from 1,024": round(sum(call.cost(1024) for call in calls)),
        "cost tokens, cache from 4,096": round(sum(call.cost(4096) for call in calls)),
        "calls": len(calls),
        "tokens of the digest call": sum(call.tokens for call in calls if call.kind == "digest"),
        "largest reasoning prompt": max(call.tokens for call in turns),
        "growth a step after step 5": round(slope([call.tokens for call in turns[FILLED:]]), 3),
        "largest tail": max(call.tail for call in turns),
        "prompts without the goal or a limit": sum(
            any(text not in call.text for text in needed) for call in turns
        ),
        "facts stored with their place": sum(
            any(f.value in item.source.quote for item in placed) for f in work.facts
        ),
        "prompt tokens per step": [call.tokens for call in turns],
    }


async def drive(reasoner: LanguageModelReasoner, work: Work, steps: int) -> list[DigestItem]:
    """Digest the paper, then take ``steps`` steps with the memory rules of the engine."""
    ears = _Ears()
    document = ParsedDocument(name="paper", media_type="text/plain", pages=[Page(number=1, text=work.paper)])
    digest = await reasoner.digest(document, document_id="d1", goal=work.goal, listener=ears)
    protocol = _protocol(work, digest.items)
    hypothesis: Hypothesis | None = None
    findings: list[Finding] = []
    done: list[Step] = []
    observation: dict[str, Any] | None = None
    for step in range(1, steps + 2):
        brief = Brief(
            protocol=protocol,
            round=step,
            tools=TOOLS,
            hypothesis=hypothesis,
            findings=sorted(findings, key=lambda f: (-f.confidence, -(f.round or 0)))[:5],
            steps=done[-5:],
            observation=observation,
            run_summary="\n".join(f"round {past.round}: {past.outcome}" for past in done[-3:]),
        )
        turn = await reasoner.propose(brief, ears)
        findings = _remember(findings, turn, step - 1)
        if turn.proposal is None:
            break
        hypothesis = turn.proposal.hypothesis
        text, fact = work.observation(step)
        done.append(Step(round=step, action=turn.proposal.action, outcome=fact.text, stance="for"))
        observation = {"success": True, "outcome": fact.text, "round": step, "data": {"log": text}}
    return digest.items


def _remember(findings: list[Finding], turn: Turn, round: int) -> list[Finding]:
    known = {finding.id: finding for finding in findings}
    for operation in turn.memory:
        changed = apply_operation(
            known.values(), operation, new_id=f"F{len(known) + 1}", study_id="s1", run_id="r1", round=round
        )
        known[changed.id] = changed
    return list(known.values())


def _protocol(work: Work, items: list[DigestItem]) -> StudyProtocol:
    """Return the study as a researcher starts it who keeps every item of the digest."""
    limits = [item for item in items if item.kind == "constraint" and item.source.verified]
    ids = {fact.text: fact.id for fact in work.facts}
    return StudyProtocol(
        study_id="s1",
        title="Scripted study",
        goal=work.goal,
        digest=[item for item in items if item.kind != "constraint"],
        constraints=[Constraint(id=ids[item.text], text=item.text, source=item.source) for item in limits],
        experiment_tool="run_experiment",
    )


def oracle(work: Work, steps: int) -> Callable[[Request, int], Reply]:
    """Return a model that sees every fact it is shown, and plays its part to the last step."""

    def reply(request: Request, number: int) -> Reply:
        text = prompt_text(request)
        if asked_format(request) == "digest":
            return Answer({"items": [_item(fact) for fact in work.facts if fact.text in text]})
        step = max(
            (int(found) for found in re.findall(r"^(\d+)\. run_experiment", text, re.MULTILINE)), default=0
        )
        memory = _memory(work, step, text)
        if step >= steps:
            return Answer({"memory": memory, "finish": {"answer": "The last one tried.", "findings": []}})
        action = {"tool": "run_experiment", "arguments": work.arguments(step + 1)}
        hypothesis = (
            {}
            if step
            else {"hypothesis": {"text": "Yield rises with temperature up to the sintering limit."}}
        )
        return Answer({"memory": memory, **hypothesis, "action": action, "reason": "It continues the rise."})

    return reply


def _memory(work: Work, step: int, text: str) -> list[dict[str, Any]]:
    fact = work.observation(step)[1] if step else None
    return [{"op": "add", "text": fact.text, "evidence": [step]}] if fact and fact.value in text else []


def _item(fact: Any) -> dict[str, Any]:
    name = re.sub(r"^(?:The|For batch \w+ the) | (?:must|was).*$", "", fact.text)
    kind = {"kind": "constraint", "op": "<="} if fact.is_limit else {"kind": "result"}
    return {
        **kind,
        "text": fact.text,
        "page": 1,
        "quote": fact.text,
        "name": name,
        "value": float(fact.value),
    }


class _Ears:
    async def token(self, text: str) -> None:
        """Nobody watches."""

    async def used(self, usage: ModelUsage) -> None:
        """The requests themselves are counted."""


if __name__ == "__main__":
    main()
