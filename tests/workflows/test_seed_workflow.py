"""The seed workflow through the real engine and a model over HTTP, with every wrong call on the way."""

import json

import pytest
from django.db import transaction

from agents.models import Effect, Gate
from agents.services import prepare_answer
from agents.services.gates import deliver
from agents.store.results import result_of
from agents.testing.replies import prompt_text
from tests.workflows.conftest import call, finish, say

NAME = call("name_to_smiles", name="aspirin")
DESCRIBE = call("calculate_descriptors", smiles="$1.smiles")
GOOD = say(actions=[NAME, DESCRIBE])
END = finish("Aspirin: 180.16 g/mol, LogP 1.31.")


def results(run) -> dict[str, dict]:
    rows = Effect.objects.filter(run=run, key__contains="/act/").order_by("started_at")
    return {row.key: result_of(row)["data"] for row in rows}


def is_right(run) -> bool:
    found = results(run)["1/act/2/calculate_descriptors"]
    return (round(found["MolWt"], 2), round(found["LogP"], 2)) == (180.16, 1.31)


def decide(run, verdict: str, **fields):
    gate = Gate.objects.get(run=run, status="open")
    answer = prepare_answer(gate, verdict=verdict, by="ana", **fields)
    with transaction.atomic():
        return deliver(gate, answer, shown_digest=gate.digest)


def test_weight_and_logp_of_aspirin_end_to_end_with_a_review(lab):
    run = lab.start([GOOD, END])
    assert run.status == "waiting"
    gate = Gate.objects.get(run=run)
    assert gate.request["title"] == "List of 2 actions: 1 name_to_smiles, 2 calculate_descriptors"
    assert not Effect.objects.filter(run=run, key__contains="/act/").exists()
    decided = decide(run, "approve")
    assert [item["verdict"] for item in decided.answer["items"]] == ["approve", "approve"]
    lab.drive(run)
    assert is_right(run)
    assert len(results(run)) == 2
    # The next prompt holds what came of it.
    assert "180.16" in prompt_text(lab.server.requests[1])


WRONG = {
    "misspelled tool": ([call("name_to_smile", name="aspirin"), DESCRIBE], None),
    "a list as text": (json.dumps([NAME, DESCRIBE]), None),
    "missing field": ([NAME, call("calculate_descriptors")], "field smiles is missing"),
    "invalid SMILES": ([NAME, call("calculate_descriptors", smiles="C1CC")], "a structure as SMILES"),
    "invented tool": ([NAME, call("weigh_molecule", smiles="$1.smiles")], "there is no tool"),
    "invented field of a result": (
        [NAME, call("calculate_descriptors", smiles="$1.structure")],
        "it gives name, smiles, source",
    ),
    "a step that comes later": ([DESCRIBE, NAME], "there is no step 1 before it"),
    "extra field": ([call("name_to_smiles", name="aspirin", mood="good"), DESCRIBE], "mood does not exist"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_on_the_way_is_answered_and_never_run(lab, name):
    actions, told = WRONG[name]
    run = lab.start([say(actions=actions), GOOD, END], policy="auto")
    assert is_right(run)
    assert len(results(run)) == 2
    if told is None:
        assert "could not be used" not in prompt_text(lab.server.requests[1])
    else:
        assert told in prompt_text(lab.server.requests[1])


def test_a_number_as_text_is_read_as_the_number_and_shown_as_changed(lab):
    heat = call("convert_units", value="300", from_unit="K", to_unit="°C")
    run = lab.start([say(actions=[NAME, heat])])
    change = Gate.objects.get(run=run).request["content"]["coercions"][0]
    assert (change["field"], change["received"], change["used"]) == ("2.value", "300", 300)


def test_an_edit_of_a_step_is_checked_as_a_whole_again(lab):
    from agents.core.errors import BadInput

    run = lab.start([GOOD, END])
    gate = Gate.objects.get(run=run)
    first, second = gate.request["content"]["proposal"]["action"]["arguments"]["items"]
    with pytest.raises(BadInput, match="there is no step 1 before it"):
        prepare_answer(gate, verdict="edit", by="ana", arguments={"items": [second]})
    with pytest.raises(BadInput, match="no result of its own"):
        prepare_answer(gate, verdict="answer", by="ana", result={"x": 1})
    edited = {**first, "arguments": {"name": "caffeine"}}
    decided = decide(run, "edit", arguments={"items": [edited, second]})
    assert [item["verdict"] for item in decided.answer["items"]] == ["edit", "approve"]
    lab.drive(run)
    assert round(results(run)["1/act/2/calculate_descriptors"]["MolWt"], 1) == 194.2


def test_a_step_that_is_left_out_does_not_run(lab):
    run = lab.start([say(actions=[NAME, DESCRIBE, call("name_to_smiles", name="caffeine")]), END])
    items = Gate.objects.get(run=run).request["content"]["proposal"]["action"]["arguments"]["items"]
    decided = decide(run, "edit", arguments={"items": items[:2]})
    assert [item["verdict"] for item in decided.answer["items"]] == ["approve", "approve", "leave_out"]
    lab.drive(run)
    assert list(results(run)) == ["1/act/1/name_to_smiles", "1/act/2/calculate_descriptors"]


@pytest.mark.parametrize("tool", ["wait_a_second", "wait_in_a_process"])
def test_eight_tools_of_a_second_in_one_approved_batch_take_under_two_and_a_half(lab, toys, tool):
    batch = say(actions=[call(tool, number=n) for n in range(8)])
    run = lab.start([batch, END])
    decide(run, "approve")
    rows = Effect.objects.filter(run=run, key__contains="/act/")
    lab.drive(run)
    took = max(row.finished_at for row in rows) - min(row.started_at for row in rows)
    assert rows.count() == 8
    assert took.total_seconds() < 2.5
