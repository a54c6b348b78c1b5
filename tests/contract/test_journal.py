"""What the engine may rely on of a journal."""

from contextlib import suppress

import pytest

from agents.core.errors import Conflict, Fenced, OutcomeUnknown, Refused, Stopped
from agents.core.ports import ModelUsage
from agents.core.tools import Action, EffectClass, ToolResult
from tests.support import ACTION, answer_with, do, request_for

KEY = "1/act/weigh"


def once(kit, call=None, *, effect=EffectClass.BLIND, attempt=1, request=None):
    async def weigh():
        return {"mass": 1}

    return do(kit.journal.once, KEY, call or weigh, effect=effect, request=request or ACTION, attempt=attempt)


async def die():
    raise KeyboardInterrupt


def crash_in_effect(kit, effect):
    with pytest.raises(KeyboardInterrupt):
        once(kit, die, effect=effect)
    return kit.crash()


def test_an_event_is_emitted_once_for_its_key(kit):
    for _ in range(2):
        do(kit.journal.emit, "round.started", {}, round=1, key="1/started")
        do(kit.journal.emit, "round.started", {}, round=2)
        kit.store()
    assert kit.log() == [("round.started", "1/started"), ("round.started", None), ("round.started", None)]


def test_what_was_emitted_comes_before_what_is_done_next(kit):
    do(kit.journal.emit, "round.started", {}, round=1, key="1/started")
    once(kit)
    assert [kind for kind, _ in kit.log()] == ["round.started", "effect.started", "effect.finished"]


def test_the_run_keeps_its_id_whoever_drives_it(kit):
    assert kit.journal.run_id
    assert kit.crash().journal.run_id == kit.journal.run_id


def test_an_unknown_kind_is_refused(kit):
    with pytest.raises(ValueError, match="unknown event kind"):
        do(kit.journal.emit, "no.such", {})


def test_a_finished_effect_is_returned(kit):
    assert once(kit) == once(kit, die) == {"mass": 1}
    assert kit.log() == [("effect.started", f"{KEY}/1/started"), ("effect.finished", f"{KEY}/1/finished")]


@pytest.mark.parametrize("effect", [EffectClass.LOCAL, EffectClass.KEYED])
def test_a_started_effect_is_repeated_when_its_class_allows_it(kit, effect):
    kit = crash_in_effect(kit, effect)
    assert once(kit, effect=effect) == {"mass": 1}


def test_a_started_blind_effect_is_asked_about(kit):
    kit = crash_in_effect(kit, EffectClass.BLIND)
    with pytest.raises(OutcomeUnknown) as unknown:
        once(kit)
    assert (unknown.value.key, unknown.value.attempt) == (KEY, 1)
    assert kit.log()[-1] == ("effect.unknown", f"{KEY}/1/unknown")


def test_a_settled_effect_that_happened_is_returned(kit):
    kit = crash_in_effect(kit, EffectClass.BLIND)
    do(kit.journal.settle, KEY, 1, {"mass": 2})
    assert once(kit, die) == {"mass": 2}


def test_a_settled_effect_that_did_not_happen_needs_a_new_attempt(kit):
    kit = crash_in_effect(kit, EffectClass.BLIND)
    do(kit.journal.settle, KEY, 1, None)
    with pytest.raises(OutcomeUnknown):
        once(kit)
    assert once(kit, attempt=2) == {"mass": 1}


def test_other_arguments_under_a_known_key_are_refused(kit):
    once(kit)
    with pytest.raises(Refused, match="other arguments"):
        once(kit, request={"dose": 6})


def test_a_gate_is_opened_once_and_has_no_answer_until_somebody_gives_it(kit):
    assert do(kit.journal.ask, request_for()) is None
    assert do(kit.journal.ask, request_for()) is None
    assert kit.log() == [("review.opened", "1/review/opened")]


def test_the_answer_of_a_person_is_returned_for_ever(kit):
    do(kit.journal.ask, request_for())
    kit.answer("1/review", answer_with("approve", "ben"))
    kit = kit.crash()
    assert [do(kit.journal.ask, request_for()).by for _ in range(2)] == ["ben", "ben"]


def test_a_gate_has_one_answer(kit):
    do(kit.journal.ask, request_for())
    kit.answer("1/review", answer_with("approve", "ben"))
    with pytest.raises(Conflict, match="ben"):
        kit.answer("1/review", answer_with("veto", "cyd"))


def test_a_policy_answers_what_it_lets_through(make_kit):
    kit = make_kit("auto")
    answer = do(kit.journal.ask, request_for())
    assert (answer.verdict, answer.by, answer.source) == ("approve", "policy", "policy: auto, rule 1")
    assert answer.action.model_dump() == ACTION
    kit.store()
    assert kit.log() == [("gate.passed", "1/review/passed")]


def test_what_must_be_reviewed_passes_no_policy(make_kit):
    kit = make_kit("auto")
    content = {**request_for().content, "force_review": True}
    assert do(kit.journal.ask, request_for(content=content)) is None


def test_guidance_is_heard_in_order_and_after_a_number(kit):
    first, second = kit.guide("heat it"), kit.guide("cool it")
    heard = do(kit.journal.guidance_after, 0)
    assert [(item.seq, item.text, item.by) for item in heard] == [
        (first, "heat it", "ana"),
        (second, "cool it", "ana"),
    ]
    assert [item.text for item in do(kit.journal.guidance_after, first)] == ["cool it"]


def test_a_veto_is_remembered_with_its_reason(kit):
    do(kit.journal.ask, request_for())
    kit.answer("1/review", answer_with("veto", "ben", reason_code="unsafe", note="too hot"))
    (veto,) = do(kit.journal.vetoes)
    assert (veto.round, veto.action.model_dump(), veto.reason_code, veto.text) == (
        1,
        ACTION,
        "unsafe",
        "too hot",
    )


def test_what_a_run_has_used_is_added_up(kit):
    usage = ModelUsage(
        role="reason", model="m", prompt_tokens=100, cached_tokens=40, completion_tokens=20, money=0.5
    )
    do(kit.journal.emit, "round.started", {}, round=1)
    do(kit.journal.charge, usage, round=1)
    do(kit.journal.charge, usage, round=1)
    spent = do(kit.journal.spent)
    assert (spent.rounds, spent.calls, spent.tokens, spent.cached_tokens, spent.money) == (1, 2, 240, 80, 1.0)


def test_the_call_that_uses_up_a_budget_is_recorded_and_is_the_last(kit):
    with pytest.raises(Refused, match="budget"):
        do(kit.journal.charge, ModelUsage(role="reason", model="m", prompt_tokens=500_000), round=1)
    assert do(kit.journal.spent).tokens == 500_000
    kit.store()
    assert do(kit.journal.spent).tokens == 500_000


def test_every_call_of_a_model_is_in_the_log_before_the_next_one_is_paid_for(kit):
    for number in range(1, 4):
        do(kit.journal.charge, ModelUsage(role="reason", model="m", prompt_tokens=1), round=1)
        assert len(kit.log()) >= number - 1
    kit.store()
    assert [kind for kind, _ in kit.log()] == ["model.called"] * 3


@pytest.mark.parametrize("wish", ["stop", "pause"])
def test_a_wish_is_obeyed_before_the_next_effect_and_the_next_gate(kit, wish):
    kit.wish(wish)
    with pytest.raises(Stopped):
        once(kit)
    with pytest.raises(Stopped):
        do(kit.journal.ask, request_for())


def test_only_a_stop_is_heeded_while_a_model_is_silent(kit):
    do(kit.journal.heed_stop)
    kit.wish("pause")
    do(kit.journal.heed_stop)
    kit.wish("stop")
    with pytest.raises(Stopped):
        do(kit.journal.heed_stop)


WRITES = {
    "once": lambda j: do(j.once, KEY, die, effect=EffectClass.LOCAL, request={}),
    "ask": lambda j: do(j.ask, request_for()),
    "settle": lambda j: do(j.settle, KEY, 1, None),
    "think": lambda j: do(j.think, "hm"),
}
NOTES = {
    "emit": lambda j: do(j.emit, "round.started", {}, round=1),
    "charge": lambda j: do(j.charge, ModelUsage(role="reason", model="m"), round=1),
}


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_an_event_of_a_worker_that_lost_its_run_is_not_stored(kit, note):
    kit.lose()
    before = kit.log()
    with suppress(Fenced):
        note(kit.journal)
    with pytest.raises(Fenced):
        kit.store()
    assert kit.log() == before


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_worker_that_lost_its_run_writes_nothing(kit, write):
    kit.lose()
    before = kit.log()
    with pytest.raises(Fenced):
        write(kit.journal)
    assert kit.log() == before


def test_what_a_tool_gave_before_is_found_for_exactly_the_same_call(kit):
    kept = ToolResult(success=True, data={"text": "seen"}, tool="look", version="2")
    action = Action(tool="look", arguments={"page": 1})
    request = action.model_dump(mode="json")

    async def call():
        return kept.model_dump(mode="json")

    do(kit.journal.once, "1/act/look", call, effect=EffectClass.LOCAL, request=request)
    kit.store()
    assert do(kit.journal.earlier, action, version="2").result == kept
    assert do(kit.journal.earlier, action, version="3") is None
    assert do(kit.journal.earlier, Action(tool="look", arguments={"page": 2}), version="2") is None
    assert do(kit.journal.earlier, Action(tool="ook", arguments={"page": 1}), version="2") is None
