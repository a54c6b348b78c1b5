"""Ways in which a model gets a list of calls wrong, each with what it meant, and the corrector for lists."""

import copy
import re
from dataclasses import dataclass
from typing import Any

from agents.core.errors import BadInput
from agents.core.tools import Action
from agents.core.workflow import items_of, reference_of
from agents.tools.toolbox import StudyToolbox
from benchmarks.parts.gate_corrector import fitting, set_value, tool_named

Call = dict[str, Any]


@dataclass(frozen=True)
class ListFault:
    """A faulty list. ``intent`` is what the model has in mind, ``sent`` what it writes."""

    kind: str
    intent: list[Call]
    sent: list[Call]


def call(tool: str, **arguments: Any) -> Call:
    """Return a call as a model writes it."""
    return {"tool": tool, "arguments": arguments}


NAME = call("name_to_smiles", name="aspirin")
DESCRIBE = call("calculate_descriptors", smiles="$1.smiles")
SEED = [NAME, DESCRIBE]
LINE = call("fit_line", x=[0.0, 1.0, 2.0], y=[1.0, 3.1, 4.9])
DILUTE = call("dilution", stock_concentration=1.0, final_concentration=0.1, final_volume=50.0)
AGAIN = call(
    "dilution", stock_concentration="$1.final_concentration", final_concentration=0.01, final_volume=10.0
)
DILUTIONS = [DILUTE, AGAIN]


def _with(first: Call, **changes: Any) -> Call:
    return {**first, "arguments": {**first["arguments"], **changes}}


LIST_FAULTS: list[ListFault] = [
    ListFault("misspelled tool in a step", SEED, [call("name_to_smile", name="aspirin"), DESCRIBE]),
    ListFault("invented tool in a step", SEED, [NAME, call("descriptors_of_molecule", smiles="$1.smiles")]),
    ListFault(
        "field that the step does not give", SEED, [NAME, call("calculate_descriptors", smiles="$1.smile")]
    ),
    ListFault("step that does not exist", SEED, [NAME, call("calculate_descriptors", smiles="$7.smiles")]),
    ListFault("step that refers to itself", SEED, [NAME, call("calculate_descriptors", smiles="$2.smiles")]),
    ListFault("missing field of a step", SEED, [NAME, call("calculate_descriptors")]),
    ListFault("extra field of a step", SEED, [_with(NAME, mood="good"), DESCRIBE]),
    ListFault("invalid SMILES in a step", SEED, [NAME, call("calculate_descriptors", smiles="C1CC")]),
    ListFault("text for a number in a step", DILUTIONS, [_with(DILUTE, final_volume="fifty"), AGAIN]),
    ListFault("number as text in a step", DILUTIONS, [_with(DILUTE, final_volume="50"), AGAIN]),
    ListFault(
        "volume where a concentration goes",
        DILUTIONS,
        [DILUTE, _with(AGAIN, stock_concentration="$1.stock_volume")],
    ),
    ListFault(
        "text where a number goes",
        [NAME, LINE, DILUTE],
        [NAME, LINE, _with(DILUTE, final_volume="$1.smiles")],
    ),
    ListFault(
        "faults in two steps", DILUTIONS, [_with(DILUTE, final_volume=-1.0), _with(AGAIN, final_volume="ten")]
    ),
    ListFault(
        "workflow within a list", SEED, [NAME, {"tool": "workflow", "arguments": {"items": [DESCRIBE]}}]
    ),
]


def as_action(listed: list[Call]) -> Action:
    """Return the list as the action that is sent."""
    return Action(tool="workflow", arguments={"items": copy.deepcopy(listed)})


async def list_outcome(fault: ListFault, toolbox: StudyToolbox) -> tuple[str, str]:
    """Return what came of a faulty list, in a word, and the message that the corrector read."""
    wanted = await performed(toolbox.check(as_action(fault.intent)).action, toolbox)
    listed, message = copy.deepcopy(fault.sent), ""
    for attempt in range(2):
        try:
            checked = toolbox.check(as_action(listed)).action
        except BadInput as error:
            message = str(error)
            listed = corrected_list(fault, listed, error.problems)
            continue
        if await performed(checked, toolbox) != wanted:
            return "executed wrongly", message
        return ("as meant after one re-ask" if attempt else "as meant at once"), message
    return "not corrected", message


async def performed(action: Action, toolbox: StudyToolbox) -> list[Any]:
    """Perform a checked list step by step; return what each step was called with and what it gave."""
    done: list[Any] = []
    results: dict[int, tuple[str, Any]] = {}
    for item in items_of(action):
        resolved = toolbox.resolve(item, results).action
        result = await toolbox.call(resolved, idempotency_key="benchmark")
        results[item.step] = (result.tool, result.data)
        done.append([resolved.model_dump(mode="json"), result.data])
    return done


def corrected_list(fault: ListFault, listed: list[Call], problems: list[dict[str, Any]]) -> list[Call]:
    """Return the list after reading the problems, each mended in its own step; nothing else is touched."""
    listed = copy.deepcopy(listed)
    for problem in problems:
        place = int(problem["step"]) - 1
        listed[place] = _mended(listed[place], fault.intent[place], problem["message"])
    return listed


def _mended(sent: Call, meant: Call, message: str) -> Call:
    if "cannot be a step of another" in message:
        return copy.deepcopy(meant)
    if "no tool" in message:
        goal = meant["tool"].replace("_", " ")
        return {**sent, "tool": tool_named(message, sent["tool"], goal) or sent["tool"]}
    field = re.search(r"field ([\w.\[\]-]+)", message)
    if field is None:
        return sent
    arguments = copy.deepcopy(sent["arguments"])
    if "does not exist" in message:
        arguments.pop(field[1], None)
    else:
        set_value(
            arguments, field[1], _value(arguments.get(field[1]), meant["arguments"].get(field[1]), message)
        )
    return {**sent, "arguments": arguments}


def _value(sent: Any, meant: Any, message: str) -> Any:
    """Return what should stand there: a reference mended by the message, else the meant value."""
    reference = reference_of(sent)
    named = re.search(r"did you mean (\w+)\?", message)
    if reference and named:
        return f"${reference.step}.{named[1]}"
    return meant if reference or isinstance(meant, str) else fitting(meant, message)
