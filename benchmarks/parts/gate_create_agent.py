"""The same faulty calls through LangChain's ``create_agent`` at its defaults, with the same corrector.

Its tools carry pydantic models of the same fields, as its documentation advises, and record what they run.
"""

import asyncio
import inspect
from typing import Any, Literal

from agents.core.errors import BadInput
from agents.core.tools import Action
from agents.tools.registry import load_registry
from agents.tools.tool import Tool
from agents.tools.toolbox import StudyToolbox
from benchmarks.parts.gate_corrector import corrected
from benchmarks.parts.gate_faults import Arguments, Fault


def outcome_with_agent(fault: Fault, toolbox: StudyToolbox) -> str:
    """Return what came of a fault, in a word."""
    from langchain.agents import create_agent

    ran: list[tuple[str, Arguments]] = []
    model = _scripted_model(fault)
    agent = create_agent(model, _recording_tools(ran, toolbox))
    try:
        agent.invoke({"messages": [("user", "Go on.")]}, {"recursion_limit": 12})
    except Exception:  # a loop that ends in an exception has corrected nothing
        return (
            "executed wrongly"
            if any(not _is_meant(each, fault, toolbox) for each in ran)
            else "ended by an error"
        )
    if any(not _is_meant(each, fault, toolbox) for each in ran):
        return "executed wrongly"
    if not ran:
        return "not corrected"
    return "as meant after one re-ask" if model.asked > 2 else "as meant at once"


def _is_meant(ran: tuple[str, Arguments], fault: Fault, toolbox: StudyToolbox) -> bool:
    """Return True for the meant call, numbers compared as numbers; a call that our gate refuses is wrong."""
    if ran[0] != fault.tool:
        return False
    try:
        executed = toolbox.check(Action(tool=ran[0], arguments=ran[1]))
    except BadInput:
        return False
    meant = [
        toolbox.check(Action(tool=fault.tool, arguments=each)).action for each in fault.also or [fault.intent]
    ]
    return executed.action in meant and not [c for c in executed.coercions if c["received"] != c["used"]]


def _recording_tools(ran: list[tuple[str, Arguments]], toolbox: StudyToolbox) -> list[Any]:
    from langchain_core.tools import StructuredTool

    ours = load_registry(with_entry_points=False).tools
    tools = []
    for spec in toolbox.specs():

        def run(_name: str = spec.name, **arguments: Any) -> str:
            plain = {k: _plain(v) for k, v in arguments.items() if v is not None}
            if _name in ours:
                _perform(ours[_name], plain)
            ran.append((_name, plain))
            return "done"

        model = ours[spec.name].input_model if spec.name in ours else _model_of(spec.name, spec.input_schema)
        tools.append(
            StructuredTool.from_function(run, name=spec.name, description=spec.description, args_schema=model)
        )
    return tools


def _perform(tool: Tool, arguments: Arguments) -> None:
    """Do the work, so that what the function itself refuses counts as refused."""
    done = tool.run(arguments)
    if inspect.isawaitable(done):
        asyncio.run(done)


def _plain(value: Any) -> Any:
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _model_of(name: str, schema: dict[str, Any]) -> Any:
    from pydantic import create_model

    kinds = {"number": float, "integer": int, "string": str, "boolean": bool}
    fields: dict[str, Any] = {}
    for field, inner in schema["properties"].items():
        kind = Literal[tuple(inner["enum"])] if "enum" in inner else kinds.get(inner.get("type", ""), Any)
        fields[field] = (kind, ...) if field in schema.get("required", []) else (kind, inner.get("default"))
    return create_model(f"{name}_arguments", **fields)


def _scripted_model(fault: Fault) -> Any:
    """Return a chat model that sends the fault, then what the corrector makes of the answer, then ends."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Scripted(BaseChatModel):
        asked: int = 0
        tool: str = fault.sent_tool or fault.tool
        arguments: dict[str, Any] = dict(fault.sent)

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
            self.asked += 1
            last = messages[-1]
            is_done = isinstance(last, ToolMessage) and last.content == "done"
            if is_done or self.asked > 2:
                return ChatResult(generations=[ChatGeneration(message=AIMessage("FINISHED"))])
            if isinstance(last, ToolMessage):
                self.tool, self.arguments = corrected(fault, self.tool, self.arguments, str(last.content))
            call = {"name": self.tool, "args": self.arguments, "id": f"call-{self.asked}"}
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])

    return Scripted()
