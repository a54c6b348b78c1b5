"""Creating and changing studies: what does not fit is named, nothing half-saved stays."""

import pytest

from agents.core.errors import BadInput
from agents.models import Study
from agents.services import change_study, create_study, missing_for_start

PARAMETER = {"name": "temperature", "kind": "continuous", "unit": "°C", "low": 20, "high": 80}
OBJECTIVE = {"name": "yield", "unit": "%", "goal": "maximise"}

pytestmark = pytest.mark.django_db


def test_two_studies_of_one_title_get_two_slugs():
    first, second = create_study(title="Best base"), create_study(title="Best base")

    assert (first.slug, second.slug) == ("best-base", "best-base-2")


def test_a_chinese_title_keeps_its_characters_in_the_slug():
    assert create_study(title="导热系数 测量").slug == "导热系数-测量"


def test_every_wrong_field_is_named_and_nothing_is_saved():
    study = create_study(title="T", goal="G")

    with pytest.raises(BadInput) as caught:
        change_study(study, policy="whatever", budget={"rounds": 0}, goal="new")

    assert [p["field"] for p in caught.value.problems] == ["policy", "budget.rounds"]
    assert Study.objects.get(pk=study.pk).goal == "G"


def test_a_parameter_with_reversed_bounds_is_refused_by_name():
    with pytest.raises(BadInput, match=r"low 80\.0 must be below high 20\.0"):
        create_study(title="T", space={"parameters": [{**PARAMETER, "low": 80, "high": 20}]})


def test_control_characters_are_cleaned_where_text_enters():
    assert create_study(title="a\x00b\ud800c").title == "ab�c"


def test_the_optimiser_says_everything_that_it_needs_at_once():
    study = create_study(title="T")

    assert [sentence.split(":")[0].split(" ")[0] for sentence in missing_for_start(study)] == [
        "Say",
        "Add",
        "Say",
    ]


def test_a_complete_study_misses_nothing():
    study = create_study(title="T", goal="G", space={"parameters": [PARAMETER]}, objectives=[OBJECTIVE])

    assert missing_for_start(study) == []


def test_a_limit_about_nothing_is_refused_and_one_of_a_document_stays_as_text():
    bound = {"kind": "bound", "parameter": "pressure", "op": "<=", "value": "abc"}
    limit = {"id": "C1", "text": "pressure <= abc", "predicate": bound}
    study = create_study(title="T", space={"parameters": [PARAMETER]})

    with pytest.raises(BadInput, match="names pressure, which is no parameter of this study"):
        change_study(study, constraints=[limit])
    with pytest.raises(BadInput, match="it has none yet"):
        create_study(title="U", constraints=[limit])
    hot = {**limit, "predicate": {**bound, "parameter": "temperature"}}
    with pytest.raises(BadInput, match="“abc” is none"):
        change_study(study, constraints=[hot])
    printed = {**limit, "source": {"origin": "document", "document_id": "d"}}
    assert change_study(study, constraints=[printed]).constraints[0]["text"] == "pressure <= abc"


def test_a_range_that_holds_no_value_is_not_stored():
    with pytest.raises(BadInput, match="the smallest possible value, 10, must be below the largest, 1"):
        create_study(title="Odd", objectives=[{"name": "yield", "low": 10, "high": 1}])
    study = create_study(title="Even")
    with pytest.raises(BadInput, match="the target 9 lies outside"):
        change_study(study, objectives=[{"name": "yield", "goal": "target", "target": 9, "high": 5}])
    study.refresh_from_db()
    assert study.objectives == []
