"""The estimate is near an exact count on every kind of text that prompts hold."""

import json

import bpe_openai
import pytest

from agents.core.tokens import estimate_tokens

O200K = bpe_openai.get_encoding("o200k_base")

TEXTS = {
    "prose": "We repeated every run on three separate days and report the median, since the first one was biased. "
    * 8,
    "log": "\n".join(f"t={i * 30}s T={290 + i}.{i}K p={i}.25bar flow={10 + i}ml/min" for i in range(30)),
    "json": json.dumps(
        [{"temperature_k": 300 + i, "catalyst": f"C{i}", "yield": 12.5 + i} for i in range(30)]
    ),
    "chinese": "温度不超过120℃，保温时间为3小时。试样经研磨后在氮气下干燥，测得导热系数为0.35 W/(m·K)。" * 8,
    "smiles": "CC(C)c1cc(C(C)C)c(c(c1)C(C)C)c2ccccc2P(C3CCCCC3)C4CCCCC4 " * 6,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_it_is_within_a_quarter_of_the_exact_count(kind):
    exact = len(O200K.encode(TEXTS[kind]))
    assert estimate_tokens(TEXTS[kind]) == pytest.approx(exact, rel=0.25)


def test_nothing_has_no_tokens():
    assert estimate_tokens("") == 0
