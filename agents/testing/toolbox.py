"""Two toy tools behind the ``Toolbox`` port: one that measures, one that only looks something up."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.core.errors import BadInput
from agents.core.measurement import Experiment, Measurement
from agents.core.science import Objective, Parameter, Space
from agents.core.text import shorten
from agents.core.tools import Action, CheckedAction, EffectClass, ToolResult, ToolSpec
from agents.core.workflow import Item, is_workflow, items_of, put_at, references_in, value_at

TOY_SPACE = Space(parameters=[Parameter(name="dose", kind="integer", unit="mg", low=1, high=100_000)])
TOY_OBJECTIVE = Objective(name="mass", unit="g", goal="maximise")


@dataclass(frozen=True)
class ToyTool:
    """A specification and a function from arguments to data. What it raises becomes a failed result."""

    spec: ToolSpec
    run: Callable[[dict[str, Any]], dict[str, Any]]


def toy_spec(name: str, *fields: str, **changes: Any) -> ToolSpec:
    """Return a specification whose arguments are numbers called ``fields``."""
    schema = {
        "type": "object",
        "properties": {field: {"type": "number"} for field in fields},
        "required": list(fields),
    }
    return ToolSpec(
        name=name, title=name.capitalize(), description=f"{name}, for tests", input_schema=schema, **changes
    )


WEIGH = ToyTool(
    toy_spec("weigh", "dose", is_experiment=True, effect=EffectClass.LOCAL),
    lambda arguments: {"mass": arguments["dose"] / 10},
)
LOOK = ToyTool(
    toy_spec("look", "page", effect=EffectClass.LOCAL, may_repeat=True),
    lambda arguments: {"text": f"page {arguments['page']:g}"},
)


class ToyToolbox:
    """Implements the ``Toolbox`` port. ``calls`` holds each action with its idempotency key, oldest first."""

    def __init__(self, tools: Sequence[ToyTool] = (WEIGH, LOOK)) -> None:
        self.calls: list[tuple[Action, str]] = []
        self._tools = {tool.spec.name: tool for tool in tools}

    def specs(self) -> list[ToolSpec]:
        """Return the toys, by name."""
        return [self._tools[name].spec for name in sorted(self._tools)]

    def check(self, action: Action) -> CheckedAction:
        """Return the action when tool and argument names fit; raise ``BadInput`` otherwise. A workflow is looked
        at item by item."""
        if is_workflow(action):
            for item in items_of(action):
                self.check(item.action)
            return CheckedAction(action=action)
        tool = self._tools.get(action.tool)
        if tool is None:
            raise _bad(
                "tool", f"there is no tool {action.tool}; the tools are {', '.join(sorted(self._tools))}"
            )
        wanted = set(tool.spec.input_schema["required"])
        if wanted != action.arguments.keys():
            raise _bad("arguments", f"{action.tool} takes {', '.join(sorted(wanted))}")
        return CheckedAction(action=action)

    def resolve(self, item: Item, results: Mapping[int, tuple[str, Any]]) -> CheckedAction:
        """Return the item with its references replaced."""
        arguments = copy.deepcopy(item.arguments)
        for reference in references_in(item.arguments):
            put_at(arguments, reference.place, value_at(results[reference.step][1], reference.path))
        return self.check(Action(tool=item.tool, arguments=arguments))

    def check_result(self, tool: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return a person's entry when it is not empty; raise ``BadInput`` otherwise."""
        if not data:
            raise _bad("result", f"say what {tool} gave")
        return data

    async def call(self, action: Action, *, idempotency_key: str) -> ToolResult:
        """Run the toy."""
        self.calls.append((action, idempotency_key))
        tool = self._tools[action.tool]
        try:
            data = tool.run(action.arguments)
        except Exception as fault:  # a tool may raise anything
            return ToolResult(success=False, fault="unknown", error_message=str(fault), tool=action.tool)
        return ToolResult(
            success=True,
            data=data,
            summary=shorten(str(data), 120),
            tool=action.tool,
            version=tool.spec.version,
        )

    def experiment_from(self, action: Action, data: dict[str, Any]) -> Experiment | None:
        """Return the row of an experiment toy: its ``mass``."""
        tool = self._tools.get(action.tool)
        if tool is None or not tool.spec.is_experiment:
            return None
        measured = Measurement(objective="mass", value=data["mass"], unit="g")
        origin = "person" if tool.spec.executor == "person" else "tool"
        return Experiment(id="", planned=action.arguments, measurements=[measured], origin=origin)


def _bad(field: str, message: str) -> BadInput:
    return BadInput(message, [{"field": field, "expected": message, "received": "", "message": message}])
