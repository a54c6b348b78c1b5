"""How the run was made: who started it, what proposed, what policy let through."""

from django.utils.translation import gettext as _

from agents.core.budget import Budget
from reviews.exports.blocks import Cell, Facts, Section, Table
from reviews.exports.parts.wording import NOTHING, moment, rounds_text
from reviews.exports.record import Record
from reviews.present import words
from reviews.present.figures import number, span


def making(record: Record) -> Section:
    """Return who, when, with which reasoner, model, policy and budget."""
    run = record.run
    created = next((entry.payload for entry in record.of("run.created")), {})
    models = sorted({entry.payload["model"] for entry in record.of("model.called")})
    rows: list[tuple[str, Cell]] = [
        (_("Started by"), f"{created.get('by', NOTHING)}, {moment(run.created_at)}"),
        (_("Ended"), moment(run.ended_at)),
        (_("State"), str(words.word("run", run.status).label)),
        (_("Reasoner"), str(words.REASONERS.get(run.reasoner, (run.reasoner,))[0])),
        (_("Language model"), ", ".join(models) or _("none")),
        (_("Policy"), str(words.POLICIES.get(run.policy, (run.policy,))[0])),
        (_("Let through by policy"), _passed(record)),
        (_("Budget at the start"), _limits(Budget.model_validate(created.get("budget") or {}))),
        (_("Seed"), str(record.protocol.seed)),
    ]
    if run.parent is not None:
        rows.append((_("Forked from"), _("run %(number)s") % {"number": run.parent.number}))
    return Section(_("How it was made"), [Facts(rows)])


def _passed(record: Record) -> str:
    passed = record.of("gate.passed")
    if not passed:
        return _("nothing")
    rounds = rounds_text([entry.round for entry in passed])
    return _("%(count)s gates (rounds %(rounds)s)") % {"count": number(len(passed)), "rounds": rounds}


def _limits(budget: Budget) -> str:
    given = budget.model_dump(exclude_none=True)
    return ", ".join(f"{number(limit)} {words.BUDGET[name]}" for name, limit in given.items()) or _(
        "no limit"
    )


def identity(record: Record) -> Section:
    """Return what ties this file to the run's log, so that a later copy can be held against it."""
    run = record.run
    rows: list[tuple[str, Cell]] = [
        (_("Study"), f"{record.run.study.slug} ({run.study_id})"),
        (_("Run"), f"{run.number} ({run.pk})"),
        (
            _("Log"),
            _("%(seq)s events, the last at %(at)s") % {"seq": run.seq, "at": moment(run.last_event_at)},
        ),
        (_("Chain value of the last event"), run.head or NOTHING),
        (_("Digest of the protocol"), run.config_digest),
        (_("Graph version"), run.graph_version),
    ]
    return Section(_("Record"), [Facts(rows)])


def spending(record: Record) -> Section:
    """Return what was used of each limit, and the calls of language models."""
    spent, budget = record.run.spent, record.protocol.budget
    used: list[list[Cell]] = []
    for name, label in words.SPENT.items():
        limit = getattr(budget, name)
        show = span if name == "seconds" else number
        used.append([str(label), show(spent.get(name, 0)), _("no limit") if limit is None else show(limit)])
    blocks = [Table([_("Limit"), _("Used"), _("At most")], used, numeric=frozenset({1, 2}))]
    calls = _calls(record)
    if calls:
        columns = [_("Role"), _("Model"), _("Calls"), _("Prompt tokens"), _("of them cached")]
        columns += [_("Reply tokens"), _("Money")]
        columns += [_("Unusable replies")]
        blocks.append(Table(columns, calls, numeric=frozenset(range(2, 8))))
    return Section(_("Budget used"), [*blocks])


def _calls(record: Record) -> list[list[Cell]]:
    sums: dict[tuple[str, str], list[float]] = {}
    for entry in record.of("model.called"):
        call = entry.payload
        row = sums.setdefault((call["role"], call["model"]), [0.0] * 6)
        more = [1, call["prompt_tokens"], call.get("cached_tokens", 0), call["completion_tokens"]]
        for place, value in enumerate([*more, call.get("money", 0.0), int(bool(call.get("fault")))]):
            row[place] += value
    return [[role, model, *map(number, row)] for (role, model), row in sorted(sums.items())]
