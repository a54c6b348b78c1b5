"""``manage.py review``"""

import json

import pytest

from agents.models import Experiment
from reviews.models import Decision, Review, Role
from reviews.services import add_member, decide
from tests.commands.console import data, fault, say
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


@pytest.fixture
def gate():
    run = stories.a_run()
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    stories.wait(run, gate)
    return gate


def decision(gate) -> Decision:
    return Decision.objects.get(review_id=gate.pk)


def test_the_list_shows_what_waits(gate):
    (row,) = data("review", "list")
    assert (row["review"], row["run"], row["kind"]) == (str(gate.pk), "best-base#1", "proposal")
    assert say("review", "list").startswith(str(gate.pk)[:8])


def test_decided_reviews_are_listed_when_asked_for(gate):
    say("review", "approve", str(gate.pk))
    assert data("review", "list") == []
    assert [row["status"] for row in data("review", "list", "--all")] == ["decided"]


def test_the_card_shows_action_prediction_and_how_to_answer(gate):
    said = say("review", "show", str(gate.pk)[:6])
    assert "base = KOAc" in said
    assert "Expects  yield 50 (30 to 70 %)" in said
    assert "approve, edit, answer, veto, stop" in said
    assert data("review", "show", str(gate.pk))["digest"] == gate.digest


def test_an_approval_is_taken_through_the_service_and_says_how(gate):
    said = say("review", "approve", str(gate.pk)[:8], "--note", "go on")
    taken = decision(gate)
    assert (taken.verdict, taken.by, taken.channel, taken.note) == ("approve", "ada", "command line", "go on")
    assert f"digest {gate.digest[:12]}" in said
    assert f"manage.py run --resume {gate.run_id}" in said


def test_what_would_refute_the_hypothesis_is_edited(gate):
    say("review", "edit", str(gate.pk), "--refuted-by", "A yield below 50 %.")
    assert decision(gate).answer["hypothesis"]["refuted_by"] == "A yield below 50 %."


def test_an_edit_is_checked_like_a_proposal(gate):
    said = str(fault("review", "edit", str(gate.pk), "--set", "temperature=115"))
    assert "At most 110 °C." in said
    data("review", "edit", str(gate.pk), "--set", "temperature=100", "--hypothesis", "Hotter is better.")
    answer = decision(gate).answer
    assert answer["hypothesis"]["refuted_by"] == (
        "The yield of the proposed experiment comes out outside 30 to 70 %."
    )
    assert answer["action"]["arguments"] == {"base": "KOAc", "temperature": 100}
    assert answer["hypothesis"]["text"] == "Hotter is better."


def test_a_repeat_passes_only_as_a_declared_replicate(gate):
    planned = {"base": "KOAc", "temperature": 90}
    Experiment.objects.create(study=gate.run.study, key="past/1", planned=planned, conditions_digest="x")
    edit = ("review", "edit", str(gate.pk), "--set", "base=KOAc")
    assert "declare a replicate" in str(fault(*edit))
    assert data(*edit, "--replicate")["verdict"] == "edit"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            [],
            "Nothing to edit: give --set NAME=VALUE, --leave-out STEP, --hypothesis TEXT, --refuted-by TEXT or --replicate.",
        ),
        (["--set", "temperature"], "--set 'temperature': write --set NAME=VALUE."),
        (["--set", "presure=3"], "presure"),
        (["--set", "temperature=hot"], "temperature"),
    ],
)
def test_a_bad_edit_says_what_is_wrong_and_decides_nothing(gate, words, message):
    assert message in str(fault("review", "edit", str(gate.pk), *words))
    assert Decision.objects.count() == 0


def test_a_veto_needs_a_reason_from_the_list(gate):
    assert "--reason" in str(fault("review", "veto", str(gate.pk)))
    assert "'bad'" in str(fault("review", "veto", str(gate.pk), "--reason", "bad"))
    say("review", "veto", str(gate.pk), "--reason", "unsafe", "--note", "boils over")
    assert (decision(gate).reason_code, decision(gate).note) == ("unsafe", "boils over")


@pytest.mark.parametrize(
    ("value", "entered"),
    [
        ("yield=71.2", {"value": 71.2, "status": "ok"}),
        ("yield=71.2±0.8", {"value": 71.2, "uncertainty": 0.8, "status": "ok"}),
        ("yield=71.2 +/- 0.8 %", {"value": 71.2, "uncertainty": 0.8, "status": "ok"}),
        ("yield=71.2 %", {"value": 71.2, "status": "ok"}),
        ("yield=<0.5", {"value": 0.5, "status": "below_detection"}),
        ("yield=abandoned", {"status": "abandoned"}),
    ],
)
def test_a_measurement_is_entered_as_it_is_written_in_a_notebook(gate, value, entered):
    say("review", "answer", str(gate.pk), "--value", value, "--set", "temperature=91.5", "--operator", "bo")
    result = decision(gate).answer["result"]
    measurement = result["measurements"]["yield"]
    assert (measurement.pop("unit", "%"), measurement) == ("%", entered)
    assert (result["actual"], result["operator"]) == ({"temperature": 91.5}, "bo")


def test_a_failed_experiment_needs_no_value(gate):
    say("review", "answer", str(gate.pk), "--status", "failed")
    assert decision(gate).answer["result"]["status"] == "failed"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Nothing to enter"),
        (["--value", "yield=lots"], "yield"),
        (["--value", "yeild=3"], "yeild"),
        (["--value", "yield=300"], "yield"),
        (["--result", "{"], "--result is not JSON"),
        (["--result", "[1]"], "--result holds a list"),
    ],
)
def test_a_bad_measurement_says_what_is_wrong(gate, words, message):
    assert message in str(fault("review", "answer", str(gate.pk), *words))
    assert Decision.objects.count() == 0


def test_the_second_of_two_learns_who_was_first_and_leaves_with_code_2(gate):
    bo = stories.user("bo")
    add_member(study=gate.run.study, user=bo, role=Role.REVIEWER)
    decide(gate=gate, user=bo, verdict="approve", shown_digest=gate.digest)
    error = fault("review", "veto", str(gate.pk), "--reason", "unsafe", "--user", "ada")
    assert error.returncode == 2
    assert str(error).startswith("Already decided by bo at ")


def test_the_same_decision_again_is_a_success(gate):
    say("review", "approve", str(gate.pk))
    say("review", "approve", str(gate.pk))
    assert Decision.objects.count() == 1


def test_another_digest_than_the_one_looked_at_is_a_conflict(gate):
    error = fault("review", "approve", str(gate.pk), "--digest", "0000")
    assert (error.returncode, Decision.objects.count()) == (2, 0)
    assert data("review", "approve", str(gate.pk), "--digest", gate.digest[:8])["verdict"] == "approve"


def test_a_viewer_may_not_decide_and_a_stranger_sees_nothing(gate):
    add_member(study=gate.run.study, user=stories.user("vi"), role=Role.VIEWER)
    stories.user("eve")
    assert "needs the role reviewer" in str(fault("review", "approve", str(gate.pk), "--user", "vi"))
    assert "There is no review" in str(fault("review", "approve", str(gate.pk), "--user", "eve"))
    assert data("review", "list", "--user", "eve") == []


def test_without_an_administrator_several_people_must_say_who_acts(gate):
    stories.user("bo")
    assert str(fault("review", "list")).endswith("Say --user NAME.")
    stories.user("root", is_superuser=True)
    assert len(data("review", "list")) == 1


def test_a_verdict_that_the_gate_does_not_take_is_refused(gate):
    assert str(fault("review", "retry", str(gate.pk))) == (
        "A proposal review takes approve, edit, answer, veto, stop; not retry."
    )


@pytest.mark.parametrize("name", ["zz", "00000000", "not an id"])
def test_an_id_that_is_not_there_is_refused(gate, name):
    assert "manage.py review list --all" in str(fault("review", "show", name))


def test_a_beginning_that_fits_two_names_both():
    run = stories.a_run()
    gates = [
        stories.propose(run, number, {"base": "KOAc", "temperature": 60 + number}) for number in range(1, 18)
    ]
    digits = [str(gate.pk)[0] for gate in gates]
    twice = next(digit for digit in digits if digits.count(digit) > 1)
    assert "is the beginning of more than one review" in str(fault("review", "show", twice))


def test_a_terminal_is_not_sent_control_characters():
    run = stories.a_run(stories.a_study(space={}, objectives=[{"name": "x"}], reasoner="language_model"))
    stories.propose(run, 1, {"task": "a\u202eb"}, expected=None)
    assert "a\\u202eb" in say("review", "list")


def test_stopping_ends_the_run(gate):
    assert json.loads(say("review", "stop", str(gate.pk), "--json"))["run_status"] == "cancelled"


@pytest.fixture
def three(gate):
    gates = [gate]
    for _ in range(2):
        run = stories.a_run(study=gate.run.study)
        gates.append(stories.propose(run, 1, {"base": "KOAc", "temperature": 80}))
        stories.wait(run, gates[-1])
    return gates


def test_what_is_alike_is_listed_and_then_decided_but_what_is_left_out(three):
    listed = data("review", "batch", str(three[0].pk))
    assert {row["review"] for row in listed["reviews"]} == {str(gate.pk) for gate in three}
    assert not Decision.objects.exists()
    shown = data("review", "batch", str(three[0].pk), "--leave-out", str(three[2].pk))
    done = data(
        "review", "batch", str(three[0].pk), "--approve", "--note", "alike",
        "--leave-out", str(three[2].pk), "--digest", shown["digest"][:12],
    )  # fmt: skip
    assert {row["review"] for row in done} == {str(gate.pk) for gate in three[:2]}
    assert {(row.channel, row.note) for row in Decision.objects.all()} == {("command line batch", "alike")}


def test_a_list_that_is_not_what_was_looked_at_is_refused(three):
    shown = data("review", "batch", str(three[0].pk))["digest"]
    say("review", "approve", str(three[1].pk))
    assert "not what you looked at" in str(
        fault("review", "batch", str(three[0].pk), "--approve", "--digest", shown)
    )
    assert "Choose a reason" in str(fault("review", "batch", str(three[0].pk), "--veto"))
    assert Decision.objects.count() == 1


def test_a_passage_is_commented_on(gate):
    said = data("review", "comment", str(gate.pk), "--quote", "Caesium", "--text", "Which salt?")
    assert (said["part"], said["start"], said["quote"]) == ("hypothesis", 0, "Caesium")
    assert "not in that part" in str(
        fault("review", "comment", str(gate.pk), "--quote", "Iron", "--text", "?")
    )


def test_what_lies_outside_the_study_must_be_confirmed(gate):
    words = ("review", "answer", str(gate.pk), "--value", "yield=71", "--set", "temperature=500")
    told = str(fault(*words))
    assert "temperature is 500" in told
    assert "give --really-so" in told
    assert not Decision.objects.exists()
    say(*words, "--really-so")
    assert decision(gate).answer["result"]["actual"] == {"temperature": 500}


def test_two_who_disagree_are_told_so_and_who_decides(gate):
    Review.objects.filter(pk=gate.pk).update(mode="second")
    for name in ("bo", "cy"):
        add_member(study=gate.run.study, user=stories.user(name), role=Role.REVIEWER)
    first = say("review", "approve", str(gate.pk), "--note", "looks safe", "--user", "bo")
    assert "Somebody else must agree" in first
    blind = say("review", "show", str(gate.pk), "--user", "cy")
    assert "looks safe" not in blind
    assert "1 of 2 have answered" in blind
    second = say("review", "veto", str(gate.pk), "--reason", "unsafe", "--note", "hot", "--user", "cy")
    assert "You disagree: bo said approve. An owner who is neither of you decides" in second
    assert "Somebody else must agree" not in second
    shown = say("review", "show", str(gate.pk), "--user", "ada")
    assert "Two people disagree. An owner who is neither of them decides." in shown
    assert "Said by bo: approve. looks safe" in shown
    assert "Said by cy: veto. hot" in shown
