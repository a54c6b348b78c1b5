"""The sections of a reasoning prompt, as lines: what each says, before anything is cut."""

import json
import re
from collections.abc import Sequence
from typing import Any

from agents.core.brief import Brief, Step, Veto
from agents.core.budget import shares
from agents.core.digest import DigestItem
from agents.core.science import Objective
from agents.core.tools import Action
from agents.core.workflow import actions_of, is_workflow, items_of
from agents.reasoners.language_model.experiments import conditions_text, experiment_lines, value_text

STEPS = 3
FINDINGS = 5
_NUMBER = re.compile(r"(\d+)")
_SHARES = ((0.75, "most"), (0.4, "about half"), (0.15, "little"), (0.0, "almost none"))


def flat(text: str) -> str:
    """Return ``text`` on one line."""
    return " ".join(text.split())


def goal_lines(brief: Brief) -> list[str]:
    """The question and what is wanted of each response."""
    protocol = brief.protocol
    return [f"Goal: {protocol.goal}", *(objective_text(objective) for objective in protocol.objectives)]


def objective_text(objective: Objective) -> str:
    """Return ``maximise yield (%)``, with the target when there is one."""
    unit = f" ({objective.unit})" if objective.unit else ""
    aim = f" at {objective.target:g}" if objective.goal == "target" and objective.target is not None else ""
    return f"{objective.goal} {objective.name}{unit}{aim}"


def constraint_lines(brief: Brief) -> list[str]:
    """Every core constraint by id, in the order of ids: C2 before C10."""
    return [f"{c.id} {flat(c.text)}" for c in sorted(brief.protocol.constraints, key=lambda c: natural(c.id))]


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key by which F2 comes before F10."""
    parts = [part for part in _NUMBER.split(name) if part]
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def number_lines(items: Sequence[DigestItem]) -> list[str]:
    """The numbers of the documents, by their place in the digest, which does not change during a run."""
    kept = [
        (place, item) for place, item in enumerate(items, start=1) if item.kind in ("result", "parameter")
    ]
    return [f"D{place} {flat(item.text)}{_page(item)}" for place, item in kept]


def _page(item: DigestItem) -> str:
    note = "" if item.source.verified or item.source.origin != "document" else " (unverified)"
    return (f" p{item.source.page}" if item.source.page is not None else "") + note


def hypothesis_lines(brief: Brief) -> list[str]:
    """The hypothesis in force: the last one stated, else the study's first."""
    hypothesis = brief.hypothesis
    if hypothesis is None:
        return [brief.protocol.initial_hypothesis] if brief.protocol.initial_hypothesis else []
    refuted = f"refuted by: {hypothesis.refuted_by}" if hypothesis.refuted_by else ""
    written = f"written by {hypothesis.by}: stands until a result speaks against it" if brief.standing else ""
    return [line for line in (hypothesis.text, written, refuted) if line]


def finding_lines(brief: Brief) -> list[str]:
    """The strongest findings, with confidence in tenths so that small changes do not stir the prompt."""
    return [
        f"{f.id} ({f.confidence:.1f}{', unverified' if f.unverified else ''}) {flat(f.text)}"
        for f in brief.findings[:FINDINGS]
    ]


def rule_lines(brief: Brief) -> list[str]:
    """What several runs bore out, oldest first, with confidence in tenths as for findings."""
    return [
        f"({rule.confidence:.1f}) {flat(rule.text)}{f' [{flat(rule.scope)}]' if rule.scope else ''}"
        for rule in brief.rules
    ]


def contradiction_lines(brief: Brief) -> list[str]:
    """The pairs of findings that contradict each other, oldest first."""
    return [
        f"{pair.first.id} {flat(pair.first.text)} / {pair.second.id} {flat(pair.second.text)}"
        for pair in brief.contradictions
    ]


def step_lines(brief: Brief) -> list[str]:
    """The last steps, newest first."""
    return [step_text(step, brief) for step in reversed(brief.steps[-STEPS:])]


def step_text(step: Step, brief: Brief) -> str:
    """Return ``7. measure(KOAc, 90) → yield 12 % (against)``; nothing is said of a result that decides nothing."""
    stance = f" ({step.stance})" if step.stance in ("for", "against") else ""
    return f"{step.round}. {action_text(step.action, brief)} → {flat(step.outcome)}{stance}"


def action_text(action: Action, brief: Brief) -> str:
    """Return ``fit_line(x=[1, 2], y=[3, 4])``; an experiment's values alone, in the order of its arguments; the
    actions of a list by their steps."""
    if is_workflow(action):
        return ", ".join(f"${item.step} {action_text(item.action, brief)}" for item in items_of(action))
    is_experiment = action.tool == brief.protocol.experiment_tool
    return (
        f"{action.tool}({conditions_text(action.arguments, brief.protocol.space if is_experiment else None)})"
    )


def summary_lines(brief: Brief) -> list[str]:
    """What the run remembers beyond the steps shown."""
    shown = [step.outcome for step in brief.steps[-STEPS:]]
    lines = [line for line in brief.run_summary.splitlines() if line.strip()]
    return [line for line in lines if not any(outcome and outcome in line for outcome in shown)]


def ledger_lines(brief: Brief) -> list[str]:
    """The ledger in a few lines, around the last experiment, without what the last steps say."""
    tool = brief.protocol.experiment_tool
    done = [action for step in reversed(brief.steps) for action in reversed(actions_of(step.action))]
    near = next((action.arguments for action in done if action.tool == tool), None)
    protocol = brief.protocol
    return experiment_lines(
        brief.experiments,
        space=protocol.space,
        objectives=protocol.objectives,
        near=near,
        told=brief.steps[-STEPS:],
    )


def observation_lines(brief: Brief) -> list[str]:
    """The last result: its outcome in words, then its data."""
    observation = brief.observation
    if not observation:
        return []
    first = str(
        observation.get("outcome") or observation.get("summary") or observation.get("error_message") or ""
    )
    told = [step.outcome for step in brief.steps[-1:]]
    lines = [first] if first and first not in told else []
    return lines + [
        line for line in data_lines(observation.get("data", {})) if not _is_said(line, [first, *told])
    ]


def _is_said(line: str, sentences: Sequence[str]) -> bool:
    """Return True when ``line`` is ``name: value`` and a sentence says just that value of that name."""
    name, colon, value = line.partition(": ")
    return line in sentences or any(bool(colon) and f"{name} {value} " in f"{text} " for text in sentences)


def data_lines(value: Any, name: str = "") -> list[str]:
    """Return JSON as lines, one for each leaf that is short, so that it can be cut at line ends."""
    prefix = f"{name}: " if name else ""
    if isinstance(value, str):
        lines = value.splitlines() or [""]
        return [f"{prefix}{lines[0]}", *lines[1:]] if value else []
    if isinstance(value, dict):
        flat = json.dumps(value, ensure_ascii=False)
        if name and len(flat) <= 100:
            return [f"{prefix}{flat}"]
        return [
            line
            for key, part in value.items()
            for line in data_lines(part, f"{name}.{key}" if name else str(key))
        ]
    if isinstance(value, list):
        flat = json.dumps(value, ensure_ascii=False)
        if len(flat) <= 200:
            return [f"{prefix}{flat}"]
        return [prefix.rstrip(), *(json.dumps(part, ensure_ascii=False) for part in value)]
    return [f"{prefix}{value_text(value)}"]


def guidance_lines(brief: Brief) -> list[str]:
    """What people said, newest first."""
    return [flat(item.text) for item in sorted(brief.guidance, key=lambda item: -item.seq)]


def veto_lines(brief: Brief) -> list[str]:
    """What people refused and why, newest first."""
    return [_veto(veto, brief) for veto in reversed(brief.vetoes)]


def _veto(veto: Veto, brief: Brief) -> str:
    why = ": ".join(part for part in (veto.reason_code.replace("_", " "), veto.text) if part)
    action = action_text(veto.action, brief)
    return flat(f"{action}: {why}") if why else action


def refusal_lines(brief: Brief) -> list[str]:
    """Why earlier proposals of this round were not accepted, newest first."""
    return [flat(refusal) for refusal in reversed(brief.refusals) if refusal]


def budget_lines(brief: Brief) -> list[str]:
    """What is left of each limit that presses, in words: figures would change the prompt at every step."""
    left = {name: 1.0 - share for name, share in shares(brief.budget, brief.spent).items()}
    words = {
        name: next((word for bound, word in _SHARES if share > bound), "none") for name, share in left.items()
    }
    pressing = [f"{name} {word}" for name, word in words.items() if word != "most"]
    return [", ".join(pressing)] if pressing else []
