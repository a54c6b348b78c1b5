"""The small lab of the golden runs: toy tools and a reasoner that leads to every kind of gate."""

from agents.core.brief import Brief
from agents.core.proposal import MemoryOperation, Prediction, Turn
from agents.core.tools import EffectClass
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import LOOK, WEIGH, ToyTool, ToyToolbox, toy_spec

BY_HAND = ToyTool(
    WEIGH.spec.model_copy(update={"name": "by_hand", "executor": "person"}), lambda arguments: {}
)
FIRE = ToyTool(toy_spec("fire", "shots", effect=EffectClass.BLIND), lambda arguments: {"hits": 3})


def toolbox() -> ToyToolbox:
    """Return the tools of the lab."""
    return ToyToolbox([WEIGH, LOOK, BY_HAND, FIRE])


def reasoner(title: str) -> ScriptedReasoner:
    """Return the reasoner of the run whose study is called ``title``: that of the gate it comes to."""
    return ScriptedReasoner(SCRIPTS[title])


def _weigh(brief: Brief) -> Turn:
    turn = propose("weigh", dose=brief.round)
    prediction = Prediction(objective="mass", mean=0.1, low=0.0, high=0.2, unit="g")
    proposal = turn.proposal.model_copy(update={"prediction": prediction})
    found = [MemoryOperation(op="add", text=f"round {brief.round} went well", evidence=[brief.round - 1])]
    return turn.model_copy(update={"proposal": proposal, "memory": found if brief.round > 1 else []})


def _whole(brief: Brief) -> Turn:
    if brief.round == 2 and not brief.refusals:
        return propose("weigh", dosis=1)
    return finish("A tenth of the dose.", "F1") if brief.round > 3 else _weigh(brief)


SCRIPTS = {
    "proposal": _weigh,
    "result": lambda brief: propose("by_hand", dose=brief.round),
    "outcome": lambda brief: propose("fire", shots=brief.round * 10),
    "attention": lambda brief: propose("weigh", dosis=1) if brief.round == 1 else _weigh(brief),
    "finish": lambda brief: finish("A tenth of the dose.") if brief.round > 1 else _weigh(brief),
    "whole": _whole,
}
"""By the kind of gate at which a run waits; ``whole`` goes to its end."""
