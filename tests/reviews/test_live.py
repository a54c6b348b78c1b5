"""What a reader of a run page is sent: everything once, in order, and nothing after the right has gone."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.test import Client

from agents.models import Thought
from agents.services import give_guidance, stop_run
from reviews.live import Gone, Seen, news, reader_of
from reviews.models import Membership
from reviews.services import add_member
from tests.support import make_run, make_user, take

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run()


@pytest.fixture
def user(run):
    user = make_user("ana")
    add_member(study=run.study, user=user, role="viewer")
    return user


def test_nothing_new_sends_nothing(run, user):
    _, seen = news(run.pk, user, Seen(0))
    assert news(run.pk, user, seen) is None


def test_each_event_is_sent_once(run, user):
    _, seen = news(run.pk, user, Seen(0))
    give_guidance(run.pk, text="cooler", by="ana")
    html, seen = news(run.pk, user, seen)
    assert (html.count("data-seq"), seen.cursor) == (1, 2)
    assert news(run.pk, user, seen) is None


def test_a_reader_far_behind_is_sent_pieces_in_order(run, user, monkeypatch):
    monkeypatch.setattr("reviews.live.AT_ONCE", 2)
    for number in range(4):
        give_guidance(run.pk, text=f"g{number}", by="ana")
    seen, cursors = Seen(0), []
    while found := news(run.pk, user, seen):
        seen = found[1]
        cursors.append(seen.cursor)
    assert cursors == [2, 4, 5]


def test_a_thought_is_sent_while_the_run_works_and_taken_away_after(run, user):
    take(run)
    Thought.objects.create(run=run, text="perhaps caesium")
    html, seen = news(run.pk, user, Seen(0))
    assert "<pre data-thought>perhaps caesium</pre>" in html
    Thought.objects.filter(run=run).update(text="")
    assert "<pre data-thought></pre>" in news(run.pk, user, seen)[0]


def test_the_end_of_a_run_is_marked(run, user):
    stop_run(run.pk, by="ana")
    assert "data-final" in news(run.pk, user, Seen(0))[0]


def test_one_who_is_no_member_any_more_is_sent_away(run, user):
    Membership.objects.all().delete()
    with pytest.raises(Gone):
        news(run.pk, user, Seen(0))


def session_of(user) -> str:
    client = Client()
    client.force_login(user)
    return client.session.session_key


def test_a_session_names_its_reader(user):
    assert reader_of(session_of(user)) == user


@pytest.mark.parametrize(
    "ends",
    [
        lambda user: Session.objects.all().delete(),
        lambda user: get_user_model().objects.update(is_active=False),
        lambda user: (user.set_password("another"), user.save()),
    ],
    ids=["signed out", "deactivated", "password changed"],
)
def test_a_session_that_has_ended_names_nobody(user, ends):
    key = session_of(user)
    ends(user)
    with pytest.raises(Gone):
        reader_of(key)


@pytest.mark.parametrize("key", ["", "invented"])
def test_an_invented_session_names_nobody(key):
    with pytest.raises(Gone):
        reader_of(key)
