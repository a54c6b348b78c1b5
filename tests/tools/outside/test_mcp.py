"""Real MCP servers over stdio and HTTP: good ones work, hostile ones are refused with a message."""

import asyncio
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.core.errors import Refused
from agents.core.outside import Definition, OutsideSource, OutsideTool
from agents.core.tools import Action
from agents.tools import network
from agents.tools.isolation import ChildFault
from agents.tools.outside.tools import call, look, outside_tools
from agents.tools.registry import Registry
from tests.tools.conftest import make_protocol, make_toolbox

ROOT = Path(__file__).parents[3]


def source_of(name: str, **environment: str) -> OutsideSource:
    return OutsideSource(
        id="s1",
        name=name,
        kind="mcp_stdio",
        command=[sys.executable, "-m", "tests.tools.outside.servers", name],
        environment={"PYTHONPATH": str(ROOT), **environment},
    )


class Watching:
    """A ``Watch`` that admits everything and keeps what drifted."""

    def __init__(self) -> None:
        self.drifted_names: list[str] = []
        self.is_admitting = True

    async def admit(self, source_id: str, name: str, pin: str) -> None:
        if not self.is_admitting:
            raise Refused(f"{name} was switched off")

    async def drifted(self, source_id: str, name: str, told: str) -> None:
        self.drifted_names.append(name)


@pytest.fixture(scope="module")
def good() -> dict[str, Definition]:
    found = asyncio.run(look(source_of("good")))
    return {row["remote"]: Definition.model_validate(row) for row in found}


def tool_of(definition: Definition, **declared) -> OutsideTool:
    return OutsideTool(name=f"x_{definition.remote}", definition=definition, **declared)


def toolbox_with(source: OutsideSource, *tools: OutsideTool, watch: Watching | None = None):
    offered = outside_tools([source.model_copy(update={"tools": list(tools)})], watch or Watching())
    return make_toolbox(make_protocol(), registry=Registry(tools=offered))


async def test_a_tool_goes_through_the_gate_both_ways(good):
    toolbox = toolbox_with(source_of("good"), tool_of(good["add"]))
    checked = toolbox.check(Action(tool="x_add", arguments={"a": "2", "b": 3}))
    assert checked.coercions[0]["used"] == 2
    result = await toolbox.call(checked.action, idempotency_key="k")
    assert (result.success, result.data) == (True, {"total": 5.0})
    assert result.version == good["add"].pin[:12]


async def test_the_specification_says_where_it_comes_from_and_asks_a_person(good):
    toolbox = toolbox_with(source_of("good"), tool_of(good["add"]))
    spec = next(spec for spec in toolbox.specs() if spec.name == "x_add")
    assert (spec.origin, spec.needs_review, spec.effect) == ("MCP server good", True, "blind")


async def test_the_servers_instructions_go_nowhere(good):
    assert not any("Ignore all" in str(definition) for definition in good.values())


async def test_a_server_sees_nothing_of_our_environment(good, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1234")
    monkeypatch.setenv("TOOL_SECRET_OTHER", "canary-5678")
    seen = await call(source_of("good"), tool_of(good["environment"]), {})
    assert set(seen) <= {"PATH", "HOME", "PYTHONPATH", "LC_CTYPE"}
    assert "canary" not in str(seen)


async def test_a_secret_is_handed_over_by_name_and_never_shown(good, monkeypatch):
    monkeypatch.setenv("TOOL_SECRET_LAB", "canary-secret-99")
    source = source_of("good", KEY="$TOOL_SECRET_LAB")
    seen = await call(source, tool_of(good["environment"]), {})
    assert seen["KEY"] == "•••"
    with pytest.raises(ChildFault) as fault:
        await call(source, tool_of(good["fail"]), {})
    assert fault.value.fault == "bad_input"
    assert "canary" not in str(fault.value)
    assert "canary" not in source.model_dump_json()


async def test_a_secret_that_is_not_set_is_named(good):
    with pytest.raises(Exception, match="TOOL_SECRET_MISSING"):
        await call(source_of("good", KEY="$TOOL_SECRET_MISSING"), tool_of(good["add"]), {"a": 1})


async def test_a_tool_that_changed_is_not_called_and_noted(tmp_path):
    switch = tmp_path / "switch"
    source = source_of("changing", SWITCH=str(switch))
    (found,) = await look(source)
    tool, watch = tool_of(Definition.model_validate(found)), Watching()
    toolbox = toolbox_with(source, tool, watch=watch)
    action = Action(tool="x_add", arguments={"a": 1, "b": 2})
    assert (await toolbox.call(action, idempotency_key="k")).data == {"result": 3.0}
    (tmp_path / "switch.called").unlink()
    switch.touch()
    result = await toolbox.call(action, idempotency_key="k")
    assert (result.fault, watch.drifted_names) == ("refused", ["x_add"])
    assert "changed the description or schema of add" in result.error_message
    assert not (tmp_path / "switch.called").exists()


async def test_a_tool_that_was_switched_off_is_not_called(good):
    watch = Watching()
    watch.is_admitting = False
    toolbox = toolbox_with(source_of("good"), tool_of(good["add"]), watch=watch)
    result = await toolbox.call(Action(tool="x_add", arguments={"a": 1}), idempotency_key="k")
    assert (result.fault, result.error_message) == ("refused", "x_add was switched off")


@pytest.mark.parametrize(
    ("remote", "limit", "fault", "message"),
    [
        ("flood", 60.0, "output_invalid", "more than 4 MB"),
        ("hang", 6.0, "timeout", "did not finish within 6 s"),
    ],
)
async def test_a_hostile_call_is_refused_with_a_message(remote, limit, fault, message):
    source = source_of("hostile")
    definitions = {row["remote"]: Definition.model_validate(row) for row in await look(source)}
    toolbox = toolbox_with(source, tool_of(definitions[remote], timeout_s=limit))
    result = await toolbox.call(Action(tool=f"x_{remote}"), idempotency_key="k")
    assert (result.success, result.fault) == (False, fault)
    assert message in result.error_message


async def test_a_result_that_breaks_its_own_schema_is_not_used(good):
    schema = {"type": "object", "properties": {"total": {"type": "string"}}, "required": ["total"]}
    lying = good["add"].model_copy(update={"output_schema": schema})
    result = await toolbox_with(source_of("good"), tool_of(lying)).call(
        Action(tool="x_add", arguments={"a": 1}), idempotency_key="k"
    )
    assert (result.success, result.fault) == (False, "output_invalid")


@pytest.mark.parametrize(
    ("name", "message"),
    [("crashing", "the server broke off; it said: no such port"), ("babbling", "more than 4 MB")],
)
async def test_a_server_that_does_not_talk_is_said_to(name, message):
    with pytest.raises(ChildFault, match=message):
        await look(source_of(name))


async def test_a_server_that_never_answers_is_stopped(monkeypatch):
    monkeypatch.setattr("agents.tools.outside.tools.LOOK_S", 3.0)
    with pytest.raises(ChildFault, match="did not finish within 3 s"):
        await look(source_of("silent"))


async def test_a_program_that_is_not_there_is_named():
    with pytest.raises(ChildFault, match="no-such-program cannot be started here") as fault:
        await look(source_of("good").model_copy(update={"command": ["no-such-program"]}))
    assert fault.value.fault == "refused"


@pytest.fixture
def served():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.tools.outside.servers", "good", "http", str(port)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


async def test_over_http_it_works_once_the_site_names_the_host(served, monkeypatch):
    source = OutsideSource(id="s1", name="good", kind="mcp_http", url=served)
    with pytest.raises(ChildFault, match="DAYBOOK_TOOL_HOSTS") as fault:
        await look(source)
    assert fault.value.fault == "refused"
    monkeypatch.setattr(network, "_allowed", frozenset({"127.0.0.1"}))
    definitions = {row["remote"]: Definition.model_validate(row) for row in await look(source)}
    assert await call(source, tool_of(definitions["add"]), {"a": 1, "b": 2}) == {"total": 3.0}
