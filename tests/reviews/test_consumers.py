"""The socket of a run page, through the whole stack: sign-in, membership, origin, cursor, end."""

import asyncio
import re

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

from agents.services import give_guidance
from project.asgi import application
from reviews import consumers
from reviews.models import Membership
from reviews.services import add_member
from tests.support import make_run, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(consumers, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "RECHECK_SECONDS", 0.0)


@pytest.fixture
def run():
    return make_run()


@pytest.fixture
def session(run) -> str:
    user = make_user("ana")
    add_member(study=run.study, user=user, role="viewer")
    client = Client()
    client.force_login(user)
    return client.session.session_key


class Socket(ApplicationCommunicator):
    """A browser's end of a socket; ``channels.testing`` would need another server."""

    async def open(self) -> bool:
        await self.send_input({"type": "websocket.connect"})
        return (await self.receive_output(3))["type"] == "websocket.accept"

    async def text(self) -> str:
        return str((await self.receive_output(3))["text"])

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(3)


def socket(run, session: str = "", *, after: int = 0, origin: str = "http://localhost") -> Socket:
    headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
    if session:
        headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session}".encode()))
    scope = {
        "type": "websocket",
        "path": f"/ws/runs/{run.pk}/",
        "query_string": f"after={after}".encode(),
        "headers": headers,
        "subprotocols": [],
    }
    return Socket(application, scope)


def numbers(html: str) -> list[int]:
    return [int(seq) for seq in re.findall(r'data-seq="(\d+)"', html)]


async def closing(opened: Socket) -> int:
    """Return the code with which the server closes."""
    while True:
        message = await opened.receive_output(timeout=3)
        if message["type"] == "websocket.close":
            return int(message["code"])


async def test_a_member_gets_what_is_after_the_cursor_and_then_what_happens(run, session):
    opened = socket(run, session, after=0)
    assert await opened.open()
    assert numbers(await opened.text()) == [1]
    await sync_to_async(give_guidance)(run.pk, text="cooler", by="ana")
    assert numbers(await opened.text()) == [2]
    await opened.leave()


async def test_a_reader_who_comes_back_misses_and_repeats_nothing(run, session):
    for number in range(3):
        await sync_to_async(give_guidance)(run.pk, text=str(number), by="ana")
    opened = socket(run, session, after=2)
    await opened.open()
    assert numbers(await opened.text()) == [3, 4]
    await opened.leave()


async def test_without_a_sign_in_it_closes(run):
    opened = socket(run)
    await opened.open()
    assert await closing(opened) == 4404


async def test_for_a_stranger_it_closes_and_says_nothing(run, session):
    await Membership.objects.all().adelete()
    opened = socket(run, session)
    await opened.open()
    assert (await opened.receive_output(timeout=3))["type"] == "websocket.close"


@pytest.mark.parametrize("model", [Session, Membership])
async def test_it_closes_when_the_right_is_gone(run, session, model):
    opened = socket(run, session)
    await opened.open()
    await opened.text()
    await model.objects.all().adelete()
    assert await closing(opened) == 4404


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost.evil.example"])
async def test_a_foreign_page_is_refused(run, session, origin):
    opened = socket(run, session, origin=origin)
    assert await opened.open() is False


async def test_what_a_page_sends_changes_nothing(run, session):
    opened = socket(run, session)
    await opened.open()
    await opened.text()
    await opened.send_input({"type": "websocket.receive", "text": '{"verdict": "approve"}'})
    await asyncio.sleep(0.2)
    assert await opened.receive_nothing()
    await opened.leave()
