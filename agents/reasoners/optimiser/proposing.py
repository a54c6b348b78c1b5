"""One reply of the optimiser: the next experiment with hypothesis, prediction and reason, or the end."""

from typing import Any

import numpy as np

from agents.core.brief import Brief
from agents.core.errors import BadInput
from agents.core.measurement import Experiment
from agents.core.proposal import Finish, Hypothesis, Proposal, Turn
from agents.core.science import Conditions
from agents.core.study import StudyProtocol
from agents.core.tools import Action
from agents.core.workflow import Item, workflow_of
from agents.reasoners.optimiser.belief import Belief, believe, complete_points
from agents.reasoners.optimiser.choice import Choice, Search, choose
from agents.reasoners.optimiser.design import STARTS
from agents.reasoners.optimiser.encoding import encode
from agents.reasoners.optimiser.ending import best_so_far, reason_to_end
from agents.reasoners.optimiser.guidance import read_guidance
from agents.reasoners.optimiser.observations import Observations, observe
from agents.reasoners.optimiser.pool import Pool
from agents.reasoners.optimiser.replicates import confirming_replicate, due_replicate
from agents.reasoners.optimiser.statements import (
    early_hypothesis,
    gain_reason,
    guidance_reason,
    hypothesis_of,
    prediction_of,
    spread_reason,
)


def check_study(protocol: StudyProtocol) -> None:
    """Raise ``BadInput`` with one problem for each thing that the optimiser cannot do without."""
    missing = []
    if not protocol.space.parameters:
        missing.append(
            (
                "space",
                "at least one parameter",
                "The study has no parameter space: add the factors that an experiment sets, with their levels or bounds.",
            )
        )
    if not protocol.objectives:
        missing.append(
            (
                "objectives",
                "at least one objective",
                "The study has no objective: add the response that is measured and whether it should be high, low or at a target.",
            )
        )
    if not protocol.experiment_tool:
        missing.append(
            (
                "experiment_tool",
                "measure or ask_researcher",
                "The study has no experiment tool: choose measure (an uploaded dataset answers) or ask_researcher (a person measures).",
            )
        )
    if missing:
        problems = [{"field": f, "expected": e, "received": None, "message": m} for f, e, m in missing]
        raise BadInput(" ".join(message for _, _, message in missing), problems)


def next_turn(brief: Brief, pool: Pool, *, seed: int) -> Turn:
    """Return the next proposal, a list of them when the study asks for one, or a proposal to finish. The same
    brief and seed give the same turn."""
    turn = _single_turn(brief, pool, seed=seed)
    wanted = _wanted(brief)
    proposals = [turn.proposal] if turn.proposal is not None and not turn.proposal.is_replicate else []
    while proposals and len(proposals) < wanted:
        planned = [
            Experiment(id=f"planned {n}", planned=each.action.arguments, status="planned", round=brief.round)
            for n, each in enumerate(proposals, start=1)
        ]
        with_planned = brief.model_copy(update={"experiments": [*brief.experiments, *planned]})
        more = _single_turn(with_planned, pool, seed=seed).proposal
        if more is None or more.is_replicate:
            break
        proposals.append(more)
    return Turn(proposal=_together(proposals)) if len(proposals) > 1 else turn


def _wanted(brief: Brief) -> int:
    """Return how many experiments to propose: only what the machine performs goes into a list."""
    protocol = brief.protocol
    spec = next((spec for spec in brief.tools if spec.name == protocol.experiment_tool), None)
    if spec is None or spec.executor != "machine":
        return 1
    limit = brief.budget.experiments
    return protocol.batch if limit is None else min(protocol.batch, limit - brief.spent.experiments)


def _together(proposals: list[Proposal]) -> Proposal:
    """Return one proposal of several: the first one's claim and reason, and each one's prediction."""
    items = [
        Item(step=n, tool=each.action.tool, arguments=each.action.arguments)
        for n, each in enumerate(proposals, start=1)
    ]
    expected = {str(n): each.prediction for n, each in enumerate(proposals, start=1) if each.prediction}
    more = f"The other {len(proposals) - 1} are what would come next before this one's result is known."
    return proposals[0].model_copy(
        update={
            "action": workflow_of(items),
            "prediction": None,
            "predictions": expected,
            "reason": f"{proposals[0].reason} {more}",
        }
    )


def _single_turn(brief: Brief, pool: Pool, *, seed: int) -> Turn:
    observations = observe(brief, pool.encoding)
    ending = reason_to_end(brief, observations)
    if ending:
        return _finish(brief, observations, ending)
    replicate = due_replicate(brief, observations)
    belief = belief_of(brief, pool, observations)
    if replicate is not None:
        return Turn(proposal=_replicate(brief, pool, belief, *replicate))
    wishes = [read_guidance(item.text, brief.protocol.space) for item in brief.guidance]
    rng = np.random.default_rng([seed, 3, len(brief.experiments)])
    constraints = brief.protocol.constraints
    choice = choose(Search(pool, observations, belief, constraints, wishes, len(brief.refusals), rng))
    if choice is None:
        again = confirming_replicate(brief, observations)
        if again is not None:
            return Turn(proposal=_replicate(brief, pool, belief, *again))
        return _finish(brief, observations, "Every legal candidate has been tried or was vetoed.")
    reason = reason_for(brief, observations, belief, choice)
    return Turn(
        proposal=_proposal(brief, pool, belief, choice, f"{reason} {guidance_reason(wishes, choice)}".strip())
    )


def belief_of(brief: Brief, pool: Pool, observations: Observations) -> Belief | None:
    """Return what the measurements say, or None while they are too few to model."""
    objectives = brief.protocol.objectives
    if len(complete_points(observations, objectives)) < STARTS:
        return None
    return believe(observations, pool, objectives)


def reason_for(brief: Brief, observations: Observations, belief: Belief | None, choice: Choice) -> str:
    """Return why ``choice`` comes next."""
    if belief is None:
        return spread_reason(choice, done=len(observations.tried), wanted=STARTS)
    return gain_reason(brief.protocol, belief, choice, brief.experiments)


def _proposal(brief: Brief, pool: Pool, belief: Belief | None, choice: Choice, reason: str) -> Proposal:
    return _stated(brief, pool, belief, choice.conditions, reason).model_copy(
        update={"details": _details(belief, choice)}
    )


def _replicate(
    brief: Brief, pool: Pool, belief: Belief | None, conditions: Conditions, reason: str
) -> Proposal:
    return _stated(brief, pool, belief, conditions, reason).model_copy(
        update={"is_replicate": True, "details": {"phase": "replicate"}}
    )


def _stated(brief: Brief, pool: Pool, belief: Belief | None, conditions: Conditions, reason: str) -> Proposal:
    """Return the proposal of ``conditions`` with the claim that it tests and the outcome it expects."""
    protocol = brief.protocol
    prediction = prediction_of(protocol.objectives[0], belief, encode(pool.encoding, [conditions])[0])
    own = early_hypothesis(protocol) if belief is None else hypothesis_of(protocol, pool, belief, prediction)
    return Proposal(
        hypothesis=_claimed(brief, own),
        action=Action(tool=protocol.experiment_tool, arguments=conditions),
        prediction=prediction,
        reason=reason,
    )


def _claimed(brief: Brief, own: Hypothesis) -> Hypothesis:
    """Return the hypothesis of a person while it stands, with what would refute it now; else ``own``."""
    standing = brief.standing
    return standing.model_copy(update={"refuted_by": own.refuted_by}) if standing else own


def _details(belief: Belief | None, choice: Choice) -> dict[str, Any]:
    if belief is None:
        return {"phase": "spread", "candidates": choice.open}
    responses = belief.predict(choice.features[None])
    figures = {
        objective.name: {"mean": round(float(mean[0]), 4), "sd": round(float(sd[0]), 4)}
        for objective, (mean, sd) in zip(belief.objectives, responses, strict=True)
    }
    first = figures[belief.objectives[0].name]
    details: dict[str, Any] = {
        "phase": "model",
        "candidates": choice.open,
        "acquisition": round(choice.gain or 0.0, 6),
        **first,
        "best_utility": round(belief.best, 6),
    }
    return (
        details if len(figures) == 1 else {**details, "responses": figures, "scalarisation": "desirability"}
    )


def _finish(brief: Brief, observations: Observations, why: str) -> Turn:
    """Return the proposal to end, on the findings that the run holds to be true."""
    cited = [finding.id for finding in brief.findings if finding.status == "active"]
    return Turn(finish=Finish(answer=f"{why} {best_so_far(brief, observations)}", findings=cited))
