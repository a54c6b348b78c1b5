"""The doorbell: "there is something after your cursor". It carries no data and may be missed."""

import asyncio
import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, get_channel_layer

log = logging.getLogger("daybook.live")

_loop: asyncio.AbstractEventLoop | None = None


def group_of(run_id: str) -> str:
    """Return the name of a run's group."""
    return f"run.{run_id}"


def attend(loop: asyncio.AbstractEventLoop) -> None:
    """Remember the loop that serves sockets, so that worker threads of this process can ring in it."""
    global _loop
    _loop = loop


def ring(run_id: str) -> None:
    """Ring for everyone who watches the run; never raises, since readers look by themselves too."""
    layer: Any = get_channel_layer()
    message = {"type": "news"}
    try:
        if isinstance(layer, InMemoryChannelLayer):
            # A send from another thread would be seen only at the loop's next own event.
            if _loop is not None and _loop.is_running():
                asyncio.run_coroutine_threadsafe(layer.group_send(group_of(run_id), message), _loop)
        else:
            async_to_sync(layer.group_send)(group_of(run_id), message)
    except Exception as fault:
        log.debug("the doorbell did not ring: %s", fault)
