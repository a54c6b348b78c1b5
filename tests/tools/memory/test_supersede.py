"""``supersede_finding``: a person sees every call, and the engine applies what was let through."""

from typing import Any

import pytest

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.memory import SUPERSEDE, operation_of
from agents.core.proposal import MemoryOperation
from agents.core.tools import Action, EffectClass
from agents.testing.reasoner import finish, propose
from agents.testing.toolbox import LOOK, WEIGH, ToyTool, toy_spec
from tests.engine.bench import Bench
from tests.tools.conftest import make_toolbox

GIVEN = {"finding": "F1", "reason": "round 2 says otherwise", "text": "Mass rises up to 9 mg."}


async def active(run_id: str) -> list[Finding]:
    return [Finding(id="F1", study_id="s1", text="Mass rises."), Finding(id="F12", study_id="s1", text="x")]


async def call(**arguments: Any) -> Any:
    toolbox = make_toolbox(active_findings=active)
    action = toolbox.check(Action(tool=SUPERSEDE, arguments={**GIVEN, **arguments})).action
    return await toolbox.call(action, idempotency_key="run:1/act")


async def test_it_shows_what_was_said_and_what_would_be_said_and_always_needs_a_person() -> None:
    result = await call()
    assert result.data["before"] == "Mass rises."
    assert result.data["after"] == "Mass rises up to 9 mg."
    spec = next(s for s in make_toolbox(active_findings=active).specs() if s.name == SUPERSEDE)
    assert (spec.needs_review, spec.effect, spec.is_pure) == (True, EffectClass.LOCAL, False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"finding": "F7"}, "F7 is no active finding of this run; those are: F1, F12"),
        ({"text": "Mass rises."}, "this is what the finding says already"),
    ],
)
async def test_what_cannot_be_done_is_said(changes: dict[str, Any], message: str) -> None:
    result = await call(**changes)
    assert result.fault == "bad_input"
    assert message in result.error_message


@pytest.mark.parametrize("changes", [{"finding": "3"}, {"reason": "no"}, {"evidence": ["two"]}])
def test_the_gate_refuses_what_names_no_finding_or_gives_no_reason(changes: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        make_toolbox(active_findings=active).check(Action(tool=SUPERSEDE, arguments={**GIVEN, **changes}))


def test_without_a_text_it_retires() -> None:
    made = operation_of(Action(tool=SUPERSEDE, arguments={**GIVEN, "text": " "}))
    assert made is not None
    assert (made.op, made.finding) == ("retire", "F1")
    assert operation_of(Action(tool="look", arguments={})) is None


def bench(**changes: Any) -> Bench:
    spec = toy_spec(SUPERSEDE, "finding", "reason", "text", effect=EffectClass.LOCAL, needs_review=True)
    tool = ToyTool(spec, lambda arguments: {"finding": arguments["finding"]})
    made = propose(SUPERSEDE, **{**GIVEN, **changes})
    add = MemoryOperation(op="add", text="Mass rises.")
    reflects = lambda brief: [add] if brief.round == 1 else []  # noqa: E731
    return Bench(
        [propose("weigh", dose=2), made, finish()],
        tools=[WEIGH, LOOK, tool],
        reasoner={"reflects": reflects},
    )


async def test_nothing_changes_before_it_is_let_through_and_then_once() -> None:
    run = bench()
    await run.drive()
    assert run.gate.content["proposal"]["action"]["tool"] == SUPERSEDE
    assert [f.text for f in await run.book.active()] == ["Mass rises."]
    run.decide("approve")
    await run.drive()
    assert [(f.id, f.text) for f in await run.book.active()] == [("F1", "Mass rises up to 9 mg.")]


async def test_a_veto_leaves_the_finding_and_an_edit_is_what_is_applied() -> None:
    run = bench()
    await run.drive()
    run.decide("veto", reason_code="other", note="it holds")
    await run.drive()
    assert [f.text for f in await run.book.active()] == ["Mass rises."]
    run = bench()
    await run.drive()
    run.decide("edit", arguments={**GIVEN, "text": "Mass rises up to 8 mg."})
    await run.drive()
    assert [f.text for f in await run.book.active()] == ["Mass rises up to 8 mg."]
