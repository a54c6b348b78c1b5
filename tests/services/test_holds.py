"""Runs that another program began: nothing runs until a person chose, and each choice does what it says."""

import pytest
from django.db import transaction

from agents import assembly, wiring
from agents.core import versions
from agents.core.errors import BadInput, IllegalTransition
from agents.core.tools import EffectClass
from agents.engine import driver
from agents.models import Effect, Event, Experiment, Gate, Run
from agents.services import choose, deliver, pause_run, prepare_answer, resume_run, stop_run
from agents.services.holds import hold_others
from agents.store.audit import log_problems
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import LOOK, WEIGH, ToyTool, ToyToolbox, toy_spec
from agents.worker import advance, work_once
from tests.support import log_of, lose, make_run, make_user, take

pytestmark = pytest.mark.django_db


class Lab:
    """The program: its tools may be swapped, and its graph version raised, as an upgrade does."""

    def __init__(self) -> None:
        self.toolbox = ToyToolbox()
        self.tool, self.field = "weigh", "dose"

    def script(self, brief):
        return finish() if brief.round > 3 else propose(self.tool, **{self.field: brief.round})


@pytest.fixture
def lab(monkeypatch) -> Lab:
    made = Lab()
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: made.toolbox)
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: ScriptedReasoner(made.script))
    return made


@pytest.fixture
def upgrade(monkeypatch):
    def to(version: str, *, drives_old: bool = True) -> None:
        monkeypatch.setattr(versions, "GRAPH_VERSION", version)
        monkeypatch.setattr(versions, "DRIVABLE", ("1", version) if drives_old else (version,))
        monkeypatch.setitem(driver.GRAPHS, version, driver.GRAPHS["1"])

    return to


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def work_off() -> None:
    for _ in range(60):
        if not work_once(worker="w"):
            return
    raise AssertionError("the work does not end")


def answer(run: Run, verdict: str = "approve", **more) -> None:
    gate = Gate.objects.get(run=run, status="open")
    with transaction.atomic():
        deliver(gate, prepare_answer(gate, verdict=verdict, by="ana", **more), shown_digest=gate.digest)


def waiting_run(lab: Lab) -> Run:
    run = make_run(policy="every_step")
    work_off()
    assert now(run).status == "waiting"
    return run


def new_scale() -> ToyToolbox:
    spec = WEIGH.spec.model_copy(update={"version": "2"})
    return ToyToolbox([ToyTool(spec, WEIGH.run), LOOK])


def test_a_first_drive_files_what_it_is_driven_with(lab):
    run = waiting_run(lab)
    stored = now(run).state["configuration"]
    assert (stored["graph"], set(stored["tools"])) == ("1", {"weigh", "look"})
    assert log_of(run).count("run.configured") == 1


def test_an_approval_is_not_acted_on_after_the_tool_changed(lab):
    run = waiting_run(lab)
    answer(run)
    lab.toolbox = new_scale()
    work_off()
    held = now(run)
    assert (held.status, held.wait["kind"]) == ("paused", "held")
    assert held.state["held"]["choices"] == ["finish", "fork", "close"]
    assert "weigh has changed (version 1 then, 2 now)" in held.state["held"]["sentences"][0]
    assert lab.toolbox.calls == []
    work_off()
    assert log_of(run).count("run.held") == 1
    with pytest.raises(IllegalTransition, match="finish, fork, close"):
        resume_run(run.pk, by="ana")


def test_finish_goes_on_with_what_is_stored(lab):
    run = waiting_run(lab)
    answer(run)
    lab.toolbox = new_scale()
    work_off()
    choose(run.pk, "finish", by="ana")
    work_off()
    assert [action.arguments for action, _ in lab.toolbox.calls] == [{"dose": 1}]
    after = now(run)
    assert (after.status, "held" in after.state) == ("waiting", False)
    event = Event.objects.filter(run=run, kind="run.configured").last()
    assert (event.payload["by"], event.payload["choice"]) == ("ana", "finish")
    assert log_problems(run.pk) == []


def test_fork_inherits_state_and_no_approval_and_closes_the_old_run(lab):
    run = waiting_run(lab)
    answer(run)
    work_off()
    answer(run)
    lab.toolbox = new_scale()
    work_off()
    user = make_user("ben")
    fork = choose(run.pk, "fork", by="ben", user=user)
    assert (now(run).status, now(run).state["outcome"]) == ("cancelled", f"goes on as run {fork.number}")
    work_off()
    after = now(fork)
    assert (after.status, after.round, after.graph_version) == ("waiting", 2, "1")
    assert [step["outcome"] for step in after.state["steps"]] == ["mass 0.1 g"]
    assert lab.toolbox.calls == []
    answer(fork)
    work_off()
    assert [action.arguments for action, _ in lab.toolbox.calls] == [{"dose": 2}]
    assert log_problems(run.pk) == log_problems(fork.pk) == []


def test_close_ends_it_and_keeps_what_was_found(lab):
    run = waiting_run(lab)
    answer(run)
    work_off()
    lab.toolbox = new_scale()
    answer(run)
    work_off()
    choose(run.pk, "close", by="ana")
    assert now(run).status == "cancelled"
    assert "closed by ana" in now(run).state["outcome"]
    assert Experiment.objects.filter(run=run).count() == 1
    work_off()
    assert lab.toolbox.calls == []


@pytest.mark.parametrize("how", ["waiting", "paused"])
def test_a_run_that_waits_for_people_is_held_as_soon_as_the_new_program_starts(lab, upgrade, how):
    run = waiting_run(lab)
    if how == "paused":
        pause_run(run.pk, by="ana")
    upgrade("2")
    assert hold_others() == 1
    assert hold_others() == 0
    held = now(run)
    assert (held.status, held.state["held"]["choices"]) == ("paused", ["finish", "fork", "close"])
    answer(run)  # people may still answer; nothing runs
    work_off()
    assert lab.toolbox.calls == []
    choose(run.pk, "finish", by="ana")
    work_off()
    assert (now(run).status, len(lab.toolbox.calls)) == ("waiting", 1)
    assert hold_others() == 0


def test_a_graph_that_is_gone_cannot_be_finished(lab, upgrade):
    run = waiting_run(lab)
    upgrade("2", drives_old=False)
    hold_others()
    assert now(run).state["held"]["choices"] == ["fork", "close"]
    with pytest.raises(IllegalTransition, match="'finish' is not possible"):
        choose(run.pk, "finish", by="ana")
    fork = choose(run.pk, "fork", by="ana")
    assert fork.graph_version == "2"
    work_off()
    assert now(fork).status == "waiting"


def test_a_running_run_is_held_when_its_worker_was_lost_in_an_upgrade(lab, upgrade):
    run = make_run(policy="auto")
    take(run)
    lose(run)
    upgrade("2")
    work_off()
    assert (now(run).status, lab.toolbox.calls) == ("paused", [])
    choose(run.pk, "finish", by="ana")
    work_off()
    assert now(run).status == "succeeded"


def test_a_tool_that_is_gone_asks_and_can_be_tried_again(lab, monkeypatch):
    run = waiting_run(lab)
    answer(run)

    def missing(protocol):
        raise BadInput("the study names the tool 'weigh', which is not installed")

    monkeypatch.setattr(assembly, "toolbox_for", missing)
    work_off()
    assert now(run).state["held"]["choices"] == ["finish", "close"]
    choose(run.pk, "finish", by="ana")
    work_off()
    assert now(run).status == "paused"
    monkeypatch.setattr(assembly, "toolbox_for", lambda protocol: lab.toolbox)
    choose(run.pk, "finish", by="ana")
    work_off()
    assert (now(run).status, len(lab.toolbox.calls)) == ("waiting", 1)


def test_a_wish_outweighs_a_hold(lab, upgrade):
    run = make_run(policy="auto")
    lease = take(run)
    stop_run(run.pk, by="ana")
    upgrade("2")
    advance(lease)
    assert now(run).status == "cancelled"


def test_a_held_run_can_be_stopped(lab, upgrade):
    run = waiting_run(lab)
    upgrade("2")
    hold_others()
    stop_run(run.pk, by="ana")
    assert (now(run).status, "held" in now(run).state) == ("cancelled", False)


def test_a_fork_never_repeats_by_itself_what_may_have_happened(lab, upgrade):
    """A blind effect began and its worker was lost: also an unattended fork asks before it begins it again."""
    fire = ToyTool(toy_spec("fire", "shots", effect=EffectClass.BLIND), lambda arguments: {"hits": 3})
    lab.toolbox = ToyToolbox([WEIGH, LOOK, fire])
    lab.tool, lab.field = "fire", "shots"
    run = make_run(policy="auto")
    lease = take(run)
    from agents.store import journal

    def die(point):
        if point == "after_effect":
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "fault_point", die)
        with pytest.raises(KeyboardInterrupt):
            advance(lease)
    lose(run)
    upgrade("2")
    work_off()
    fork = choose(run.pk, "fork", by="ana")
    work_off()
    gate = Gate.objects.get(run=fork, status="open")
    assert (gate.kind, now(fork).status) == ("proposal", "waiting")
    assert "nobody knows whether it happened" in gate.request["content"]["warnings"][-1]
    assert len(lab.toolbox.calls) == 1
    assert Effect.objects.filter(run=fork).count() == 0


def test_choosing_is_for_held_runs_only(lab):
    run = waiting_run(lab)
    with pytest.raises(IllegalTransition, match="not held"):
        choose(run.pk, "finish", by="ana")
