"""Handing a job to an instrument: one signed POST, which the instrument answers at once with "I have it"."""

import json
from datetime import UTC, datetime
from typing import Any

from standardwebhooks.webhooks import Webhook

from agents.core.errors import BadInput, NotConfigured, Refused, Transient
from agents.core.text import shorten
from agents.tools.outside.wire import guarded_client, sent


def signed(secret: str, *, id: str, body: str) -> dict[str, str]:
    """Return the headers that sign ``body`` as the Standard Webhooks specification says."""
    now = datetime.now(UTC)
    return {
        "webhook-id": id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signer(secret).sign(id, now, body),
    }


def signer(secret: str) -> Webhook:
    """Return what signs and verifies with ``secret``; raises ``NotConfigured`` when it is none."""
    try:
        return Webhook(secret)
    except Exception as error:  # empty, no base64: the library raises several kinds
        raise NotConfigured(
            "the signing secret of the instrument is no base64 text, with or without whsec_ in front"
        ) from error


async def send(request: dict[str, Any]) -> dict[str, Any]:
    """Post the job of ``request`` and return {"job", "told"}. Raises the fault that the answer stands for.

    An instrument that has the job already answers 409, which is a success: the job's id is its idempotency key.
    """
    job = request["job"]
    body = json.dumps(
        {
            "job": job,
            "callback": request["callback"],
            "tool": request["name"],
            "arguments": request["arguments"],
            "returns": request["returns"],
        },
        ensure_ascii=False,
    )
    headers = {
        **signed(request["signing"], id=f"job_{job}", body=body),
        "Content-Type": "application/json",
        "Idempotency-Key": request["key"] or job,
    }
    async with guarded_client(request["allowed"], headers=request["headers"]) as client:
        answer = await sent(client, "POST", request["url"], content=body.encode(), headers=headers)
    said, status, host = shorten(answer.text, 300), answer.status_code, answer.url.host
    if answer.is_redirect:
        raise Refused(f"{host} redirects elsewhere; jobs are not sent on")
    if status == 429 or status >= 500:
        raise Transient(f"{host} answered with status {status}: {said}")
    if status >= 400 and status != 409:
        raise BadInput(f"{host} refused the job with status {status}: {said}")
    return {"job": job, "told": said}
