"""A tool that is another one than when its call was approved: the call is refused, nothing runs, the run goes on."""

from typing import Any

import pytest

from agents.core.tools import Action, EffectClass
from agents.tools.registry import Registry, tool, tool_of
from tests.tools.conftest import make_protocol, make_toolbox

RAN: list[Any] = []


def toolbox_of(function: Any) -> Any:
    made = tool_of(function)
    return make_toolbox(make_protocol(), registry=Registry(tools={made.spec.name: made}))


def first() -> Any:
    @tool(effect=EffectClass.LOCAL, in_process=True)
    def heat(temperature: float) -> float:
        """Heat."""
        return temperature

    return heat


def renamed() -> Any:
    @tool(effect=EffectClass.LOCAL, in_process=True, version="2")
    def heat(celsius: float) -> float:
        """Heat."""
        RAN.append(celsius)
        return celsius

    return heat


def retyped() -> Any:
    @tool(effect=EffectClass.LOCAL, in_process=True, version="2")
    def heat(temperature: list[float]) -> float:
        """Heat."""
        RAN.append(temperature)
        return temperature[0]

    return heat


def with_coercion() -> Any:
    @tool(effect=EffectClass.LOCAL, in_process=True, version="2")
    def heat(temperature: int) -> int:
        """Heat."""
        RAN.append(temperature)
        return temperature

    return heat


@pytest.mark.parametrize("change", [renamed, retyped])
async def test_an_approved_call_that_fits_no_more_is_not_run(change):
    approved = toolbox_of(first()).check(Action(tool="heat", arguments={"temperature": 80.5})).action
    RAN.clear()
    result = await toolbox_of(change()).call(approved, idempotency_key="k")
    assert (result.success, result.fault, RAN) == (False, "bad_input", [])


async def test_what_would_be_read_otherwise_than_approved_is_not_run():
    RAN.clear()
    result = await toolbox_of(with_coercion()).call(
        Action(tool="heat", arguments={"temperature": "80"}), idempotency_key="k"
    )
    assert (result.fault, RAN) == ("refused", [])


async def test_a_result_names_the_version_that_gave_it():
    result = await toolbox_of(with_coercion()).call(
        Action(tool="heat", arguments={"temperature": 80}), idempotency_key="k"
    )
    assert (result.data, result.version) == ({"result": 80}, "2")


async def test_a_tool_that_is_gone_is_named():
    result = await make_toolbox(make_protocol()).call(
        Action(tool="heat", arguments={"temperature": 80}), idempotency_key="k"
    )
    assert (result.fault, "there is no tool" in result.error_message) == ("bad_input", True)
