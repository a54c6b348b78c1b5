"""A scripted server that speaks the OpenAI Chat Completions protocol on the loopback address.

``with ModelServer([Say("..."), Fail(500)]) as server: ... server.base_url``
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from agents.testing.replies import Drop, Fail, Hang, Reply, Request, Script, message_of, prompt_text

Manner = Literal["honours", "ignores", "refuses"]
CACHE_BLOCK = 128
CACHE_MINIMUM = 1024


@dataclass(frozen=True)
class Traits:
    """How the server behaves whatever the script says. ``window`` is the longest prompt in tokens."""

    models: tuple[str, ...] = ("scripted",)
    api_key: str = ""
    json_schema: Manner = "honours"
    tools: Manner = "honours"
    reports_usage: bool = True
    can_stream: bool = True
    window: int | None = None
    piece: int = 24
    """Characters a streamed piece."""
    pause_s: float = 0.0
    """Wait between pieces, so that a person sees it stream."""
    count: Callable[[str], int] = field(default=lambda text: len(text) // 4 + 1)


class ModelServer:
    """A context manager around the server. ``requests`` holds the bodies that came, oldest first."""

    def __init__(self, script: Script, *, traits: Traits | None = None, port: int = 0) -> None:
        self.script = script
        self.traits = traits or Traits()
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._prompts: list[str] = []
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._http.daemon_threads = True

    @property
    def base_url(self) -> str:
        """What a client gets as its base URL."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def take(self, request: Request) -> tuple[Reply, dict[str, Any]]:
        """Record a request and return its reply with the usage of the prompt."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            usage = self._usage(prompt_text(request))
        if callable(self.script):
            return self.script(request, number), usage
        return self.script[min(number, len(self.script) - 1)], usage

    def _usage(self, prompt: str) -> dict[str, Any]:
        """Count as a provider with a prefix cache does: whole blocks, from a minimum on."""
        count = self.traits.count
        shared = max((count(prompt[: _shared_length(prompt, old)]) for old in self._prompts[-3:]), default=0)
        self._prompts.append(prompt)
        cached = shared // CACHE_BLOCK * CACHE_BLOCK if shared >= CACHE_MINIMUM else 0
        return {"prompt_tokens": count(prompt), "prompt_tokens_details": {"cached_tokens": cached}}


def _shared_length(one: str, other: str) -> int:
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return min(len(one), len(other))


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"
    # Small pieces wait 40 ms for an acknowledgement otherwise.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent: the requests are recorded."""

    def do_GET(self) -> None:
        if not self._is_welcome():
            return
        if self.path != "/v1/models":
            self._error(Fail(404, f"no such path: {self.path}"))
            return
        rows = [{"id": name, "object": "model", "owned_by": "script"} for name in self.owner.traits.models]
        self._json(200, {"object": "list", "data": rows})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path != "/v1/chat/completions":
            self._error(Fail(404, f"no such path: {self.path}"))
        elif self._is_welcome() and not self._is_refused(body):
            self._answer(body)

    def _answer(self, request: Request) -> None:
        reply, usage = self.owner.take(request)
        if isinstance(reply, Fail):
            self._error(reply)
        elif isinstance(reply, Hang):
            self.owner.closing.wait(reply.seconds)
            self.close_connection = True
        elif isinstance(reply, Drop):
            self._stream(request, {"content": reply.text}, None, usage)
        else:
            message, finish = message_of(reply, request, ignored=self._ignores(request))
            if request.get("stream") and self.owner.traits.can_stream:
                self._stream(request, message, finish, usage)
            else:
                self._complete(request, message, finish, usage)

    def _is_welcome(self) -> bool:
        key = self.owner.traits.api_key
        if not key or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        self._error(Fail(401, "Incorrect API key provided.", "invalid_api_key"))
        return False

    def _is_refused(self, request: Request) -> bool:
        traits, model = self.owner.traits, request.get("model")
        length = traits.count(prompt_text(request))
        if model not in traits.models:
            self._error(Fail(404, f"The model `{model}` does not exist.", "model_not_found"))
        elif request.get("response_format") and traits.json_schema == "refuses":
            self._error(Fail(400, "response_format is not supported by this server"))
        elif request.get("tools") and traits.tools == "refuses":
            self._error(Fail(400, "tool_choice is not supported by this server"))
        elif traits.window is not None and length > traits.window:
            text = f"This model's maximum context length is {traits.window} tokens. Your messages have {length} tokens."
            self._error(Fail(400, text, "context_length_exceeded"))
        else:
            return False
        return True

    def _ignores(self, request: Request) -> bool:
        traits = self.owner.traits
        if request.get("response_format"):
            return traits.json_schema == "ignores"
        return bool(request.get("tools")) and traits.tools == "ignores"

    def _complete(
        self, request: Request, message: dict[str, Any], finish: str, usage: dict[str, Any]
    ) -> None:
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        body = {**_head(request, "chat.completion"), "choices": [choice]}
        if self.owner.traits.reports_usage:
            body["usage"] = self._counted(usage, message)
        self._json(200, body)

    def _stream(
        self, request: Request, message: dict[str, Any], finish: str | None, usage: dict[str, Any]
    ) -> None:
        """Send the message in pieces. ``finish`` None closes the connection in mid-stream."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        head = _head(request, "chat.completion.chunk")
        try:
            for delta in _pieces(message, self.owner.traits.piece):
                self._event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                time.sleep(self.owner.traits.pause_s)
            if finish is None:
                self.close_connection = True
                return
            if finish:
                self._event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
            if self.owner.traits.reports_usage and (request.get("stream_options") or {}).get("include_usage"):
                self._event({**head, "choices": [], "usage": self._counted(usage, message)})
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _counted(self, usage: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
        completion = self.owner.traits.count(json.dumps(message, ensure_ascii=False))
        return {**usage, "completion_tokens": completion, "total_tokens": usage["prompt_tokens"] + completion}

    def _event(self, payload: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _error(self, fail: Fail) -> None:
        headers = {} if fail.retry_after is None else {"Retry-After": f"{fail.retry_after:g}"}
        error = {"message": fail.message, "type": "error", "code": fail.code or None}
        self._json(fail.status, {"error": error}, headers)

    def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _head(request: Request, kind: str) -> dict[str, Any]:
    return {"id": "scripted", "object": kind, "created": 1, "model": request.get("model", "")}


def _pieces(message: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for key in ("reasoning_content", "content", "refusal"):
        text = message.get(key) or ""
        for start in range(0, len(text), size):
            yield {key: text[start : start + size]}
    for call in message.get("tool_calls") or []:
        yield from _call_pieces(call, size)


def _call_pieces(call: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    arguments = call["function"]["arguments"]
    if not isinstance(arguments, str):
        yield {"tool_calls": [call]}
        return
    yield {"tool_calls": [{**call, "function": {**call["function"], "arguments": ""}}]}
    for start in range(0, len(arguments), size):
        part = {"index": call["index"], "function": {"arguments": arguments[start : start + size]}}
        yield {"tool_calls": [part]}
