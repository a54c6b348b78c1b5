"""The set-up of a study: each part saves by itself, and what does not validate is kept as it was typed."""

import pytest
from django.urls import reverse

from agents.models import Run, SourceTool, Study, ToolSource
from reviews.models import Membership
from tests.reviews.views.conftest import SPACE

HTMX = {"HX-Request": "true"}


def post(client, study, part: str, **data):
    return client.post(reverse("setup-part", args=[study.slug, part]), data, headers=HTMX)


def rows(prefix: str, *given: dict[str, str]) -> dict[str, str]:
    """Return a set of rows as the page sends it."""
    sent = {f"{prefix}-TOTAL_FORMS": str(len(given)), f"{prefix}-INITIAL_FORMS": "0"}
    for number, row in enumerate(given):
        sent |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return sent


def fresh(study) -> Study:
    return Study.objects.get(pk=study.pk)


def test_a_new_study_belongs_to_who_began_it(lab):
    answer = lab.viewer.post(reverse("study-new"), {"title": "Which solvent?"})
    study = Study.objects.get(title="Which solvent?")
    assert answer["Location"] == reverse("study-setup", args=["which-solvent"])
    assert Membership.objects.get(study=study).role == "owner"


def test_a_study_without_a_title_is_not_begun(lab):
    answer = lab.viewer.post(reverse("study-new"), {"title": " "})
    assert (answer.status_code, Study.objects.count()) == (422, 1)


def test_a_question_is_saved(lab):
    answer = post(
        lab.owner, lab.study, "question", goal="Which base?", initial_hypothesis="KOAc", domain="chemistry"
    )
    assert "saved" in answer.content.decode()
    assert (fresh(lab.study).goal, fresh(lab.study).initial_hypothesis) == ("Which base?", "KOAc")


def test_parameters_are_saved_with_levels_and_bounds(lab):
    sent = rows(
        "p",
        {"name": "base", "kind": "categorical", "levels": "KOAc; CsOAc\nCsOPiv"},
        {"name": "T", "kind": "ordered", "unit": "°C", "levels": "90;105"},
        {"name": "c", "kind": "continuous", "low": "0.1", "high": "2"},
        {"name": "", "kind": "categorical"},
    )
    post(lab.owner, lab.study, "space", **sent)
    saved = fresh(lab.study).space["parameters"]
    assert [p["levels"] for p in saved] == [["KOAc", "CsOAc", "CsOPiv"], [90, 105], []]
    assert (saved[2]["low"], saved[2]["high"]) == (0.1, 2)


def test_structures_of_levels_survive_an_edit(lab):
    smiles = {"KOAc": "CC(=O)[O-].[K+]", "CsOPiv": "CC(C)(C)C(=O)[O-].[Cs+]"}
    space = SPACE.model_dump(mode="json")
    space["parameters"][0]["smiles"] = smiles
    Study.objects.filter(pk=lab.study.pk).update(space=space)
    post(
        lab.owner, lab.study, "space", **rows("p", {"name": "base", "kind": "categorical", "levels": "KOAc"})
    )
    assert fresh(lab.study).space["parameters"][0]["smiles"] == {"KOAc": smiles["KOAc"]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"name": "T", "kind": "continuous", "low": "warm", "high": "3"}, "From: Enter a number."),
        ({"name": "T", "kind": "continuous", "low": "5", "high": "3"}, "must be below high"),
        ({"name": "T", "kind": "ordered", "levels": "cold; hot"}, "its levels must be numbers"),
        ({"name": "T", "kind": "categorical", "levels": ""}, "needs at least one level"),
    ],
)
def test_what_is_wrong_is_named_and_what_was_typed_is_kept(lab, row, message):
    before = fresh(lab.study).space
    answer = post(lab.owner, lab.study, "space", **rows("p", row))
    assert message in answer.content.decode()
    assert fresh(lab.study).space == before
    shown = lab.owner.get(reverse("study-setup", args=[lab.study.slug])).context["space_form"]
    assert {name: shown.forms[0][name].value() for name in row} == row


def test_a_draft_ends_when_the_part_is_saved(lab):
    post(lab.owner, lab.study, "space", **rows("p", {"name": "T", "kind": "continuous"}))
    post(
        lab.owner,
        lab.study,
        "space",
        **rows("p", {"name": "T", "kind": "continuous", "low": "1", "high": "2"}),
    )
    assert fresh(lab.study).draft == {}


def test_a_limit_is_a_sentence_or_a_rule(lab):
    sent = rows(
        "c",
        {"text": "Never above 100 °C", "parameter": "temperature", "op": "<=", "bound": "100"},
        {"text": "Keep the flask dry", "op": "<="},
        {"parameter": "base", "op": "!=", "bound": "KOAc"},
    )
    post(lab.owner, lab.study, "limits", **sent)
    saved = fresh(lab.study).constraints
    assert [(row["id"], row["text"]) for row in saved] == [
        ("C1", "Never above 100 °C"),
        ("C2", "Keep the flask dry"),
        ("C3", "base != KOAc"),
    ]
    assert [row["predicate"] and row["predicate"]["value"] for row in saved] == [100, None, "KOAc"]


def test_a_limit_that_means_nothing_is_answered_with_a_sentence_and_kept_as_typed(lab):
    before = fresh(lab.study).constraints
    for row, said in (
        ({"parameter": "pressure", "op": "<=", "bound": "abc"}, "which is no parameter of this study"),
        ({"parameter": "temperature", "op": "<=", "bound": "hot"}, "“hot” is none"),
        ({"parameter": "temperature", "op": "<=", "bound": ""}, "Say the value"),
        ({"parameter": "", "op": "<=", "bound": "100"}, "Say which parameter"),
    ):
        page = post(lab.owner, lab.study, "limits", **rows("c", row)).content.decode()
        assert said in page
        assert fresh(lab.study).constraints == before
        assert "limits" in fresh(lab.study).draft


def test_a_limit_keeps_where_it_comes_from_and_a_rule_that_no_form_shows(lab):
    rule = {"kind": "exclusion", "values": {"base": "KOAc"}}
    source = {"origin": "document", "document_id": "d1", "document": "a.pdf", "page": 4, "quote": "not KOAc"}
    kept = {"id": "C1", "text": "No KOAc", "predicate": rule, "source": source}
    Study.objects.filter(pk=lab.study.pk).update(constraints=[kept])
    post(lab.owner, lab.study, "limits", **rows("c", {"text": "No KOAc", "op": "<="}))
    saved = fresh(lab.study).constraints[0]
    assert saved["predicate"] == rule
    assert saved["source"]["quote"] == "not KOAc"


def test_how_it_works_is_saved(lab):
    post(
        lab.owner,
        lab.study,
        "way",
        reasoner="language_model",
        policy="auto",
        language="zh-hans",
        experiment_tool="",
    )
    study = fresh(lab.study)
    assert (study.reasoner, study.policy, study.language) == ("language_model", "auto", "zh-hans")


def test_a_budget_is_saved_in_hours(lab):
    post(lab.owner, lab.study, "budget", experiments="12", hours="2")
    assert {k: v for k, v in fresh(lab.study).budget.items() if v is not None} == {
        "experiments": 12,
        "seconds": 7200,
        "idle_steps": 8,
    }


def test_start_says_what_is_missing(lab):
    Study.objects.filter(pk=lab.study.pk).update(goal="")
    answer = post(lab.owner, lab.study, "title", title="Bases again")
    assert "Say in a sentence what the study is to find out." in answer.content.decode()
    assert "disabled" in answer.content.decode()


def test_start_begins_a_run(lab):
    answer = lab.owner.post(reverse("study-start", args=[lab.study.slug]))
    run = Run.objects.get(study=lab.study, number=2)
    assert answer["Location"] == reverse("run", args=[run.pk])


def test_a_study_that_lacks_something_does_not_start(lab):
    Study.objects.filter(pk=lab.study.pk).update(space={})
    answer = lab.owner.post(reverse("study-start", args=[lab.study.slug]))
    assert (answer.status_code, Run.objects.count()) == (422, 1)
    assert "Add at least one parameter" in answer.content.decode()


def test_a_part_that_is_none_is_not_found(lab):
    assert post(lab.owner, lab.study, "secrets").status_code == 404


def test_without_javascript_a_part_goes_back_to_itself(lab):
    answer = lab.owner.post(reverse("setup-part", args=[lab.study.slug, "question"]), {"goal": "Which?"})
    assert answer["Location"] == f"{reverse('study-setup', args=[lab.study.slug])}#question"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"username": "nobody", "role": "viewer"}, "There is no account"),
        ({"username": "viewer", "role": "emperor"}, "Choose one of the roles"),
        ({"username": "owner", "role": "viewer"}, "A study needs an owner"),
    ],
)
def test_a_member_that_cannot_be_is_refused(lab, data, message):
    answer = lab.owner.post(reverse("study-member", args=[lab.study.slug]), data)
    assert (answer.status_code, message in answer.content.decode()) == (422, True)


def test_how_many_experiments_come_in_one_review_is_set_with_the_way(lab):
    url = reverse("setup-part", args=[lab.study.slug, "way"])
    way = {"reasoner": "optimiser", "policy": "every_step", "language": "en", "experiment_tool": ""}
    for typed, kept in (("5", 5), ("", 1)):
        lab.owner.post(url, {**way, "batch": typed})
        lab.study.refresh_from_db()
        assert lab.study.batch == kept
    answer = lab.owner.post(url, {**way, "batch": "99"}, follow=True)
    assert "less than or equal to 8" in answer.content.decode()


def test_a_range_that_holds_no_value_is_not_saved_and_told_beside_its_field(lab):
    before = fresh(lab.study).objectives
    row = {"name": "yield", "unit": "%", "goal": "maximise", "low": "10", "high": "1"}
    page = post(lab.owner, lab.study, "objectives", **rows("o", row)).content.decode()
    assert "Largest possible: The largest possible value must be above the smallest." in page
    assert fresh(lab.study).objectives == before
    again = lab.owner.get(reverse("study-setup", args=[lab.study.slug]))
    form = again.context["objectives_form"].forms[0]
    assert (form["low"].value(), form["high"].value()) == ("10", "1")
    assert "must be above the smallest" in again.content.decode()


def test_a_tool_that_gives_what_is_measured_is_offered_and_can_be_chosen(lab):
    source = ToolSource.objects.create(study=lab.study, name="rig", kind="openapi")
    for name, response in (("rig_yield", "yield"), ("rig_mass", "mass")):
        gives = {"type": "object", "properties": {response: {"type": "number"}}}
        SourceTool.objects.create(
            source=source,
            name=name,
            remote=name,
            is_on=True,
            accepted={"remote": name, "output_schema": gives},
        )
    page = lab.owner.get(reverse("study-setup", args=[lab.study.slug])).content.decode()
    assert "The tool rig_yield" in page
    assert "The tool rig_mass" not in page
    sent = {"reasoner": "optimiser", "policy": "every_step", "language": "en", "batch": "1"}
    answer = post(lab.owner, lab.study, "way", **sent, experiment_tool="rig_yield")
    assert (answer.status_code, fresh(lab.study).experiment_tool) == (200, "rig_yield")
    assert "The tool rig_yield takes nothing" in answer.content.decode()
    post(lab.owner, lab.study, "way", **sent, experiment_tool="rig_mass")
    assert fresh(lab.study).experiment_tool == "rig_yield"
