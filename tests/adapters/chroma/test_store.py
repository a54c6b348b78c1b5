"""Findings in a real Chroma server: what is found, what never is, and what happens when it is away."""

import random
import subprocess
import sys

import pytest

from agents.adapters.chroma import probe
from agents.adapters.chroma.child import ChromaChild
from agents.adapters.chroma.store import ChromaFindingStore
from agents.adapters.embeddings.choose import embedder_for
from agents.core.errors import Transient
from tests.adapters.chroma.doubles import Words, finding


@pytest.fixture(scope="module")
def child(tmp_path_factory):
    child = ChromaChild(tmp_path_factory.mktemp("memory") / "chroma")
    child.start()
    assert child.wait_ready()
    yield child
    child.stop()


@pytest.fixture
async def store(child):
    store = ChromaFindingStore(child.connect, Words())
    await store.rebuild([])
    return store


async def found(store, query, **options) -> list[str]:
    options.setdefault("study_ids", None)
    return [hit.finding_id for hit in await store.search(query, **options)]


async def test_the_nearest_finding_is_first_with_a_score_between_nought_and_one(store):
    await store.add(finding(1, "the ligand decides the yield"))
    await store.add(finding(2, "the solvent decides the colour"))

    hits = await store.search("which ligand gives a yield", study_ids=["a"])

    assert [hit.finding_id for hit in hits] == ["f1", "f2"]
    assert 1 >= hits[0].score > hits[1].score >= 0


async def test_a_finding_is_found_in_its_own_study_only(store):
    await store.add(finding(1, "the ligand decides", study="a"))
    await store.add(finding(2, "the ligand decides", study="b"))

    assert await found(store, "ligand", study_ids=["a"]) == ["f1"]
    assert await found(store, "ligand", study_ids=["b", "c"]) == ["f2"]
    assert await found(store, "ligand", study_ids=None) == ["f1", "f2"]
    assert await found(store, "ligand", study_ids=[]) == []


async def test_many_studies_are_searched_with_the_same_scope_as_few(store):
    for number in range(30):
        await store.add(finding(number, "the ligand decides", study=f"s{number}"))

    few, many = [f"s{number}" for number in range(3)], [f"s{number}" for number in range(25)]

    assert await found(store, "ligand", study_ids=few, limit=50) == ["f0", "f1", "f2"]
    assert set(await found(store, "ligand", study_ids=many, limit=50)) == {
        f"f{number}" for number in range(25)
    }


async def test_a_vetoed_idea_is_found_when_asked_for_and_never_as_a_fact(store):
    await store.add(finding(1, "raise the temperature to 200 degrees", status="vetoed"))

    assert await found(store, "temperature 200") == []
    assert await found(store, "temperature 200", status="vetoed") == ["f1"]


@pytest.mark.parametrize("status", ["superseded", "retracted"])
async def test_what_is_no_longer_true_is_no_longer_found(store, status):
    await store.add(finding(1, "the ligand decides"))
    await store.add(finding(1, "the ligand decides", status=status))

    assert await found(store, "ligand") == []
    assert await found(store, "ligand", status=status) == []
    assert await store.count() == 0


async def test_the_same_id_replaces_its_text_its_study_and_its_status(store):
    await store.add(finding(1, "the ligand decides", study="a"))
    await store.add(finding(1, "the solvent decides", study="b"))
    assert await found(store, "solvent", study_ids=["a"]) == []
    assert await found(store, "solvent", study_ids=["b"]) == ["f1"]

    await store.add(finding(1, "the solvent decides", study="b", status="vetoed"))
    assert await found(store, "solvent") == []
    assert await store.ids() == {"f1"}


async def test_a_removed_finding_is_gone_and_an_unknown_id_is_no_error(store):
    await store.add(finding(1, "the ligand decides"))
    await store.remove("f1")
    await store.remove("never there")

    assert await found(store, "ligand", study_ids=["a"]) == []
    assert await store.ids() == set()


@pytest.mark.parametrize("query", ["", "  \n"])
async def test_a_blank_query_finds_nothing(store, query):
    await store.add(finding(1))

    assert await found(store, query) == []


async def test_no_more_than_the_limit_is_returned(store):
    for number in range(8):
        await store.add(finding(number, "the ligand decides"))

    assert len(await found(store, "ligand", study_ids=["a"], limit=3)) == 3
    assert await found(store, "ligand", limit=0) == []


async def test_a_rebuild_leaves_exactly_the_given_findings_and_tells_how_far_it_is(store):
    await store.add(finding(999, "left over"))
    told = []
    kept = [finding(number, study=f"s{number % 3}") for number in range(250)]
    dropped = finding(500, status="retracted")

    assert await store.rebuild([*kept, dropped], lambda done, total: told.append((done, total))) == 250

    assert await store.ids() == {item.id for item in kept}
    assert told[-1] == (250, 250)
    assert await store.healthy() == ""


async def test_a_rebuilt_index_answers_as_before(store):
    kept = [finding(number, f"compound {number % 7} in solvent {number % 11}") for number in range(60)]
    for item in kept:
        await store.add(item)
    before = await store.search("compound 3 solvent 5", study_ids=None, limit=10)

    await store.rebuild(kept)

    after = await store.search("compound 3 solvent 5", study_ids=None, limit=10)
    assert [hit.score for hit in after] == pytest.approx([hit.score for hit in before])


async def test_another_model_has_its_own_vectors_and_a_rebuild_drops_the_old_ones(child, store):
    class Other(Words):
        name = "other words"

    await store.add(finding(1, "the ligand decides"))
    other = ChromaFindingStore(child.connect, Other())
    assert await other.count() == 0

    await other.rebuild([finding(1, "the ligand decides")])
    assert (await other.count(), await ChromaFindingStore(child.connect, Words()).count()) == (1, 0)


async def test_a_store_notices_that_another_process_rebuilt_the_index(child, store):
    await store.add(finding(1, "the ligand decides"))
    await ChromaFindingStore(child.connect, Words()).rebuild([finding(2, "the ligand decides")])

    assert await found(store, "ligand", study_ids=["a"]) == ["f2"]


async def test_retracted_superseded_and_vetoed_text_never_comes_back_as_a_fact(store):
    chance = random.Random(7)
    statuses: dict[int, str] = {}
    for _ in range(80):
        number = chance.randrange(12)
        statuses[number] = chance.choice(["active", "vetoed", "superseded", "retracted"])
        await store.add(
            finding(number, "the ligand decides", study=f"s{number % 4}", status=statuses[number])
        )

    facts = {f"f{number}" for number, status in statuses.items() if status == "active"}
    assert set(await found(store, "ligand", limit=50)) == facts
    narrow = await found(store, "ligand", study_ids=["s0", "s1", "s2", "s3"], limit=50)
    assert set(narrow) == facts


async def test_no_text_is_kept_in_the_index(child, store):
    await store.add(finding(1, "canary-text-4711"))

    files = [path for path in child.path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"canary-text-4711" in path.read_bytes()]


async def test_a_server_that_is_away_is_a_passing_fault_that_people_can_read():
    def nobody():
        raise Transient("no Chroma server answers at 127.0.0.1:9")

    store = ChromaFindingStore(nobody, Words())

    with pytest.raises(Transient, match="no Chroma server answers"):
        await store.search("ligand", study_ids=None)
    assert await store.healthy() == "Long-term memory is away: no Chroma server answers at 127.0.0.1:9."


def test_importing_the_store_and_the_child_loads_no_chroma():
    code = (
        "import sys, agents.adapters.chroma.store, agents.adapters.chroma.child\n"
        "print(sorted({'chromadb', 'numpy', 'httpx'} & set(sys.modules)))"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


async def test_a_collection_says_which_model_made_it(child, store):
    await store.add(finding(1))

    made = probe._ask(int(child.url.rsplit(":", 1)[1]), "GET", probe.BASE)
    assert {item["name"].split("-words-")[0] for item in made} >= {"daybook-all"}
    functions = [item["configuration_json"]["embedding_function"] for item in made]
    assert [function["name"] for function in functions] == ["daybook"] * len(made)
    assert {function["config"]["model"] for function in functions} == {"words"}
    assert {function["config"]["dimension"] for function in functions} == {1025}


async def test_what_has_nothing_to_do_with_the_question_is_not_an_answer(child):
    embedder = Words()
    embedder.unrelated_below = 0.5
    store = ChromaFindingStore(child.connect, embedder)
    await store.rebuild([finding(1, "the yield rises with temperature"), finding(2, "copper conducts heat")])

    assert (await found(store, "yield with temperature", study_ids=["a"]))[0] == "f1"
    assert await found(store, "football on Sunday", study_ids=["a"]) == []


async def test_what_other_studies_hold_crowds_nothing_out_of_a_few(store):
    crowd = [finding(number, "the ligand decides the yield", study="c") for number in range(100, 320)]
    await store.rebuild([finding(1, "a ligand", study="a"), finding(2, "some ligand", study="b"), *crowd])

    assert set(await found(store, "the ligand decides the yield", study_ids=["a", "b"], limit=2)) == {
        "f1",
        "f2",
    }
    assert set(await found(store, "ligand", study_ids=[*map(str, range(20)), "a", "b"], limit=2)) == {
        "f1",
        "f2",
    }


async def test_a_search_of_several_studies_is_one_question_when_they_are_near(child, monkeypatch):
    asked = []
    embedder = Words()
    plain = embedder.embed
    monkeypatch.setattr(embedder, "embed", lambda texts: asked.append(list(texts)) or plain(texts))
    store = ChromaFindingStore(child.connect, embedder)
    await store.rebuild(finding(number, f"ligand {number}", study=f"s{number % 9}") for number in range(90))
    searched = []
    query = chroma_collection().query
    monkeypatch.setattr(
        chroma_collection(), "query", lambda self, **named: searched.append(self.name) or query(self, **named)
    )
    asked.clear()

    several = await found(store, "ligand 7", study_ids=[f"s{number}" for number in range(8)])
    assert len(searched) == 1
    assert set(several) <= {f"f{number}" for number in range(90) if number % 9 != 8}
    assert len(several) == 5

    await found(store, "ligand 7", study_ids=["s1"])
    assert asked == [["ligand 7"]]


def chroma_collection():
    from chromadb.api.models.Collection import Collection

    return Collection


@pytest.mark.parametrize(
    ("question", "answer"),
    [("哪种碱最好", "f1"), ("碱", "f1"), ("配体", "f2"), ("浓度", "f3"), ("今天的天气怎么样", None)],
)
async def test_a_short_question_in_chinese_finds_what_stands_in_english(child, question, answer):
    """The vector of a few characters is far from every English sentence; the terms in it are not."""
    store = ChromaFindingStore(child.connect, embedder_for())
    told = (
        "Over 12 measured experiments, the base changes the result most: 61.2 % with CsOPiv, 23.0 % with KOAc.",
        "The ligand matters: 45 % more on average with BrettPhos than with PPh3.",
        "Raising the concentration from 0.05 to 0.15 M changes nothing beyond the noise.",
    )
    await store.rebuild([finding(number, text) for number, text in enumerate(told, start=1)])
    assert (await found(store, question))[:1] == ([answer] if answer else [])


async def test_only_those_named_are_compared_and_an_unknown_one_does_no_harm(store):
    for number in range(1, 9):
        await store.add(finding(number, f"the yield with base {number} was low"))
    found = await store.search("yield with base 3", study_ids=None, limit=5, among=["f7", "f8", "f99"])
    assert {hit.finding_id for hit in found} == {"f7", "f8"}
    assert await store.search("yield", study_ids=None, limit=5, among=[]) == []
