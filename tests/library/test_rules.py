"""Rules across runs: read by a person before anybody is told, weighed by newer data, rebuilt from the log."""

import json
import random

import pytest

from agents import services
from agents.core.brief import WholeMemory
from agents.core.errors import BadInput, Refused
from agents.core.measurement import Experiment, Measurement
from agents.core.proposal import MemoryOperation
from agents.core.study import StudyProtocol
from agents.memory import search_findings
from agents.models import Event, Finding, Run
from agents.store.book import OrmFindingBook
from agents.store.findings import active_of
from agents.store.ledger import OrmLedger
from agents.store.rebuild import differences, rebuild
from agents.wiring import finding_search_for
from reviews.library import change
from reviews.services import add_member
from tests.reasoners.optimiser.briefs import REACTION, YIELD, reaction_yield
from tests.support import do, make_run, make_study, make_user, take

pytestmark = pytest.mark.django_db
RULE = "ligand: X-Phos gives a higher yield than P(fur)3, other factors accounted for."


def protocol_of(run: Run) -> StudyProtocol:
    return StudyProtocol.model_validate(Run.objects.get(pk=run.pk).protocol)


def book_of(run: Run) -> OrmFindingBook:
    return OrmFindingBook(take(run), protocol_of(run))


def distilled(run: Run, *, is_reviewed: bool = True, text: str = "Caesium bases win.") -> Finding:
    """Return a rule that a milestone review of ``run`` distilled from two of its findings."""
    book = book_of(run)
    texts = ("CsOPiv is fast.", "CsOAc is fast.")
    do(book.apply, [MemoryOperation(op="add", text=each) for each in texts], round=1, key="1/memory")
    rule = MemoryOperation(op="distil", text=text, sources=["F1", "F2"], reason="Both show it.")
    do(book.apply, [rule.model_copy(update={"is_reviewed": is_reviewed})], round=2, key="2/supersede/1")
    return Finding.objects.get(run=run, kind="rule")


def campaign(run: Run | None, study, respond=reaction_yield, *, seed: int, count: int = 36) -> None:
    """File ``count`` random experiments with noise as those of ``run``."""
    chance, ledger = random.Random(seed), OrmLedger(take(run), protocol_of(run))
    for number in range(1, count + 1):
        planned = {
            "base": chance.choice(["KOAc", "CsOAc", "CsOPiv"]),
            "ligand": chance.choice(["X-Phos", "PPh3", "PCy3", "P(fur)3"]),
            "temperature": chance.choice([90, 105, 120]),
        }
        value = respond(planned) + chance.gauss(0, 1)
        measured = [Measurement(objective="yield", value=value, unit="%")]
        row = Experiment(id="", planned=planned, measurements=measured, round=number)
        do(ledger.file, row, key=f"{number}/experiment")


@pytest.fixture
def study(db):
    return make_study(
        space=REACTION.model_dump(mode="json"),
        objectives=[YIELD.model_dump(mode="json")],
        domain="catalysis",
        experiment_tool="ask_researcher",
    )


@pytest.fixture
def two_runs(study):
    for seed in (1, 2):
        campaign(make_run(study), study, seed=seed)
    return study


def test_a_rule_that_a_person_let_through_is_told_to_the_next_run_and_found(study):
    rule = distilled(make_run(study))
    assert (rule.status, rule.support, rule.domain) == ("active", 2, "catalysis")
    later = make_run(study)
    assert [each.text for each in do(book_of(later).rules)] == ["Caesium bases win."]
    recalled = do(finding_search_for(protocol_of(later)), "caesium", 5)
    assert "Caesium bases win." in [each.text for each in recalled]


def test_a_rule_that_nobody_has_read_is_told_nowhere_until_one_accepts_it(study):
    rule = distilled(make_run(study), is_reviewed=False)
    later = make_run(study)
    book = book_of(later)
    assert (rule.status, do(book.rules)) == ("unreviewed", [])
    assert search_findings("caesium", study_ids=[study.pk]) == []
    services.accept_finding(rule.pk, by="ana")
    assert [each.text for each in do(book.rules)] == ["Caesium bases win."]


@pytest.mark.parametrize("verb", ["retract", "edit"])
def test_what_a_person_does_to_a_rule_is_heard_by_runs_at_once(study, verb):
    rule = distilled(make_run(study))
    book = book_of(make_run(study))
    assert do(book.rules)
    if verb == "retract":
        services.retract_finding(rule.pk, by="ana", reason="too wide")
        assert do(book.rules) == []
    else:
        services.edit_finding(rule.pk, by="ana", reason="closer", text="Caesium bases win in DMAc.")
        assert [each.text for each in do(book.rules)] == ["Caesium bases win in DMAc."]


def test_a_rule_stands_apart_from_the_findings_of_a_prompt(study):
    run = make_run(study)
    distilled(run)
    assert [each.text for each in active_of(run.pk, 5)] == ["CsOAc is fast.", "CsOPiv is fast."]
    whole = whole_of(run)
    assert [each.text for each in whole.rules] == ["Caesium bases win."]
    assert {each.kind for each in whole.findings} == {"finding"}


def whole_of(run) -> WholeMemory:
    from agents.store.rules import whole_of as read

    return read(run.pk)


def test_a_review_sees_the_findings_of_other_runs_by_their_names(study):
    distilled(make_run(study))
    later = make_run(study)
    book = book_of(later)
    assert [each.id for each in whole_of(later).elsewhere] == ["1/F2", "1/F1"]
    do(book.apply, [MemoryOperation(op="add", text="Cs2CO3 is fast.")], round=1, key="1/memory")
    rule = MemoryOperation(
        op="distil", text="Caesium salts are fast.", sources=["F1", "1/F2"], reason="two runs"
    )
    do(book.apply, [rule], round=2, key="2/supersede/1")
    made = Finding.objects.get(run=later, kind="rule")
    assert {item["run"] for item in made.evidence} == {str(run.pk) for run in Run.objects.all()}


def test_the_same_rule_is_not_filed_twice_and_a_withdrawn_one_does_not_come_back(study):
    rule = distilled(make_run(study))
    later = make_run(study)
    book = book_of(later)
    again = MemoryOperation(op="distil", text="caesium  bases win.", sources=["1/F1", "1/F2"], reason="again")
    do(book.apply, [again], round=1, key="1/supersede/1")
    assert "already" in Event.objects.filter(run=later).latest("seq").payload["reason"]
    services.retract_finding(rule.pk, by="ana", reason="wrong")
    do(book.apply, [again], round=2, key="2/supersede/1")
    assert "withdrew the rule" in Event.objects.filter(run=later).latest("seq").payload["reason"]
    assert Finding.objects.filter(kind="rule").count() == 1


def test_a_rule_is_rebuilt_from_the_log(study):
    run = make_run(study)
    rule = distilled(run)
    assert differences(run.pk) == []
    Finding.objects.filter(pk=rule.pk).update(kind="finding", status="retracted", support=9)
    rebuild(run.pk)
    rule.refresh_from_db()
    assert (rule.kind, rule.status, rule.support) == ("rule", "active", 2)
    rule.delete()
    rebuild(run.pk)
    assert Finding.objects.get(kind="rule").text == "Caesium bases win."


def test_experiments_of_several_runs_give_rules_that_wait_for_a_person(two_runs):
    made = services.distil_rules(two_runs)
    assert {row.text.partition(":")[0] for row in made} == {"base", "ligand", "temperature"}
    assert {(row.status, row.support, row.against) for row in made} == {("unreviewed", 2, 0)}
    runs = {str(run.pk) for run in Run.objects.all()}
    assert all({item["run"] for item in row.evidence} == runs for row in made)
    assert services.distil_rules(two_runs) == []


def test_a_later_run_that_shows_the_same_supports_a_rule_once(two_runs):
    ids = [row.pk for row in services.distil_rules(two_runs)]
    campaign(make_run(two_runs), two_runs, seed=3)
    services.weigh_rules(two_runs.pk)
    assert services.weigh_rules(two_runs.pk) == []
    rows = Finding.objects.filter(pk__in=ids)
    assert {(row.support, row.against) for row in rows} == {(3, 0)}
    assert {row.version for row in rows} == {2}


def test_newer_data_that_contradicts_a_rule_lowers_it_and_then_puts_it_before_people_again(two_runs):
    (row,) = [each for each in services.distil_rules(two_runs) if each.text.startswith("ligand")]
    services.accept_finding(row.pk, by="ana")
    before = Finding.objects.get(pk=row.pk).confidence
    for number in (3, 4):
        campaign(make_run(two_runs), two_runs, lambda c: 90 - reaction_yield(c), seed=number)
        services.weigh_rules(two_runs.pk)
        row.refresh_from_db()
        assert (row.support, row.against) == (2, number - 2)
        assert row.confidence < before
        assert row.status == ("active" if number == 3 else "unreviewed")
    later = make_run(two_runs)
    assert do(book_of(later).rules) == []
    assert "waits for a person again" in row.versions.latest("version").reason


def test_a_finding_that_states_the_quantity_otherwise_speaks_against_a_rule(study):
    rule = distilled(make_run(study), text="With CsOPiv at 105 °C the yield was 82 %.")
    book = book_of(make_run(study))
    claim = MemoryOperation(op="add", text="With CsOPiv at 105 °C the yield was 61 %.")
    do(book.apply, [claim], round=1, key="1/memory")
    services.weigh_rules(study.pk)
    rule.refresh_from_db()
    assert (rule.support, rule.against, rule.status) == (2, 1, "active")
    assert services.weigh_rules(study.pk) == []


def test_only_an_owner_opens_a_rule_to_the_domain_and_then_other_studies_are_told(study):
    rule = distilled(make_run(study))
    reviewer, owner = make_user("rev"), make_user("own")
    add_member(study=study, user=reviewer, role="reviewer")
    add_member(study=study, user=owner, role="owner")
    elsewhere = make_study(domain="catalysis", title="Other")
    other_field = make_study(domain="alloys", title="Alloys")
    given = {"reason": "it is general", "reach": "domain"}
    with pytest.raises(Refused):
        change(rule, "edit", user=reviewer, **given)
    assert do(book_of(make_run(elsewhere)).rules) == []
    change(rule, "edit", user=owner, **given)
    told = make_run(elsewhere)
    assert [each.text for each in do(book_of(told).rules)] == ["Caesium bases win."]
    recalled = do(finding_search_for(protocol_of(told)), "caesium", 5)
    assert [each.text for each in recalled] == ["Caesium bases win."]
    assert do(book_of(make_run(other_field)).rules) == []


def test_a_finding_is_no_rule_and_stays_in_its_study(study):
    distilled(make_run(study))
    finding = Finding.objects.filter(kind="finding").first()
    with pytest.raises(BadInput, match="Only a rule"):
        services.edit_finding(finding.pk, by="ana", reason="wider", reach="domain")


def test_a_rule_goes_out_and_comes_in_as_one_that_waits_and_reaches_its_study_only(study):
    rule = distilled(make_run(study))
    Finding.objects.filter(pk=rule.pk).update(reach="domain")
    filed = services.export_findings(Finding.objects.filter(pk=rule.pk))
    other = make_study(title="Other", domain="catalysis")
    (row,) = services.import_findings(other, json.dumps(filed).encode(), by="ana").added
    row.refresh_from_db()
    assert (row.kind, row.status, row.reach) == ("rule", "unreviewed", "study")
