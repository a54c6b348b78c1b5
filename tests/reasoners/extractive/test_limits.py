import pytest

from agents.core.quotes import find_quote
from tests.reasoners.extractive.documents import digest_of, from_markdown, predicates, texts

TABLE = "| Factor | Unit | Levels |\n|---|---|---|\n| temperature | °C | 60, 80 |\n| reaction time | min | 30, 60 |\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The temperature must be at most 120 °C.", [("temperature", "<=", 120)]),
        ("The temperature must not exceed 110 °C.", [("temperature", "<=", 110)]),
        ("The reaction time must be at least 1 h.", [("reaction time", ">=", 60)]),
        ("The temperature should be below 353.15 K.", [("temperature", "<=", 80)]),
        (
            "The temperature must be between 40 and 90 °C.",
            [("temperature", ">=", 40), ("temperature", "<=", 90)],
        ),
        ("The stirring speed was kept constant at 600 rpm.", [("stirring speed", "==", 600)]),
        ("The model is only valid for concentrations below 100 mg/L.", [("concentration", "<=", 100)]),
        ("The pressure must never exceed 2.5 bar.", [("pressure", "<=", 2.5)]),
        ("The pH should be between 4 and 7.", [("pH", ">=", 4), ("pH", "<=", 7)]),
        ("温度不得超过 80 ℃。", [("温度", "<=", 80)]),
        ("乙醇浓度不低于 50%。", [("浓度", ">=", 50)]),
        ("提取时间应控制在 20~40 min。", [("时间", ">=", 20), ("时间", "<=", 40)]),
        ("温度 T ≤ 110 ℃。", [("温度", "<=", 110)]),
        ("加热电流为 0.6 A 以下。", [("电流", "<=", 0.6)]),
    ],
)
def test_limits_become_executable(text, expected):
    digest = digest_of(f"# Methods\n\n{TABLE}{text}\n")
    assert predicates(digest) == expected


def test_every_limit_quotes_its_page():
    document = from_markdown("# Limits\n\nThe temperature must be at most 120 °C.\n\nDo not open the valve.")
    for item in digest_of(document).items:
        assert item.source.verified
        assert find_quote(item.source.quote, document.pages[item.source.page - 1].text)


def test_a_rule_that_no_program_can_check_stays_as_text():
    digest = digest_of("# Safety\n\nDo not open the valve while the pump runs.\n")
    assert texts(digest, "constraint") == ["Do not open the valve while the pump runs."]
    (item,) = [item for item in digest.items if item.kind == "constraint"]
    assert item.data == {"predicate": None}
    assert "asks for a review" in item.note


@pytest.mark.parametrize(
    "text",
    [
        "The yield reached at most 95 %, which is high.",
        "The maximum yield of 95 % was obtained at 60 °C.",
        "A dead time amounts to a maximum of 77 s.",
        "Those do not increase the strength.",
        "What must be the temperature below 5 °C?",
        "温度为 65 ℃ 时，镀层硬度最高，为 712 HV。",
        "产率最高可达 95 %。",
    ],
)
def test_results_and_questions_are_no_limits(text):
    assert texts(digest_of(f"# Results\n\n{text}\n"), "constraint") == []


def test_a_limit_in_plain_letters_is_checked():
    digest = digest_of("# Limits\n\nThe temperature must not exceed 40 degC.")
    assert predicates(digest) == [("temperature", "<=", 40)]


@pytest.mark.parametrize(
    "text", ["结果表明，在温度 65 ℃ 时，硬度最高，为 712 HV。", "在最优条件下，产率最高达到 95 %。"]
)
def test_a_highest_value_that_was_reached_is_no_limit_in_an_abstract_either(text):
    assert texts(digest_of(f"## 摘要\n\n{text}\n"), "constraint") == []


def test_a_highest_value_that_is_allowed_is_one():
    assert predicates(digest_of("# 方法\n\n温度最高为 80 ℃。\n")) == [("温度", "<=", 80)]
