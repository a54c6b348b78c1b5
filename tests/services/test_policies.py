"""The policy of studies and runs: versions, what a run carries, remembered approvals, what would have been asked."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from agents import wiring
from agents.core.errors import BadInput, IllegalTransition
from agents.core.gates import GateKind
from agents.core.policy import PolicyTable, Rule, parse_clauses, preset
from agents.models import Event, Gate, PolicyVersion, RememberedApproval, Run
from agents.services import (
    change_run_policy,
    current_policy,
    fork_run,
    remember_approval,
    revoke_approval,
    set_policy,
    stop_run,
    table_from,
    would_ask,
)
from agents.store.gates import ask_gate
from agents.store.log import lock_run
from agents.testing.toolbox import ToyToolbox
from tests.support import do, journal_of, log_of, make_run, make_study, open_gate, request_for, take

pytestmark = pytest.mark.django_db
ALLOW = Rule(then="allow")


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setattr(wiring, "toolbox_for", lambda protocol: ToyToolbox())


def content(dose: float = 5, **changes) -> dict:
    action = {"tool": "weigh", "arguments": {"dose": dose}}
    return {
        "proposal": {"hypothesis": {"text": "more is better"}, "action": action},
        "executor": "machine",
        "effect": "local",
        "is_reversible": True,
        "is_experiment": True,
        **changes,
    }


def asked(run: Run, round: int = 1, **changes) -> Gate:
    """Let the run come to a gate, whoever answers it."""
    with transaction.atomic():
        ask_gate(
            lock_run(run.pk),
            request_for(**{"key": f"{round}/review", "round": round, "content": content(), **changes}),
        )
    return Gate.objects.get(run=run, key=f"{round}/review")


def run_under(*rules: Rule) -> Run:
    study = make_study()
    set_policy(study, PolicyTable(rules=list(rules)), by="ana")
    return make_run(study)


# Versions


def test_each_change_is_a_version_and_the_same_again_is_none():
    study = make_study()
    first = set_policy(study, PolicyTable(rules=[ALLOW]), by="ana")
    again = set_policy(study, PolicyTable(rules=[ALLOW]), by="ben")
    other = set_policy(study, preset("risky_only"), by="ben")
    assert (first.version, again.version, other.version) == (1, 1, 2)
    assert current_policy(study) == other
    assert list(PolicyVersion.objects.values_list("number", "by")) == [(2, "ben"), (1, "ana")]


def test_a_run_keeps_the_version_that_it_started_with():
    study = make_study()
    set_policy(study, PolicyTable(rules=[ALLOW]), by="ana")
    run = make_run(study)
    set_policy(study, preset("every_step"), by="ana")
    assert asked(run).status == "answered"
    assert run.policy_table["version"] == 1
    assert asked(make_run(study)).status == "open"


def test_a_change_in_a_run_applies_from_the_next_gate_on_and_is_logged():
    run = make_run()
    first = asked(run)
    change_run_policy(run.pk, by="ana", policy="auto")
    first.refresh_from_db()
    assert first.status == "open"
    assert asked(run, 2).status == "answered"
    changed = Event.objects.get(run=run, kind="policy.changed").payload
    assert (changed["policy"], changed["was"], changed["by"]) == ("auto", "every_step", "ana")


def test_the_same_policy_again_is_no_change():
    run = make_run()
    change_run_policy(run.pk, by="ana", policy="every_step")
    assert "policy.changed" not in log_of(run)


def test_a_run_that_has_ended_takes_no_policy():
    run = make_run()
    stop_run(run.pk, by="ana")
    with pytest.raises(IllegalTransition):
        change_run_policy(run.pk, by="ana", policy="auto")


def test_a_fork_goes_by_its_parents_rules():
    run = run_under(Rule(tool="weigh", then="second"))
    gate = asked(run)
    assert fork_run(gate, by="ana").policy_table == run.policy_table


@pytest.mark.parametrize("stored", [{"rules": "none"}, {"rules": [{"then": "approve"}]}, {"nonsense": 1}])
def test_a_table_that_cannot_be_read_lets_nothing_through(stored):
    run = make_run(policy="auto")
    Run.objects.filter(pk=run.pk).update(policy_table=stored)
    assert asked(run).status == "open"


def test_a_run_of_an_earlier_release_goes_by_its_presets_name():
    run = make_run(policy="auto")
    Run.objects.filter(pk=run.pk).update(policy_table={})
    assert asked(run).status == "answered"


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Rule(tool="wiegh"), "rule 1, tool: There is no tool 'wiegh' in this study. Did you mean weigh?"),
        (Rule(arguments=parse_clauses("dose > 3")), "rule 1, arguments: Conditions on arguments need a tool"),
        (Rule(gate="finish", then="refuse"), "rule 1, then"),
    ],
)
def test_a_rule_that_could_never_be_judged_is_refused(rule, told):
    with pytest.raises(BadInput, match=told):
        set_policy(make_study(), PolicyTable(rules=[rule]), by="ana")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([{"then": "approve"}], "rule 1, then"),
        ([{}, {"tool": "weigh", "arguments": "dose"}], "rule 2, arguments"),
        ([{"colour": "red"}], "rule 1, colour"),
        ([{"confidence_below": 60}], "rule 1, confidence_below"),
        ("auto", "list of rules"),
        ({"rules": ["allow"]}, "list of objects"),
    ],
)
def test_what_is_no_table_is_refused_by_rule_and_field(given, told):
    with pytest.raises(BadInput, match=told):
        table_from(given)


# What a rule does at the gate


def test_a_refusal_reaches_the_reasoner_and_opens_no_review():
    run = run_under(Rule(tool="weigh", arguments=parse_clauses("dose > 3"), then="refuse", note="too much"))
    gate = asked(run)
    assert (gate.answer["verdict"], gate.answer["note"]) == ("veto", "too much")
    assert gate.answer["source"] == "policy: custom v1, rule 1"
    assert log_of(run)[-1] == "gate.refused"
    vetoes = do(journal_of(take(run)).vetoes)
    assert [veto.text for veto in vetoes] == ["too much"]


def test_the_gate_keeps_why_people_are_asked():
    gate = asked(run_under(Rule(tool="weigh", role="owner", note="dear")))
    assert {name: gate.judgement[name] for name in ("then", "why", "rule", "role", "note")} == {
        "then": "review",
        "why": "rule",
        "rule": 1,
        "role": "owner",
        "note": "dear",
    }


def test_the_first_use_of_a_tool_is_asked_and_the_second_is_not():
    run = run_under(Rule(is_first_use=True), ALLOW)
    first = asked(run)
    Gate.objects.filter(pk=first.pk).update(
        status="answered", answer={"verdict": "approve", "action": content()["proposal"]["action"]}
    )
    assert asked(run, 2).status == "answered"


def test_a_refused_first_use_is_no_use():
    run = run_under(Rule(is_first_use=True), ALLOW)
    first = asked(run)
    Gate.objects.filter(pk=first.pk).update(
        status="answered", answer={"verdict": "veto", "action": content()["proposal"]["action"]}
    )
    assert asked(run, 2).status == "open"


# Remembered approvals


def test_a_remembered_approval_answers_what_it_covers_and_counts_its_uses():
    run = make_run()
    row = remember_approval(run.pk, tool="weigh", by="ana", predicate="dose <= 5")
    gate = asked(run)
    assert (gate.status, gate.answer["by"]) == ("answered", "ana")
    assert gate.answer["source"] == f"remembered: {str(row.pk)[:8]}"
    passed = Event.objects.get(run=run, kind="gate.passed").payload
    assert (passed["remembered"], passed["by"]) == (str(row.pk), "ana")
    row.refresh_from_db()
    assert row.uses == 1


@pytest.mark.parametrize(
    "asking",
    [
        {"content": content(6)},
        {"content": content("5")},
        {"content": content(force_review=True)},
        {"content": content(warnings=["near a limit"])},
        {
            "content": {
                **content(),
                "proposal": {**content()["proposal"], "action": {"tool": "look", "arguments": {"dose": 1}}},
            }
        },
        {"content": {**content(), "executor": None}},
        {"kind": GateKind.RESULT, "content": {"action": content()["proposal"]["action"]}},
    ],
)
def test_it_answers_nothing_else(asking):
    run = make_run()
    remember_approval(run.pk, tool="weigh", by="ana", predicate="dose <= 5")
    assert asked(run, **asking).status == "open"


@pytest.mark.parametrize(
    "rule", [Rule(then="second"), Rule(then="four_eyes"), Rule(role="owner"), Rule(then="refuse")]
)
def test_it_stands_in_for_one_reviewer_and_for_nobody_else(rule):
    run = run_under(rule)
    remember_approval(run.pk, tool="weigh", by="ana")
    gate = asked(run)
    assert gate.status == "open" or gate.answer["verdict"] == "veto"


def test_it_ends_by_the_clock_by_the_round_and_by_a_word():
    run = make_run()
    by_clock = remember_approval(run.pk, tool="weigh", by="ana", until=timezone.now() + timedelta(hours=1))
    RememberedApproval.objects.filter(pk=by_clock.pk).update(until=timezone.now() - timedelta(seconds=1))
    assert asked(run, 1).status == "open"
    remember_approval(run.pk, tool="weigh", by="ana", until_round=2)
    assert asked(run, 2).status == "answered"
    assert asked(run, 3).status == "open"
    by_word = remember_approval(run.pk, tool="weigh", by="ana")
    revoke_approval(by_word.pk, by="ben")
    assert asked(run, 4).status == "open"
    assert Event.objects.get(run=run, kind="approval.revoked").payload["by"] == "ben"


def test_a_fork_remembers_nothing():
    run = make_run()
    gate = asked(run)
    remember_approval(run.pk, tool="weigh", by="ana")
    assert asked(fork_run(gate, by="ana")).status == "open"


def test_a_damaged_predicate_covers_nothing():
    run = make_run()
    row = remember_approval(run.pk, tool="weigh", by="ana")
    RememberedApproval.objects.filter(pk=row.pk).update(clauses=[{"name": "dose"}])
    assert asked(run).status == "open"


@pytest.mark.parametrize("ends", [{"until": timezone.now() - timedelta(hours=1)}, {"until_round": 0}])
def test_an_end_that_is_over_is_refused(ends):
    with pytest.raises(BadInput):
        remember_approval(make_run().pk, tool="weigh", by="ana", **ends)


# What would have been asked


def test_a_past_run_is_judged_by_the_same_rules_round_by_round():
    run = make_run(policy="auto")
    for round in range(1, 7):
        asked(run, round, content=content(round))
    found = would_ask(
        run, PolicyTable(rules=[Rule(tool="weigh", arguments=parse_clauses("dose >= 5")), ALLOW])
    )
    assert [row.judgement.asks for row in found.gates] == [False] * 4 + [True] * 2
    assert (found.was_asked, found.asked, found.totals) == (0, 2, {"allow": 4, "review": 2})
    assert would_ask(run, preset("milestones_5")).asked == 1
    assert would_ask(run, preset("every_step")).asked == 6
    assert would_ask(run, preset("auto")).asked == 0


def test_it_judges_as_the_gate_was_judged():
    run = run_under(Rule(is_first_use=True), Rule(share_step=0.04), Rule(is_new_hypothesis=True), ALLOW)
    for round in range(1, 6):
        with transaction.atomic():
            locked = lock_run(run.pk)
            from agents.store.log import append

            append(locked, "round.started", {}, round=round)
            proposal = {**content()["proposal"], "hypothesis": {"text": f"claim {round // 2}"}}
            append(locked, "proposal.made", {"proposal": proposal}, round=round)
        asked(run, round, content={**content(), "proposal": proposal})
        Gate.objects.filter(run=run, status="open").update(
            status="answered", answer={"verdict": "approve", "action": proposal["action"]}
        )
    from agents.store.policy import table_of

    found = would_ask(run, table_of(run.policy, run.policy_table))
    live = list(Gate.objects.filter(run=run).order_by("round").values_list("judgement", flat=True))
    assert [row.judgement.model_dump(mode="json") for row in found.gates] == live


def test_what_people_vetoed_and_it_would_let_through_is_named():
    run = make_run()
    gate = open_gate(run, content=content())
    Gate.objects.filter(pk=gate.pk).update(status="answered", answer={"verdict": "veto"})
    assert [row.round for row in would_ask(run, preset("auto")).missed] == [1]
    assert would_ask(run, preset("every_step")).missed == []
