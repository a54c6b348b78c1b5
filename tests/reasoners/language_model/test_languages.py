"""Is the answer in the language of the study?"""

import pytest

from agents.reasoners.language_model.languages import is_in_language


@pytest.mark.parametrize(
    ("text", "language", "is_right"),
    [
        ("Measure CsOPiv at 105 °C next.", "en", True),
        ("下一步在 105 °C 下测量 CsOPiv,因为它还没有测量过。", "en", False),
        ("Следующим шагом измерим выход при нагревании.", "en", False),
        ("下一步在 105 °C 下测量 CsOPiv。", "zh-hans", True),
        ("Measure CsOPiv at 105 °C next.", "zh-hans", False),
        ("次はこの条件でもういちどはかります。", "zh-hans", False),
        ("CsOPiv", "zh-hans", True),
        ("ΔH and α are given in β.", "en", True),
        ("", "en", True),
    ],
)
def test_language(text, language, is_right):
    assert is_in_language(text, language) is is_right
