"""Filing a filled table: each row that holds answers its task by a decision of its own, the others wait on."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from agents.core.errors import BadInput, Conflict, DaybookError, Refused, Unconfirmed
from agents.models import Gate
from agents.services import prepare_answer
from agents.services.gates import action_of
from reviews.bench.filled import Entry, Filled, Problem, entry_of, read_filled
from reviews.bench.table import Shape, digest_cell, shape_of
from reviews.bench.tasks import is_bench
from reviews.models import Role
from reviews.permissions import User, require, studies_of
from reviews.services import decide

CHANNEL = "table"


@dataclass
class Outcome:
    """What became of a row: ``ready``, ``filed``, ``already`` filed before, ``empty`` (waits on) or ``refused``."""

    row: int
    state: str
    title: str = ""
    task: str = ""
    problems: list[Problem] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)


def import_filled(content: bytes, *, name: str, user: Any, dry: bool = False) -> list[Outcome]:
    """File the rows of a filled table as ``user`` and return what became of each.

    Every row is judged by itself. The same table again changes nothing. ``dry`` only checks: nothing is
    written. Raises ``BadInput`` when the file as a whole is not such a table.
    """
    rows = read_filled(content, name=name)
    gates = _gates(rows, user)
    shapes: dict[Any, Shape] = {}
    seen: dict[str, int] = {}
    outcomes = []
    for row in rows:
        task = row.text("task").lower()
        gate = gates.get(task)
        if gate is None:
            told = _("no task with this id waits for you; keep the id as it was in the table")
            outcomes.append(Outcome(row.number, "refused", task=task, problems=[("task", told)]))
            continue
        shape = shapes.setdefault(gate.run_id, shape_of(gate.run))
        outcome = Outcome(row.number, "refused", title=gate.request["title"], task=task)
        entry = _entry(row, gate, shape, seen)
        _judge(outcome, entry, gate, user, dry=dry)
        outcomes.append(outcome)
    return outcomes


def _gates(rows: list[Filled], user: User) -> dict[str, Gate]:
    """Return the tasks that the rows name and that exist for ``user``, in one query."""
    ids = [found for row in rows if (found := _uuid(row.text("task"))) is not None]
    gates = Gate.objects.filter(pk__in=ids, run__study__in=studies_of(user))
    return {str(gate.pk): gate for gate in gates.select_related("run__study", "review") if is_bench(gate)}


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _entry(row: Filled, gate: Gate, shape: Shape, seen: dict[str, int]) -> Entry:
    action = action_of(gate)
    entry = entry_of(row, shape, action.arguments if action else {})
    if row.text("digest") != digest_cell(gate.digest):
        told = _("the plan of this task is not the one that was printed here; download the table again")
        entry.problems.append(("digest", told))
    if entry.is_empty:
        return entry
    first = seen.setdefault(str(gate.pk), row.number)
    if first != row.number:
        told = _("row %(row)s enters the same task; keep one of them") % {"row": first}
        entry.problems.append(("task", told))
    return entry


def _judge(outcome: Outcome, entry: Entry, gate: Gate, user: Any, *, dry: bool) -> None:
    """Check a row, and file it unless ``dry``; a task that is answered already is only compared."""
    outcome.problems, outcome.result = entry.problems, entry.result
    if entry.problems:
        return
    if entry.is_empty:
        outcome.state = "empty"
        return
    is_open = gate.status == Gate.Status.OPEN
    given: dict[str, Any] = {"result": entry.result, "is_confirmed": entry.is_confirmed}
    try:
        require(user, gate.run.study, Role.RESEARCHER)
        if dry and is_open:
            prepare_answer(gate, verdict="answer", by=user.get_username(), **given)
            outcome.state = "ready"
            return
        decide(
            gate=gate,
            user=user,
            verdict="answer",
            shown_digest=gate.digest,
            channel=CHANNEL,
            **given,
        )
        outcome.state = "filed" if is_open else "already"
    except BadInput as fault:
        told = [(_column(p.get("field", "")), _message(p)) for p in fault.problems]
        outcome.problems = told or [("", str(fault))]
        if isinstance(fault, Unconfirmed):
            how = _("correct it, or write yes here if it was really so")
            outcome.problems.append(("really_so", how))
    except (Conflict, Refused) as fault:
        outcome.problems = [("task", str(fault))]
    except DaybookError as fault:
        outcome.problems = [("", str(fault))]


def _message(problem: dict[str, Any]) -> str:
    """Return what is wrong, without the field's own name: the column stands beside it."""
    return str(problem.get("message", "")).removeprefix(f"field {problem.get('field', '')}: ")


def _column(name: str) -> str:
    """Return the column that a field of the result stands in."""
    path = name.split("[")[0].split(".")
    if path[0] == "measurements" and len(path) > 2:
        return f"{'.'.join(path[1:-1])}_{path[-1]}"
    if path[0] == "measurements" and len(path) == 2:
        return f"{path[1]}_value"
    if path[0] == "actual" and len(path) > 1:
        return f"actual_{'.'.join(path[1:])}"
    return "outcome" if path[0] == "status" else name
