"""Registering tools: one decorator on a typed function, and a registry that collects what is broken."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from agents.core.errors import BadInput
from agents.core.tools import Action, EffectClass, ToolSpec, may_stand_in
from agents.core.workflow import WORKFLOW
from agents.tools.faults import InvalidOutput
from agents.tools.gate import check_action
from agents.tools.schema import external_references, plain_schema
from agents.tools.tool import Arguments, Tool

ENTRY_POINTS = "daybook.tools"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MARK = "__daybook_tool__"

F = TypeVar("F", bound=Callable[..., Any])


def tool(
    *,
    category: str = "general",
    version: str = "1",
    title: str = "",
    effect: EffectClass = EffectClass.BLIND,
    in_process: bool = False,
    cost: float = 0.0,
    duration_s: float = 1.0,
    timeout_s: float = 30.0,
    risk: Literal["low", "medium", "high"] = "low",
    is_reversible: bool = True,
    cacheable: bool = False,
    parallel_safe: bool = False,
    needs_review: bool = False,
    may_repeat: bool = False,
    fallback: str = "",
    rate_per_minute: float | None = None,
    retries: int = 2,
    examples: Iterable[Arguments] = (),
) -> Callable[[F], F]:
    """Make a typed function a tool. The function stays what it was and can be called as before.

    It takes one pydantic model, or plain typed parameters; it returns a pydantic model, or a plain value
    which becomes ``{"result": value}``. The docstring is the description. Unless ``in_process`` is set, a
    call runs in a child process that is killed at ``timeout_s``: set it only for work that cannot hang.
    ``may_repeat`` declares a batch tool: it may be used round after round. ``fallback`` names a tool of the same
    arguments that answers when this one keeps timing out; only one that changes nothing outside may.
    ``examples`` are arguments of valid calls. Raises ``ValueError`` when the function is not fit for it.
    """
    given = {
        "category": category,
        "version": version,
        "effect": effect,
        "cost": cost,
        "duration_s": duration_s,
        "timeout_s": timeout_s,
        "risk": risk,
        "is_reversible": is_reversible,
        "cacheable": cacheable,
        "parallel_safe": parallel_safe,
        "needs_review": needs_review,
        "may_repeat": may_repeat,
        "fallback": fallback,
        "rate_per_minute": rate_per_minute,
        "retries": retries,
    }

    def mark(function: F) -> F:
        made = _tool_from(function, title=title, in_process=in_process, given=given, examples=list(examples))
        setattr(function, _MARK, made)
        return function

    return mark


def tool_of(function: Callable[..., Any]) -> Tool:
    """Return the tool that the decorator made of ``function``."""
    made: Tool = getattr(function, _MARK)
    return made


@dataclass
class Registry:
    """The tools that are installed, by name, and what kept others out.

    ``problems`` holds dicts {"source", "message"}; the system check shows them.
    """

    tools: dict[str, Tool] = field(default_factory=dict)
    problems: list[dict[str, str]] = field(default_factory=list)

    def add(self, found: Tool, *, source: str) -> None:
        """Add a tool, or note why it cannot be added: the first one of a name stays."""
        problem = fitness_problem(found)
        if not problem and found.spec.name in self.tools:
            problem = f"a tool called {found.spec.name} exists already; give this one another name"
        if problem:
            self.problems.append({"source": source, "message": problem})
        else:
            self.tools[found.spec.name] = found


def load_registry(paths: Iterable[str] = (), *, with_entry_points: bool = True) -> Registry:
    """Return the built-in tools, those at dotted ``paths`` (``module`` or ``module:function``) and those of
    installed packages. Never raises for a broken plug-in: see ``Registry.problems``."""
    from agents.tools.builtin import BUILT_IN

    registry = Registry()
    for path in (*BUILT_IN, *paths):
        _load(path, registry, partial(load_function, path))
    if with_entry_points:
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
            _load(f"entry point {point.name}", registry, point.load)
    _check_fallbacks(registry)
    return registry


def _check_fallbacks(registry: Registry) -> None:
    """Note every declared fallback that cannot stand in; the tool itself stays, and then has none."""
    for name, found in registry.tools.items():
        wanted = found.spec.fallback
        if not wanted:
            continue
        other = registry.tools.get(wanted)
        problem = may_stand_in(other.spec, found.spec) if other else f"there is no tool {wanted}"
        if problem:
            message = f"{name} cannot fall back on {wanted}: {problem}"
            registry.problems.append({"source": f"tool {name}", "message": message})


def fitness_problem(found: Tool) -> str:
    """Return why ``found`` cannot be offered, or an empty text. Its examples are put through the gate."""
    spec = found.spec
    if not _NAME.fullmatch(spec.name):
        return f"the name {spec.name!r} must be lower-case letters, digits and _, at most 64, letter first"
    if spec.name == WORKFLOW:
        return f"the name {WORKFLOW} is taken: it stands for a list of actions"
    if spec.rate_per_minute is not None and not spec.rate_per_minute > 0:
        return f"the rate of {spec.name} must be above 0 calls a minute, or left out"
    if not spec.description:
        return f"the tool {spec.name} has no docstring: say what it does, for people and the reasoner"
    outside = external_references([spec.input_schema, spec.output_schema])
    if outside:
        return f"the schema of {spec.name} refers to {outside[0]}: put the definition inside"
    for example in spec.examples:
        try:
            checked = check_action(Action(tool=spec.name, arguments=example), {spec.name: found})
        except BadInput as error:
            return f"an example of {spec.name} is not valid: {error}"
        if checked.coercions:
            return f"an example of {spec.name} needs correcting: {checked.coercions[0]}"
    return ""


def _load(source: str, registry: Registry, load: Callable[[], Any]) -> None:
    try:
        found = list(_tools_in(load()))
    except Exception as error:  # a plug-in may raise anything while it is imported
        registry.problems.append({"source": source, "message": f"{type(error).__name__}: {error}"})
        return
    if not found:
        registry.problems.append({"source": source, "message": "no function there carries @tool"})
    for each in found:
        registry.add(each, source=source)


def load_function(reference: str) -> Any:
    """Return the module, or what is called ``name`` in it, that ``module`` or ``module:name`` points to."""
    module_name, _, name = reference.partition(":")
    found: Any = import_module(module_name)
    for part in filter(None, name.split(".")):
        found = getattr(found, part)
    return found


def _tools_in(found: Any) -> Iterator[Tool]:
    if isinstance(found, Tool):
        yield found
    elif hasattr(found, _MARK):
        yield tool_of(found)
    elif inspect.ismodule(found):
        for value in vars(found).values():
            if hasattr(value, _MARK) and getattr(value, "__module__", "") == found.__name__:
                yield tool_of(value)


def _tool_from(
    function: Callable[..., Any],
    *,
    title: str,
    in_process: bool,
    given: dict[str, Any],
    examples: list[Arguments],
) -> Tool:
    name = function.__name__
    hints = get_type_hints(function, include_extras=True)
    input_model, takes_model = _input_model(function, hints)
    output_model, wraps = _output_model(function, hints)
    spec = ToolSpec(
        name=name,
        title=title or name.replace("_", " ").capitalize(),
        description=" ".join((inspect.getdoc(function) or "").split()),
        input_schema=_closed(plain_schema(input_model)),
        output_schema=plain_schema(output_model, mode="serialization"),
        examples=examples,
        **given,
    )
    run = _runner(function, input_model, output_model, takes_model=takes_model, wraps=wraps)
    reference = "" if in_process else f"{function.__module__}:{function.__qualname__}"
    return Tool(spec=spec, run=run, reference=reference, input_model=input_model, output_model=output_model)


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    schema.pop("description", None)
    return {**schema, "additionalProperties": False}


def _input_model(function: Callable[..., Any], hints: dict[str, Any]) -> tuple[type[BaseModel], bool]:
    """Return the model of the arguments, and whether the function takes that model itself."""
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) == 1 and _is_model(hints.get(parameters[0].name)):
        return hints[parameters[0].name], True
    fields: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"{function.__name__}: the parameter {parameter.name} needs a type of its own")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    config = ConfigDict(extra="forbid")
    model = create_model(
        f"{function.__name__}_input", __config__=config, __module__=function.__module__, **fields
    )
    return model, False


def _output_model(function: Callable[..., Any], hints: dict[str, Any]) -> tuple[type[BaseModel], bool]:
    """Return the model of the result, and whether a plain value is wrapped in it."""
    if "return" not in hints:
        raise ValueError(f"{function.__name__}: say what it returns, as a type")
    if _is_model(hints["return"]):
        return hints["return"], False
    fields: dict[str, Any] = {"result": (hints["return"], ...)}
    return create_model(f"{function.__name__}_output", __module__=function.__module__, **fields), True


def _is_model(hint: Any) -> bool:
    return inspect.isclass(hint) and issubclass(hint, BaseModel)


def _runner(
    function: Callable[..., Any],
    input_model: type[BaseModel],
    output_model: type[BaseModel],
    *,
    takes_model: bool,
    wraps: bool,
) -> Callable[[Arguments], Any]:
    def finish(value: Any) -> dict[str, Any]:
        try:
            model = output_model.model_validate({"result": value} if wraps else value)
        except ValidationError as error:
            raise InvalidOutput(_first_fault(error)) from error
        return model.model_dump(mode="json", exclude_none=True)

    def call(arguments: Arguments) -> Any:
        given = input_model.model_validate(arguments)
        return function(given) if takes_model else function(**{name: getattr(given, name) for name in fields})

    async def run_async(arguments: Arguments) -> dict[str, Any]:
        return finish(await call(arguments))

    fields = list(input_model.model_fields)
    return run_async if inspect.iscoroutinefunction(function) else lambda arguments: finish(call(arguments))


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    field_name = ".".join(str(part) for part in fault["loc"])
    return f"the result's field {field_name or '(all)'}: {fault['msg']}"
