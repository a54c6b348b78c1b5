"""Embedding everything once more: counted, searchable meanwhile, and cancelled without harm."""

import pytest
from django.urls import reverse

from agents.memory import cancel_embedding, embed_all_again, index_findings, index_state, use_store
from agents.models import Finding
from tests.memory.test_never_again import Index
from tests.reviews.views.conftest import browser_of
from tests.support import make_run, make_user

pytestmark = pytest.mark.django_db


class Counted(Index):
    """Counts what it is told to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.added = 0

    async def add(self, finding) -> None:
        self.added += 1
        await super().add(finding)

    async def count(self) -> int:
        return len(self.known)

    async def model(self) -> tuple[str, int]:
        return "double-small", 96


@pytest.fixture
def store():
    store = Counted()
    run = make_run()
    for number in range(1, 121):
        status = "retracted" if number == 120 else "active"
        Finding.objects.create(
            study=run.study, run=run, number=number, text=f"finding {number}", status=status
        )
    while index_findings(store):
        pass
    use_store(store)
    store.added = 0
    yield store
    use_store(None)


def test_all_are_embedded_once_more_and_the_progress_is_told(store):
    assert (index_state().left, index_state().total) == (0, 119)
    assert embed_all_again() == 119
    index_findings(store)
    state = index_state()
    assert (state.again, state.done, state.waiting) == (69, 50, 0)
    assert (state.model, state.dimension, state.held) == ("double-small", 96, 119)
    while index_findings(store):
        pass
    assert (store.added, index_state().left) == (119, 0)


def test_a_cancel_keeps_what_is_done_and_what_is_changed_is_still_indexed(store):
    embed_all_again()
    index_findings(store)
    Finding.objects.filter(number=1).update(text="corrected", is_indexed=False)
    assert cancel_embedding() in (69, 70)
    while index_findings(store):
        pass
    assert store.added == 51
    assert "corrected" in store.known.values()


def test_the_settings_page_shows_it_and_only_an_administrator_starts_it(store):
    admin, other = make_user("root"), make_user("vic")
    admin.is_superuser = True
    admin.save()
    assert browser_of(other).post(reverse("embeddings", args=["again"])).status_code == 403
    client = browser_of(admin)
    assert client.post(reverse("embeddings", args=["explode"])).status_code == 404
    assert client.post(reverse("embeddings", args=["again"])).status_code == 302
    html = client.get(reverse("settings")).content.decode()
    assert "0 of 119 findings are embedded" in html
    assert "double-small" in html
    assert "Leave the rest as it is" in html
    client.post(reverse("embeddings", args=["cancel"]))
    assert index_state().left == 0
    assert "Embed all findings again" not in browser_of(other).get(reverse("settings")).content.decode()
