"""The card of a list: every step to be read, edited or left out, without JavaScript, and checked as a whole."""

import pytest
from django.urls import reverse

from agents.core.canonical import digest_of
from agents.core.tools import Action
from agents.core.workflow import Item, workflow_of
from reviews.models import Decision
from tests.commands.console import say
from tests.reviews.views.conftest import PROPOSAL, waiting_gate

LIST = workflow_of(
    [
        Item(step=1, tool="name_to_smiles", arguments={"name": "aspirin"}),
        Item(step=2, tool="calculate_descriptors", arguments={"smiles": "$1.smiles"}),
        Item(step=3, tool="convert_units", arguments={"value": 300, "from_unit": "K", "to_unit": "°C"}),
    ]
)
TYPED = {
    "hypothesis": "KOAc is enough",
    "keep.1": "on",
    "keep.2": "on",
    "keep.3": "on",
    "arg.1.name": "aspirin",
    "arg.2.smiles": "$1.smiles",
    "arg.3.value": "300",
    "arg.3.from_unit": "K",
    "arg.3.to_unit": "°C",
    "note": "",
}


@pytest.fixture
def gate(lab):
    """A list that waits for review; its first value would be a script."""
    proposal = {**PROPOSAL, "action": LIST.model_dump(mode="json"), "prediction": None}
    digest = digest_of(LIST.model_dump(mode="json"))
    lab.run.status = "finished"
    lab.run.save()
    return waiting_gate(lab.study, content={"proposal": proposal}, digest=digest, title="3 actions")


def edit(lab, gate, **changes):
    data = {**TYPED, "verdict": "edit", "digest": gate.digest, **changes}
    typed = {name: value for name, value in data.items() if value is not None}
    return lab.reviewer.post(reverse("review-decide", args=[gate.pk]), typed)


def test_the_card_shows_every_step_with_what_it_uses(lab, gate):
    page = lab.viewer.get(reverse("review", args=[gate.pk])).content.decode()
    for shown in ("name_to_smiles", "$1.smiles", "uses step 1", "300", "3 actions"):
        assert shown in page
    assert "do=measure" not in lab.reviewer.get(reverse("review", args=[gate.pk])).content.decode()


def test_the_form_has_the_fields_of_every_step_and_a_reference_is_text(lab, gate):
    form = lab.reviewer.get(reverse("review", args=[gate.pk]), {"do": "edit"}).context["form"]
    assert [[field.name for field in step.fields] for step in form.steps()][:2] == [
        ["arg.1.name"],
        ["arg.2.smiles"],
    ]
    assert form["arg.2.smiles"].value() == "$1.smiles"
    assert form["keep.1"].value() is True


def test_one_step_edited_one_left_out_and_each_has_its_decision(lab, gate):
    assert edit(lab, gate, **{"arg.1.name": "caffeine", "keep.3": None}).status_code == 302
    decision = Decision.objects.get()
    assert [item["verdict"] for item in decision.answer["items"]] == ["edit", "approve", "leave_out"]
    page = lab.viewer.get(reverse("review", args=[gate.pk])).content.decode()
    assert "1 name_to_smiles · name" in page
    assert "left out" in page


@pytest.mark.parametrize(
    ("changes", "said_there"),
    [
        ({"keep.1": None}, "there is no step 1 before it"),
        ({"arg.2.smiles": "C1CC"}, "a structure as SMILES"),
        ({"arg.3.value": "much"}, "Enter a number"),
        ({"keep.1": None, "keep.2": None, "keep.3": None}, "Every step is left out"),
    ],
)
def test_a_bad_edit_is_answered_and_decides_nothing(lab, gate, changes, said_there):
    answer = edit(lab, gate, **changes)
    assert answer.status_code == 422
    assert said_there in answer.content.decode()
    assert not Decision.objects.exists()


def test_what_stands_in_a_step_that_is_left_out_need_not_be_right(lab, gate):
    assert edit(lab, gate, **{"keep.3": None, "arg.3.value": "much"}).status_code == 302


def test_the_command_line_shows_and_edits_a_list(lab, gate):
    owner = ("--user", "owner")
    shown = say("review", "show", str(gate.pk), *owner)
    assert "2  Calculate descriptors (calculate_descriptors)  (uses step 1)" in shown
    say("review", "edit", str(gate.pk), "--set", "1.name=caffeine", "--leave-out", "3", *owner)
    executed = Action.model_validate(Decision.objects.get().answer["action"])
    assert [item["arguments"] for item in executed.arguments["items"]] == [
        {"name": "caffeine"},
        {"smiles": "$1.smiles"},
    ]
