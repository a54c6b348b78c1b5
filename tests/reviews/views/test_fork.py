"""Changing course from a past review, as a person does it."""

from django.urls import reverse

from agents.models import Run


def test_a_fork_puts_the_same_proposal_before_people_and_inherits_no_decision(lab):
    lab.reviewer.post(
        reverse("review-decide", args=[lab.gate.pk]),
        {"verdict": "veto", "digest": lab.gate.digest, "reason_code": "unsafe"},
    )

    answer = lab.owner.post(reverse("review-fork", args=[lab.gate.pk]))

    fork = Run.objects.get(parent=lab.gate.run)
    assert answer.url == reverse("run", args=[fork.pk])
    assert fork.start["proposal"] == lab.gate.request["content"]["proposal"]
    assert fork.gates.count() == 0
    assert [event.kind for event in fork.events.order_by("seq")][:2] == ["run.created", "run.forked"]
