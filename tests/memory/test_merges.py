"""A thousand merges: an oracle loses nothing, a careless model is told on, and any order gives the same store."""

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.core.findings import Finding
from agents.core.memory import apply_operation, checked
from agents.core.proposal import MemoryOperation

ROUNDS = 1000


def value_of(round: int) -> str:
    return f"{round}.{random.Random(round).randint(1000, 9999)}7"


def record_of(round: int) -> str:
    return f"measure(dose={round}) → yield {value_of(round)} %"


def merged(store: dict[str, Finding], operation: MemoryOperation, round: int) -> Finding:
    found = apply_operation(
        [each for each in store.values() if each.status == "active"],
        operation,
        new_id=f"F{len(store) + 1}",
        study_id="s",
        run_id="r",
        round=round,
    )
    if operation.op in ("add", "revise"):
        found = checked(found, [record_of(number) for number in operation.evidence or [round]])
    store[found.id] = found
    return found


def test_an_oracle_loses_none_of_a_thousand():
    store: dict[str, Finding] = {}
    for round in range(1, ROUNDS + 1):
        merged(
            store,
            MemoryOperation(op="add", text=f"round {round} gave {value_of(round)} %", evidence=[round]),
            round,
        )

    assert [value_of(round) in store[f"F{round}"].text for round in range(1, ROUNDS + 1)].count(False) == 0
    assert [each.id for each in store.values() if each.unverified] == []
    assert all(store[f"F{round}"].evidence[0]["round"] == round for round in range(1, ROUNDS + 1))


FAULTS = {
    "swaps the unit": lambda round: f"round {round} gave {value_of(round)} K",
    "rounds": lambda round: f"the yield was {float(value_of(round)):.2f} %",
    "invents": lambda round: f"the yield was {round + 3000}.5 %",
    "mixes up rounds": lambda round: f"the yield was {value_of(round + 1)} %",
}


def test_every_planted_error_of_a_careless_model_is_reported_and_nothing_else():
    store: dict[str, Finding] = {}
    dice = random.Random(4)
    planted = set()
    for round in range(1, ROUNDS + 1):
        text = f"the yield was {value_of(round)} %"
        if dice.random() < 0.3:
            text = dice.choice(list(FAULTS.values()))(round)
            planted.add(round)
        found = merged(store, MemoryOperation(op="add", text=text, evidence=[round]), round)
        assert bool(found.unverified) == (round in planted), text
        assert found.confidence == (0.5 if round in planted else 0.667)

    assert len(planted) > 250


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_revision_cannot_smuggle_a_number_in(fault):
    store: dict[str, Finding] = {}
    merged(store, MemoryOperation(op="add", text=f"the yield was {value_of(500)} %", evidence=[500]), 500)
    revised = merged(store, MemoryOperation(op="revise", finding="F1", text=fault(500), evidence=[500]), 501)
    assert revised.unverified
    mended = merged(
        store,
        MemoryOperation(op="revise", finding="F1", text=f"it was {value_of(500)} %", evidence=[500]),
        502,
    )
    assert mended.unverified == []


claims = st.lists(
    st.sampled_from(["heat helps", "Heat  helps", "stirring helps", "water hurts"]), max_size=30
)


@given(claims, st.randoms())
@settings(max_examples=100)
def test_the_order_of_merges_does_not_change_what_is_known(texts, dice):
    def known(order):
        store: dict[str, Finding] = {}
        for text in order:
            merged(store, MemoryOperation(op="add", text=text, evidence=[1]), 1)
        return {(" ".join(f.text.split()).casefold(), f.support, f.confidence) for f in store.values()}

    shuffled = list(texts)
    dice.shuffle(shuffled)
    assert known(texts) == known(shuffled)


operations = st.lists(
    st.tuples(st.sampled_from(["add", "support", "revise", "contradict", "retire"]), st.integers(1, 6)),
    max_size=40,
)


@given(operations)
@settings(max_examples=100)
def test_replaying_the_operations_gives_the_same_store_and_never_fewer_findings(steps):
    def played():
        store: dict[str, Finding] = {}
        counts = []
        for round, (op, number) in enumerate(steps, start=1):
            operation = MemoryOperation(op=op, finding=f"F{number}", text=f"claim {number}", evidence=[round])
            with contextlib.suppress(ValueError):  # a finding that is not there changes nothing
                merged(store, operation, round)
            counts.append(len(store))
        assert counts == sorted(counts)
        return store

    assert played() == played()
