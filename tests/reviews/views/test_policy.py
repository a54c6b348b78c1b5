"""The policy's pages: rules by form, order, presets, what would have been asked, remembered approvals."""

import pytest
from django.urls import reverse

from agents.core.policy import PolicyTable, Rule
from agents.models import Gate, PolicyVersion, RememberedApproval
from agents.services import current_policy, pause_run, set_policy
from reviews.models import Decision
from reviews.present.policy import changes_between

RULE = {"gate": "proposal", "then": "allow", "role": "reviewer", "on_deadline": "escalate"}


def rules_of(study):
    study.refresh_from_db()
    return current_policy(study).rules


def add(lab, number: int = 0, **fields):
    return lab.owner.post(
        reverse("policy-rule", args=[lab.study.slug, number]), {**RULE, "base": 0, **fields}
    )


def test_a_rule_is_added_with_every_condition_that_was_typed(lab):
    answer = add(
        lab,
        tool="ask_researcher",
        arguments="temperature > 80; base in KOAc, CsOPiv",
        risk=["medium", "high"],
        confidence_below="60",
        is_reversible="no",
        then="second",
        deadline_hours="4",
        on_deadline="veto",
        note="hot",
    )
    assert answer.status_code == 302
    (rule,) = rules_of(lab.study)
    assert (rule.then, rule.deadline_hours, rule.on_deadline) == ("second", 4, "veto")
    assert (rule.confidence_below, rule.is_reversible, rule.risk) == (0.6, False, ["medium", "high"])
    page = lab.owner.get(reverse("study-policy", args=[lab.study.slug])).content.decode()
    for words in (
        "temperature &gt; 80; base in KOAc, CsOPiv",
        "60 % sure",
        "Two people decide",
        "it is vetoed",
        "hot",
    ):
        assert words in page


def test_the_form_of_a_rule_shows_it_as_it_is(lab):
    add(lab, tool="ask_researcher", arguments="temperature > 80", share_from="50", is_first_use="yes")
    page = lab.owner.get(reverse("policy-rule", args=[lab.study.slug, 1])).content.decode()
    assert 'value="temperature &gt; 80"' in page
    assert 'value="50.0"' in page
    assert page.count("selected") >= 3


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"tool": "ask_researcher", "arguments": "hot"}, "is no condition"),
        ({"arguments": "temperature > 80"}, "need a tool"),
        ({"tool": "nothing"}, "Select a valid choice"),
        ({"confidence_below": "600"}, "less than or equal to 100"),
        ({"then": "approve"}, "Select a valid choice"),
    ],
)
def test_what_is_no_rule_comes_back_with_what_is_wrong(lab, fields, told):
    answer = add(lab, **fields)
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert not PolicyVersion.objects.exists()


def test_rules_are_moved_and_removed(lab):
    for tool in ("ask_researcher", "convert_units"):
        study = lab.study
        set_policy(study, PolicyTable(rules=[*rules_of(study), Rule(tool=tool)]), by="o")

    def verb(name: str, rule: int):
        base = current_policy(lab.study).version
        return lab.owner.post(
            reverse("policy-verb", args=[lab.study.slug, name]), {"rule": rule, "base": base}
        )

    verb("up", 2)
    assert [rule.tool for rule in rules_of(lab.study)] == ["convert_units", "ask_researcher"]
    verb("down", 1)
    assert [rule.tool for rule in rules_of(lab.study)] == ["ask_researcher", "convert_units"]
    verb("remove", 1)
    assert [rule.tool for rule in rules_of(lab.study)] == ["convert_units"]
    assert verb("remove", 9).status_code == 422


def test_a_change_on_an_old_version_is_refused(lab):
    set_policy(lab.study, PolicyTable(rules=[Rule(then="allow")]), by="o")
    answer = add(lab)
    assert answer.status_code == 409 or "changed while you were reading" in answer.content.decode()
    assert len(rules_of(lab.study)) == 1


def test_a_researcher_does_not_take_the_owners_rules_away(lab):
    set_policy(lab.study, PolicyTable(rules=[Rule(then="second")]), by="o")
    fields = {"policy": "auto", "reasoner": "optimiser", "language": "en"}
    answer = lab.clients["researcher"].post(reverse("setup-part", args=[lab.study.slug, "way"]), fields)
    assert answer.status_code == 403
    lab.study.refresh_from_db()
    assert lab.study.policy == "custom"


def test_past_runs_are_shown_by_run_and_by_round(lab):
    page = lab.viewer.get(
        reverse("policy-would-ask", args=[lab.study.slug]), {"policy": "auto"}
    ).content.decode()
    assert "Measure KOAc at 80 °C" in page
    assert "1 of 1 asked" in page
    assert lab.viewer.get(reverse("policy-would-ask", args=[lab.study.slug]), {"run": "9"}).status_code == 404


def test_the_card_says_why_people_are_asked(lab):
    page = lab.viewer.get(reverse("review", args=[lab.gate.pk])).content.decode()
    assert "Only a person" in page or "does not know this tool" in page or "No rule of the policy" in page


def remember(lab, **fields):
    given = {"digest": lab.gate.digest, "scope": "same", **fields}
    return lab.reviewer.post(reverse("review-remember", args=[lab.gate.pk]), given)


def test_an_approval_is_given_and_remembered_at_once(lab):
    assert remember(lab, rounds="3", note="routine").status_code == 302
    row = RememberedApproval.objects.get()
    assert (row.tool, row.until_round, row.by) == ("ask_researcher", 4, "reviewer")
    assert [(c["name"], c["values"]) for c in row.clauses] == [("base", ["KOAc"]), ("temperature", [80])]
    assert Decision.objects.get().verdict == "approve"
    page = lab.viewer.get(reverse("run-policy", args=[lab.run.pk])).content.decode()
    assert "used 0 times" in page
    assert "until round 4" in page
    assert "Revoke" not in page
    lab.reviewer.post(reverse("approval-revoke", args=[row.pk]))
    row.refresh_from_db()
    assert row.revoked_by == "reviewer"


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"scope": "predicate", "predicate": "temperature <"}, 422, "is no condition"),
        (
            {"scope": "predicate", "predicate": "temperature > 80"},
            422,
            "does not hold for what you are approving",
        ),
        ({"scope": "predicate"}, 422, "Write the condition"),
        ({"digest": "0" * 64}, 409, "changed while you were reading"),
        ({"rounds": "0"}, 422, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_remembered_approves_nothing_either(lab, fields, status, told):
    answer = remember(lab, **fields)
    assert (answer.status_code, told in answer.content.decode()) == (status, True)
    assert not Decision.objects.exists()
    assert not RememberedApproval.objects.exists()


def test_an_owner_changes_the_policy_of_a_run(lab):
    lab.owner.post(reverse("run-policy-change", args=[lab.run.pk]), {"policy": "auto"})
    lab.run.refresh_from_db()
    assert lab.run.policy == "auto"
    page = lab.viewer.get(reverse("run-policy", args=[lab.run.pk])).content.decode()
    assert "Run unattended" in page


def test_a_deadline_that_nobody_can_meet_is_not_taken(lab):
    answer = add(lab, deadline_hours="0.05", on_deadline="veto")
    assert answer.status_code == 422
    assert "at least 5 minutes" in answer.content.decode()
    set_at = lab.owner.post(
        reverse("policy-verb", args=[lab.study.slug, "deadline"]),
        {"base": 0, "deadline_hours": "0.01", "on_deadline": "veto"},
    )
    assert set_at.status_code == 422
    assert "at least 5 minutes" in set_at.content.decode()
    assert rules_of(lab.study) == []
    assert add(lab, deadline_hours="0.084", on_deadline="veto").status_code == 302


def test_why_a_run_was_paused_stands_on_its_page(lab):
    pause_run(lab.run.pk, by="deadline", why="unanswered")
    Gate.objects.filter(run=lab.run).update(status="decided")
    html = lab.owner.get(reverse("run", args=[lab.run.pk])).content.decode()
    assert html.count("Two reviews in a row went unanswered") == 2


def test_a_run_tells_how_its_studys_policy_differs_now(lab):
    same = lab.owner.get(reverse("run-policy", args=[lab.run.pk])).content.decode()
    assert 'id="since"' not in same
    add(lab, tool="ask_researcher", then="allow", note="known")
    page = lab.owner.get(reverse("run-policy", args=[lab.run.pk]))
    html = page.content.decode()
    assert 'id="since"' in html
    assert "<ins>the tool is ask_researcher: Goes through</ins>" in html
    assert f'href="{reverse("study-policy", args=[lab.study.slug])}"' in html


def test_changes_between_two_tables_are_told_rule_by_rule():
    cool, hot, rest = Rule(tool="cool"), Rule(tool="heat", then="second"), Rule(then="allow")
    old = PolicyTable(rules=[cool, rest])
    new = PolicyTable(rules=[hot, rest], deadline_hours=4, on_deadline="pause")
    found = [(piece.kind, piece.text.partition(":")[0]) for piece in changes_between(old, new)]
    assert found[:3] == [("removed", "the tool is cool"), ("added", "the tool is heat"), ("same", "always")]
    assert found[3][0] == "added"
    assert [piece.kind for piece in changes_between(new, new)] == ["same"] * 3
