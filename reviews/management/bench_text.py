"""Bench tasks as a terminal and a script read them."""

from typing import Any

from django.utils import timezone

from agents.services.gates import action_of
from reviews.bench.importing import Outcome
from reviews.models import Review


def task_data(review: Review) -> dict[str, Any]:
    """Return a waiting task as plain data."""
    gate = review.gate
    task, draft, action = (
        getattr(gate, "bench_task", None),
        getattr(gate, "bench_draft", None),
        action_of(gate),
    )
    return {
        "review": str(review.pk),
        "title": review.title,
        "study": review.run.study.slug,
        "run": review.run.number,
        "round": gate.round,
        "digest": gate.digest,
        "conditions": action.arguments if action else {},
        "assignee": task.assignee.get_username() if task and task.assignee else "",
        "due": task.due_at.isoformat() if task and task.due_at else "",
        "is_overdue": bool(task and task.is_overdue),
        "instructions": task.instructions if task else "",
        "begun_by": draft.updated_by if draft else "",
        "waiting_since": review.opened_at.isoformat(),
    }


def task_line(review: Review) -> str:
    """Return a waiting task on one line."""
    told = task_data(review)
    task = getattr(review.gate, "bench_task", None)
    parts = [told["review"][:8], f"{told['study']}#{told['run']}", f"round {told['round']}", told["title"]]
    if told["assignee"]:
        parts.append(f"for {told['assignee']}")
    if task and task.due_at:
        word = "OVERDUE since" if task.is_overdue else "due"
        parts.append(f"{word} {timezone.localtime(task.due_at):%Y-%m-%d %H:%M}")
    if told["begun_by"]:
        parts.append(f"begun by {told['begun_by']}")
    return "  ".join(parts)


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Return what became of a row, as plain data."""
    return {
        "row": outcome.row,
        "state": outcome.state,
        "task": outcome.task,
        "problems": [{"column": column, "message": message} for column, message in outcome.problems],
    }


def outcome_lines(outcomes: list[Outcome]) -> list[str]:
    """Return what became of each row, then how many of each."""
    lines = []
    for each in outcomes:
        told = "; ".join(f"{column}: {text}" if column else text for column, text in each.problems)
        lines.append(
            f"row {each.row}: {each.state}  {each.title or each.task}{f'  ({told})' if told else ''}"
        )
    counts: dict[str, int] = {}
    for each in outcomes:
        counts[each.state] = counts.get(each.state, 0) + 1
    return [*lines, ", ".join(f"{count} {state}" for state, count in counts.items())]
