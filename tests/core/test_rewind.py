"""The engine's state at an earlier point, folded from the log."""

from agents.core.rewind import Fact, findings_at, state_at

ACTION = {"tool": "weigh", "arguments": {"dose": 1}}


def fact(kind: str, round: int | None = None, **payload) -> Fact:
    return Fact(kind=kind, round=round, payload=payload)


def a_round(number: int, outcome: str = "mass 0.1 g") -> list[Fact]:
    return [
        fact("proposal.made", number, proposal={"hypothesis": {"text": f"h{number}"}}),
        fact("effect.finished", number, key=f"{number}/act/weigh", result={"data": {"mass": 0.1}}),
        fact("round.completed", number, action=ACTION, outcome=outcome, stance="for"),
    ]


START = [
    fact("digest.filed", goal="find it", constraints=[{"id": "C1"}], documents=[], hypothesis={"text": "h0"})
]


def test_before_the_first_round_there_is_what_the_digest_gave():
    state = state_at(START)
    assert (state["overall_goal"], state["hypothesis"], state["completed_steps"]) == (
        "find it",
        {"text": "h0"},
        [],
    )


def test_after_a_round_there_is_its_step_and_its_result():
    state = state_at([*START, *a_round(1)])
    assert state["completed_steps"] == [
        {"round": 1, "stance": "for", "action": ACTION, "outcome": "mass 0.1 g"}
    ]
    assert state["observation"]["data"] == {"mass": 0.1}
    assert (state["current_step"], state["working_memory"]) == (1, ["round 1: mass 0.1 g"])


def test_a_result_that_a_person_gave_is_kept_too():
    by_hand = fact("review.decided", 1, result={"mass": 0.7})
    state = state_at([*START, by_hand, fact("round.completed", 1, action=ACTION, outcome="mass 0.7 g")])
    assert state["observation"]["data"] == {"mass": 0.7}


def test_the_state_is_as_small_late_as_early():
    state = state_at([*START, *(event for number in range(1, 30) for event in a_round(number))])
    assert [step["round"] for step in state["completed_steps"]] == [25, 26, 27, 28, 29]
    assert len(state["working_memory"]) == 3


def test_findings_stand_as_they_stood_then():
    def finding(kind, number, **fields):
        row = {"id": f"id{number}", "number": number, "status": "active", "text": "t", **fields}
        return fact(kind, 1, finding=row, reason="")

    facts = [
        finding("finding.added", 2),
        finding("finding.added", 1),
        finding("finding.changed", 2, text="revised"),
        finding("finding.added", 3, status="vetoed"),
        finding("finding.changed", 1, status="superseded"),
    ]
    assert [(row["number"], row["text"], row["status"]) for row in findings_at(facts)] == [
        (2, "revised", "active"),
        (3, "t", "vetoed"),
    ]
