"""The socket of a run page. It only pumps what is after the reader's cursor; it takes no orders."""

import asyncio
import contextlib
import logging
import threading
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils import translation

from reviews.doorbell import attend, group_of
from reviews.live import Gone, Seen, news_in, reader_of

log = logging.getLogger("daybook.live")

TICK_SECONDS = 1.0
"""A reader looks by itself this often: the doorbell may be missed."""

RECHECK_SECONDS = 5.0
"""The session and the account are read again at least this often; membership at each look."""

NOT_ALLOWED = 4404


class RunConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """Sends a run's news as HTML. Session, account and membership are read anew as it looks."""

    async def connect(self) -> None:
        """Accept a member of the run's study; ``after`` in the address is the page's cursor."""
        self.run_id = str(self.scope["url_route"]["kwargs"]["pk"])
        self.seen = Seen(cursor=_cursor(self.scope.get("query_string", b"")))
        self.bell = asyncio.Event()
        self.pump: asyncio.Task[None] | None = None
        self.user: Any = None
        self.checked_at = 0.0
        session = self.scope.get("session")
        self.session_key = str(getattr(session, "session_key", "") or "")
        attend(asyncio.get_running_loop())
        await self.channel_layer.group_add(group_of(self.run_id), self.channel_name)
        await self.accept()
        self.pump = asyncio.create_task(self._pump())

    async def disconnect(self, code: int) -> None:
        """Stop looking."""
        if self.pump is not None:
            self.pump.cancel()
        if self.channel_layer is not None:
            await self.channel_layer.group_discard(group_of(self.run_id), self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore what the page says: nothing is changed over a socket."""

    async def news(self, event: dict[str, Any]) -> None:
        """The doorbell rang."""
        self.bell.set()

    async def _pump(self) -> None:
        try:
            while True:
                self.bell.clear()
                while await self._look():
                    pass
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.bell.wait(), TICK_SECONDS)
        except Gone:
            await self.close(code=NOT_ALLOWED)
        except asyncio.CancelledError:
            raise
        except OSError:
            # The page is gone while it was being told something; nobody is left to tell.
            log.debug("a run page left in the middle of an update")
        except Exception:
            # The page connects again and goes on from its cursor; the fault is for the log.
            log.exception("a run page's socket failed")
            with contextlib.suppress(OSError):
                await self.close(code=1011)

    async def _look(self) -> bool:
        now = asyncio.get_running_loop().time()
        if self.user is None or now - self.checked_at > RECHECK_SECONDS:
            self.user, self.checked_at = await database_sync_to_async(reader_of)(self.session_key), now
        found = await database_sync_to_async(_news)(
            _language(self.scope),
            self.run_id,
            self.user,
            self.seen,
            csrf_token=self.scope.get("cookies", {}).get(settings.CSRF_COOKIE_NAME, ""),
        )
        if found is None:
            return False
        html, self.seen = found
        await self.send(text_data=html)
        return True


_stopping = threading.Event()


def stop_looking() -> None:
    """Give no more news: the site is going down, and a page asks again wherever it connects next."""
    _stopping.set()


def _news(language: str, run_id: str, user: Any, seen: Seen, *, csrf_token: str) -> tuple[str, Seen] | None:
    # Asked here, in the thread: with many pages open, those that wait for their turn must not hold up a stop.
    return None if _stopping.is_set() else news_in(language, run_id, user, seen, csrf_token=csrf_token)


def _cursor(query: bytes) -> int:
    text = query.decode("ascii", "ignore")
    asked = next((part[6:] for part in text.split("&") if part.startswith("after=")), "0")
    return int(asked) if asked.isdigit() and len(asked) < 18 else 0


def _language(scope: dict[str, Any]) -> str:
    """The language of the page: the cookie, else what the browser prefers."""
    asked = scope.get("cookies", {}).get(settings.LANGUAGE_COOKIE_NAME, "")
    if not asked:
        header = dict(scope.get("headers", [])).get(b"accept-language", b"").decode("latin-1")
        asked = header.split(",")[0].split(";")[0].strip()
    try:
        return translation.get_supported_language_variant(asked)
    except LookupError:
        return settings.LANGUAGE_CODE
