"""``run_python``: the code that a model wrote, in a sandbox, after a person has read it."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.errors import BadInput, Refused
from agents.core.tools import EffectClass
from agents.tools.registry import tool
from agents.tools.sandbox import bubblewrap, limits, monty


class CodeResult(BaseModel):
    """What the code printed and gave."""

    output: str
    result: Any = None
    engine: str


@tool(
    category="code",
    title="Run Python",
    effect=EffectClass.LOCAL,
    needs_review=True,
    risk="medium",
    duration_s=2.0,
    timeout_s=limits.WALL_S + 15,
    examples=[{"code": "sum(values) / len(values)", "inputs": {"values": [1, 2, 3]}}],
)
def run_python(
    code: Annotated[
        str,
        Field(
            min_length=1,
            max_length=limits.CODE_CHARACTERS,
            description="The last expression is the result, or the variable result.",
        ),
    ],
    inputs: Annotated[
        dict[str, Any], Field(description="Values by name, which the code finds as variables.")
    ] = {},  # noqa: B006
    with_libraries: Annotated[
        bool, Field(description="True when the code needs numpy, scipy or the whole standard library.")
    ] = False,
) -> CodeResult:
    """Run Python without network, files or any access to this system, and return what it printed and gave."""
    name, run = _engine(with_libraries=with_libraries)
    found = run(code, inputs)
    if "error" in found:
        raise BadInput(f"the code ended with an error: {found['error']}")
    return CodeResult(output=found["output"], result=found.get("result"), engine=name)


def _engine(*, with_libraries: bool) -> Any:
    """Return the lightest sandbox that there is for such code. Raises ``Refused`` when there is none."""
    if not with_libraries and not monty.problem():
        return "pydantic-monty", monty.run_in_monty
    if not bubblewrap.problem():
        return "bubblewrap", bubblewrap.run_in_bubblewrap
    if with_libraries and not monty.problem():
        raise Refused(f"code with libraries cannot be run here: {bubblewrap.problem()}")
    raise Refused(f"code cannot be run here: {monty.problem()}; {bubblewrap.problem()}")
