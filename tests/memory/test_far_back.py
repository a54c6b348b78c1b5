"""A need at step 90 for what was seen at step 3: answered with its place, in English and Chinese."""

import pytest

from agents import assembly, wiring
from agents.core.tools import EffectClass
from agents.models import Run
from agents.records import records_of
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import ToyTool, ToyToolbox, toy_spec
from agents.wiring import look_up_records
from agents.worker import work_once
from tests.support import do, make_run, make_study

pytestmark = pytest.mark.django_db
STEPS = 90


def log_of_step(step: int) -> dict:
    lines = [f"t={n} s T={300 + step}.{n} K flow={20 + n} ml/min" for n in range(12)]
    if step == 3:
        lines.insert(7, "the septum leaked at 412.37 K; 冷却水流量降到 17.5 ml/min")
    return {"mass": step / 10, "log": "\n".join(lines)}


@pytest.fixture
def run(monkeypatch) -> Run:
    weigh = ToyTool(
        toy_spec("weigh", "dose", is_experiment=True, effect=EffectClass.LOCAL),
        lambda arguments: log_of_step(int(arguments["dose"])),
    )
    toolbox = ToyToolbox([weigh])
    reasoner = ScriptedReasoner(
        lambda brief: finish() if brief.round > STEPS else propose("weigh", dose=brief.round)
    )
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: toolbox)
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: reasoner)
    study = make_study(budget={"rounds": 200, "experiments": None})
    run = make_run(study, policy="auto")
    while work_once(worker="w"):
        pass
    run.refresh_from_db()
    return run


@pytest.mark.parametrize(
    "what",
    [
        "R3 leak",
        "at which temperature did the septum leak",
        "第3轮 冷却水流量",
        "冷却水流量降到多少",
        "when did the cooling water fail",
    ],
)
def test_a_need_at_step_90_for_a_fact_seen_at_step_3(run, what):
    assert run.round > STEPS

    found = do(look_up_records, str(run.pk), what, 3)

    assert found[0].reference == "R3"
    assert "the septum leaked at 412.37 K; 冷却水流量降到 17.5 ml/min" in found[0].text
    assert found[0].place == f"event {run.events.get(kind='round.completed', round=3).seq}"


def test_every_observation_is_had_in_one_call_in_full(run):
    for step in range(1, STEPS + 1):
        (record,) = records_of(run.pk, f"R{step}")
        assert log_of_step(step)["log"] in record.text.replace("log: ", "")
