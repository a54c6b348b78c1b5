"""Forty faulty calls and fourteen faulty lists of calls against the gate: is any executed wrongly, is each
corrected within one re-ask?

A scripted corrector stands for the model. It knows what the model meant and reads nothing but the message of
the refusal. ``create_agent`` of LangChain gets the same calls and the same corrector, where it is installed.
"""

import asyncio
import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.adapters.tables import load_dataset
from agents.core.errors import BadInput
from agents.core.study import DatasetRef, StudyProtocol
from agents.core.tools import Action
from agents.tools.registry import load_registry
from agents.tools.toolbox import StudyToolbox
from benchmarks.parts.common import Target, parser_for, report
from benchmarks.parts.gate_corrector import corrected
from benchmarks.parts.gate_faults import FAULTS, Fault
from benchmarks.parts.gate_lists import LIST_FAULTS, list_outcome

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "direct_arylation"

TARGETS = [
    Target("faults", "==", 40),
    Target("executed wrongly", "==", 0),
    Target("corrected within one re-ask, share", ">=", 0.95),
    Target("list faults", ">=", 12),
    Target("executed wrongly (lists)", "==", 0),
    Target("corrected within one re-ask, share (lists)", ">=", 0.95),
    Target("bad outputs let through", "==", 0),
]


def main() -> None:
    """Run both columns and report them."""
    parser = parser_for(__doc__ or "")
    parser.add_argument("--verbose", action="store_true", help="print every fault with what came of it")
    options = parser.parse_args()
    toolbox = study_toolbox()
    outcomes = [asyncio.run(outcome(fault, toolbox)) for fault in FAULTS]
    if options.verbose:
        for fault, (word, message) in zip(FAULTS, outcomes, strict=True):
            print(f"{word:<24} {fault.kind:<32} {message}")
    figures: dict[str, Any] = {"faults": len(FAULTS), **counted(Counter(word for word, _ in outcomes))}
    lists = [asyncio.run(list_outcome(fault, toolbox)) for fault in LIST_FAULTS]
    if options.verbose:
        for listed, (word, message) in zip(LIST_FAULTS, lists, strict=True):
            print(f"{word:<24} {listed.kind:<32} {message}")
    figures |= {"list faults": len(LIST_FAULTS), **counted(Counter(w for w, _ in lists), suffix=" (lists)")}
    figures["bad outputs let through"] = asyncio.run(bad_outputs())
    figures |= create_agent_figures(toolbox)
    report(figures, TARGETS, path=options.json)


def study_toolbox() -> StudyToolbox:
    """Return the tools of the direct arylation sample study."""
    study = json.loads((EXAMPLE / "study.json").read_text(encoding="utf-8"))
    given = study["datasets"][0]
    ref = DatasetRef(
        id="d1",
        name=given["name"],
        content_hash="",
        role="instrument",
        columns=given["columns"],
        levels=given["levels"],
    )
    protocol = StudyProtocol(
        study_id="s1",
        title=study["title"],
        goal=study["goal"],
        datasets=[ref],
        space=study["space"],
        objectives=study["objectives"],
        experiment_tool="measure",
    )
    dataset = load_dataset(EXAMPLE / given["file"], ref)
    return StudyToolbox(protocol, datasets={"d1": dataset}, registry=load_registry(with_entry_points=False))


async def outcome(fault: Fault, toolbox: StudyToolbox) -> tuple[str, str]:
    """Return what came of a fault, in a word, and the message that the corrector read."""
    action = Action(tool=fault.sent_tool or fault.tool, arguments=fault.sent)
    message = ""
    for attempt in range(2):
        executed, said = await attempted(action, toolbox)
        if executed is not None:
            if not as_meant(executed, fault, toolbox):
                return "executed wrongly", message
            return ("as meant after one re-ask" if attempt else "as meant at once"), message
        message = said
        tool, arguments = corrected(fault, action.tool, action.arguments, message)
        action = Action(tool=tool, arguments=arguments)
    return "not corrected", message


async def attempted(action: Action, toolbox: StudyToolbox) -> tuple[Action | None, str]:
    """Return the action that ran, or None and the message of the refusal."""
    try:
        checked = toolbox.check(action).action
    except BadInput as error:
        return None, str(error)
    result = await toolbox.call(checked, idempotency_key="benchmark")
    return (checked, "") if result.success else (None, result.error_message)


def as_meant(executed: Action, fault: Fault, toolbox: StudyToolbox) -> bool:
    """Return True when what ran is what was meant, or as good where that was impossible."""
    if executed.tool != fault.tool:
        return False
    for meant in fault.also or [fault.intent]:
        if toolbox.check(Action(tool=fault.tool, arguments=meant)).action.arguments == executed.arguments:
            return True
    return False


def counted(words: Counter[str], suffix: str = "") -> dict[str, Any]:
    """Return the figures of one column."""
    right = words["as meant at once"] + words["as meant after one re-ask"]
    return {
        f"executed wrongly{suffix}": words["executed wrongly"],
        f"as meant at once{suffix}": words["as meant at once"],
        f"as meant after one re-ask{suffix}": words["as meant after one re-ask"],
        f"corrected within one re-ask, share{suffix}": right / max(1, sum(words.values())),
    }


async def bad_outputs() -> int:
    """Return how many results that break their own schema come through as good ones."""
    from agents.core.tools import ToolSpec
    from agents.tools.executor import execute
    from agents.tools.tool import Tool

    schema = {
        "type": "object",
        "properties": {"yield": {"type": "number", "minimum": 0, "maximum": 100, "unit": "%"}},
        "required": ["yield"],
        "additionalProperties": False,
    }
    results: list[Any] = [
        {"yield": float("nan")},
        {"yield": float("inf")},
        {"yield": "88"},
        {"yield": True},
        {"yield": 130},
        {"yield": None},
        {},
        {"yield": 88.0, "mood": "good"},
        [88.0],
        None,
        {"yield": object()},
    ]
    passed = 0
    for result in results:
        made = Tool(
            spec=ToolSpec(name="measure", output_schema=schema), run=lambda arguments, result=result: result
        )
        passed += (await execute(made, {})).success
    return passed


def create_agent_figures(toolbox: StudyToolbox) -> dict[str, Any]:
    """Return the column of LangChain's agent, or a note that it is not here."""
    if importlib.util.find_spec("langchain") is None:
        return {"create_agent": "not installed"}
    from benchmarks.parts.gate_create_agent import outcome_with_agent

    words = Counter(outcome_with_agent(fault, toolbox) for fault in FAULTS)
    return counted(words, suffix=" (create_agent)")


if __name__ == "__main__":
    main()
