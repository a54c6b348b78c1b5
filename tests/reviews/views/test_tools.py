"""The pages of tools: searching, reading, trying one that changes nothing, the calls of one's own runs."""

import pytest
from django.urls import reverse
from django.utils import timezone

from agents import wiring
from agents.core.tools import EffectClass, ToolSpec
from agents.models import Effect
from agents.tools.tool import Tool

URL = "/tools/calculate_descriptors/"
ASPIRIN = {"arg.smiles": "CC(=O)Oc1ccccc1C(=O)O"}


def test_tools_are_found_by_their_words(lab):
    page = lab.viewer.get(reverse("tools"), {"q": "smiles name"}).content.decode()
    assert "name_to_smiles" in page
    assert "fit_line" not in page
    assert "Nothing found" in lab.viewer.get(reverse("tools"), {"q": "teleport"}).content.decode()


def test_the_form_begins_with_the_example_and_runs_the_tool_at_once(lab):
    page = lab.viewer.get(URL)
    assert page.context["form"]["arg.smiles"].value() == "CC(=O)Oc1ccccc1C(=O)O"
    answer = lab.viewer.post(URL, ASPIRIN)
    assert answer.status_code == 200
    assert "180.15" in answer.content.decode()
    assert not Effect.objects.exists()


@pytest.mark.parametrize(
    ("typed", "said"), [({"arg.smiles": "C1CC"}, "a structure as SMILES"), ({}, "This field is required")]
)
def test_a_wrong_value_is_answered_beside_its_field(lab, typed, said):
    answer = lab.viewer.post(URL, typed)
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_a_fault_of_the_tool_is_shown_as_its_result(lab):
    answer = lab.viewer.post(
        "/tools/find_root/", {"arg.expression": "x**2 + 1", "arg.low": "-1", "arg.high": "1"}
    )
    assert answer.status_code == 200
    assert answer.context["result"].fault == "bad_input"


@pytest.mark.parametrize(
    "changes",
    [
        {"effect": EffectClass.BLIND},
        {"needs_review": True},
        {"cost": 1.0},
        {"risk": "high"},
        {"executor": "person"},
    ],
)
def test_what_is_reviewed_first_cannot_be_tried(lab, monkeypatch, changes):
    called = []
    spec = ToolSpec(**{"name": "odd", "description": "Odd.", "effect": EffectClass.LOCAL, **changes})
    monkeypatch.setitem(wiring.registry().tools, "odd", Tool(spec=spec, run=lambda a: called.append(a) or {}))
    assert "runs only in a study" in lab.owner.get("/tools/odd/").content.decode()
    assert lab.owner.post("/tools/odd/").status_code == 422
    assert not called


def test_recent_calls_are_those_of_ones_own_studies(lab):
    Effect.objects.create(
        run=lab.run,
        key="3/act/2/calculate_descriptors",
        tool="calculate_descriptors",
        effect_class="local",
        epoch=1,
        status="done",
        request={"tool": "calculate_descriptors", "arguments": {"smiles": "CCO"}},
        result={"success": True, "summary": "Ethanol is light.", "cached": True},
        started_at=timezone.now(),
    )
    page = lab.viewer.get(URL).content.decode()
    assert "Ethanol is light." in page
    assert "from an earlier call" in page
    assert "Ethanol is light." not in lab.clients["stranger"].get(URL).content.decode()
