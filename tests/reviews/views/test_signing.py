"""Decisions that are signed: in the browser, in a terminal, and what is kept of it."""

import io
import logging

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from agents.core.errors import Refused
from agents.models import Gate, Run
from agents.services import current_policy
from reviews.management import passwords
from reviews.models import Decision, Draft, Opinion, RecordEntry, Signature, SigningTry
from reviews.record import guards
from reviews.record.verifying import read_record
from reviews.services import approve_and_remember, change_rules, use_preset
from reviews.services import decide as take
from reviews.services.decisions import release
from reviews.services.signing import MOST_TRIES, NotSigned, Signing, signed_digest
from tests.commands.console import data, fault, say
from tests.reviews.views.conftest import new_study, proposal_content, waiting_gate

SURE = {"executor": "machine", "effect": "local", "is_reversible": True}
PASSWORD = "correct horse battery"


@pytest.fixture
def signed(lab):
    """Return the lab with a gate of a run whose decisions are signed, and everybody with a password."""
    change_rules(lab.study, user=lab.users["owner"], base=0, change=list, is_signed=True)
    lab.study.refresh_from_db()
    lab.gate = waiting_gate(lab.study)
    lab.run = lab.gate.run
    for user in lab.users.values():
        user.set_password(PASSWORD)
        user.save()
    for name, client in lab.clients.items():
        client.force_login(lab.users[name])
    return lab


def post(client, gate, password=PASSWORD, verdict="approve", meaning="responsible", **more):
    given = {"verdict": verdict, "digest": gate.digest, "note": "as discussed", **more}
    given |= {"sign-meaning": meaning, "sign-password": password}
    return client.post(reverse("review-decide", args=[gate.pk]), given)


def test_the_card_asks_for_the_password_and_a_meaning(signed):
    page = signed.reviewer.get(reverse("review", args=[signed.gate.pk])).content.decode()
    assert 'value="approve"' not in page
    form = signed.reviewer.get(reverse("review", args=[signed.gate.pk]), {"do": "note"}).content.decode()
    assert 'type="password"' in form
    assert "decided as responsible person" in form
    unsigned = waiting_gate(new_study())
    assert "sign-password" not in signed.owner.get(reverse("review", args=[unsigned.pk])).content.decode()


def test_a_signed_decision_has_who_what_and_what_it_means(signed):
    assert post(signed.reviewer, signed.gate).status_code == 302
    signature, decision = Signature.objects.get(), Decision.objects.get()
    assert (signature.by, signature.role, signature.meaning) == ("reviewer", "reviewer", "responsible")
    assert signature.signed_digest == signed_digest(decision, "responsible")
    assert signed_digest(decision, "reviewed") != signature.signed_digest
    assert list(RecordEntry.objects.values_list("kind", flat=True)) == ["decision", "signature"]
    for name, key in (("review", signed.gate.pk), ("run-decisions", signed.run.pk)):
        page = signed.viewer.get(reverse(name, args=[key])).content.decode()
        assert "signed by reviewer: decided as responsible person" in page
    guards.take_down()
    Signature.objects.update(meaning="witnessed")
    assert [each.what for each in read_record(signed.run.pk).faults] == [
        "The signature is not what was written: meaning."
    ]


@pytest.mark.parametrize(
    ("password", "told"), [("wrong", "This is not your password"), ("", "Give your password")]
)
def test_a_wrong_password_is_told_and_loses_nothing(signed, password, told):
    answer = post(signed.reviewer, signed.gate, password)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert told in page
    assert "as discussed" in page
    assert "selected>decided as responsible person" in page
    assert "wrong" not in page.split('type="password"')[1].split(">")[0]
    assert (Decision.objects.count(), Signature.objects.count()) == (0, 0)


def test_passwords_can_be_tried_a_few_times_only(signed):
    for _ in range(MOST_TRIES):
        assert "not your password" in post(signed.reviewer, signed.gate, "guess").content.decode()
    answer = post(signed.reviewer, signed.gate)
    assert answer.status_code == 422
    assert "Too many wrong passwords" in answer.content.decode()
    assert "as discussed" in answer.content.decode()
    assert not Decision.objects.exists()
    assert post(signed.owner, signed.gate).status_code == 302, "the tries are each person's own"


def test_a_right_password_forgets_the_wrong_ones(signed):
    post(signed.reviewer, signed.gate, "guess")
    post(signed.reviewer, signed.gate)
    assert not SigningTry.objects.exists()


def test_the_password_is_in_no_draft_and_no_log(signed, caplog):
    caplog.set_level(logging.DEBUG)
    url = reverse("review-draft", args=[signed.gate.pk])
    signed.reviewer.post(
        url, {"doing": "note", "note": "so far", "sign-password": PASSWORD, "sign-meaning": "reviewed"}
    )
    assert PASSWORD not in str(Draft.objects.get().fields)
    post(signed.reviewer, signed.gate)
    assert PASSWORD not in caplog.text
    assert PASSWORD not in repr(Signing("reviewed", PASSWORD))
    assert PASSWORD not in str(list(Decision.objects.values())) + str(list(Signature.objects.values()))


def test_stopping_waits_for_no_password(signed):
    client, url = signed.reviewer, reverse("review-decide", args=[signed.gate.pk])
    assert client.post(url, {"verdict": "stop", "digest": signed.gate.digest}).status_code == 302
    assert Run.objects.get(pk=signed.run.pk).status == "cancelled"


def test_a_forged_post_without_the_form_decides_nothing(signed):
    url = reverse("review-decide", args=[signed.gate.pk])
    answer = signed.reviewer.post(url, {"verdict": "approve", "digest": signed.gate.digest})
    assert (answer.status_code, Decision.objects.count()) == (422, 0)
    with pytest.raises(NotSigned, match="signed, one by one"):
        take(gate=signed.gate, user=signed.users["owner"], verdict="approve", shown_digest=signed.gate.digest)


def test_each_of_two_signs_what_they_said_themselves(signed):
    from agents.core.policy import Rule

    base = current_policy(signed.study).version
    change_rules(
        signed.study, user=signed.users["owner"], base=base, change=lambda rules: [Rule(then="second")]
    )
    signed.study.refresh_from_db()
    gate = waiting_gate(signed.study, content={**proposal_content(), "warnings": [], **SURE})
    for name in ("reviewer", "owner"):
        fresh = Gate.objects.select_related("run__study", "review").get(pk=gate.pk)
        given = Signing("reviewed", PASSWORD)
        take(gate=fresh, user=signed.users[name], verdict="approve", shown_digest=gate.digest, signing=given)
    assert [row.by for row in Signature.objects.all()] == ["reviewer", "owner"]
    for row in Signature.objects.all():
        assert row.signed_digest == signed_digest(Opinion.objects.get(by=row.by), "reviewed")
    assert read_record(gate.run_id).is_sound


def test_an_approval_is_not_remembered_where_each_is_signed(signed):
    with pytest.raises(Refused, match="each by itself"):
        approve_and_remember(
            gate=signed.gate, user=signed.users["reviewer"], shown_digest=signed.gate.digest, scope="same"
        )


def test_a_preset_changes_who_is_asked_and_not_that_it_is_signed(signed):
    table = use_preset(signed.study, user=signed.users["owner"], name="risky_only")
    assert (table.name, table.is_signed) == ("risky_only", True)


def test_owners_say_on_the_policy_page_that_decisions_are_signed(lab):
    url = reverse("policy-verb", args=[lab.study.slug, "deadline"])
    lab.owner.post(url, {"base": 0, "on_deadline": "escalate", "is_signed": "on"})
    lab.study.refresh_from_db()
    assert current_policy(lab.study).is_signed
    assert lab.reviewer.post(url, {"base": 1, "on_deadline": "escalate"}).status_code == 403


def test_in_a_terminal_the_password_comes_by_the_variable_or_as_a_line(signed, monkeypatch):
    release(gate=signed.gate, user=signed.users["reviewer"])
    words = ("review", "approve", str(signed.gate.pk), "--user", "reviewer")
    assert "signed, one by one" in str(fault(*words))
    monkeypatch.setattr("sys.stdin", io.StringIO("wrong\n"))
    assert "not your password" in str(fault(*words, "--sign"))
    monkeypatch.setenv(passwords.VARIABLE, PASSWORD)
    say(*words, "--sign", "performed")
    assert Signature.objects.get().meaning == "performed"
    kinds = [row["kind"] for row in data("record", "show", str(signed.run.pk))]
    assert kinds == ["decision", "signature"]


def test_a_study_can_be_told_in_a_terminal_that_decisions_are_signed(lab):
    said = say("policy", "set", lab.study.slug, "--signed", "yes", "--user", "owner")
    assert "Decisions are signed" in said
    lab.study.refresh_from_db()
    assert current_policy(lab.study).is_signed


def test_an_account_without_a_password_is_told_what_to_do(signed):
    user = User.objects.get(username="reviewer")
    user.set_unusable_password()
    user.save()
    signed.reviewer.force_login(user)
    assert "an administrator sets one" in post(signed.reviewer, signed.gate).content.decode()
