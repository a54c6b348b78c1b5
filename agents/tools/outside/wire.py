"""The one HTTP client of outside tools: address checked and pinned at every request, plain, bounded, no redirects."""

from collections.abc import AsyncIterator, Iterable, Mapping

import httpx2

from agents.core.errors import Refused, Transient
from agents.tools.faults import InvalidOutput
from agents.tools.outside.address import Resolver, is_allowed_by_name, pinned, resolve

MAX_BYTES = 4 * 1024**2
CONNECT_S = 10.0


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """Sends each request to the address that was checked for it. TLS still verifies the name.

    ``named`` are the hosts that the site allows by name: only those may be private or without TLS.
    """

    def __init__(self, named: Iterable[str], *, resolver: Resolver = resolve) -> None:
        super().__init__(verify=True, trust_env=False, retries=0)
        self._named = frozenset(named)
        self._resolver = resolver

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send ``request``; raises ``Refused`` before anything is sent when its address is not allowed."""
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        if url.scheme not in ("http", "https") or not url.host:
            raise Refused(f"{url} is no address of a web service")
        if url.scheme == "http" and not is_allowed_by_name(url.host, port, self._named):
            raise Refused(
                f"{url.host} is asked without encryption; use https, or let an administrator allow the host by "
                "name in DAYBOOK_TOOL_HOSTS"
            )
        address = await pinned(url.host, port, self._named, resolver=self._resolver)
        host = f"[{address}]" if ":" in address else address
        sent = httpx2.Request(
            request.method,
            url.copy_with(host=host),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": url.host},
        )
        response = await super().handle_async_request(sent)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise InvalidOutput(f"{url.host} compressed its answer though it was asked not to")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream, url.host)
        return response


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with a refusal when it is too long."""

    def __init__(self, inner: httpx2.AsyncByteStream, host: str) -> None:
        self._inner = inner
        self._host = host

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MAX_BYTES:
                raise InvalidOutput(f"{self._host} answered with more than {MAX_BYTES // 1024**2} MB")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


def guarded_client(
    named: Iterable[str], *, headers: Mapping[str, str] | None = None, resolver: Resolver = resolve
) -> httpx2.AsyncClient:
    """Return a client that follows no redirect, reads no proxy setting and no stored credentials."""
    return httpx2.AsyncClient(
        transport=GuardedTransport(named, resolver=resolver),
        headers={**(headers or {}), "Accept-Encoding": "identity", "User-Agent": "daybook"},
        timeout=httpx2.Timeout(CONNECT_S, read=None),
        follow_redirects=False,
        trust_env=False,
    )


async def sent(client: httpx2.AsyncClient, method: str, url: str, **given: object) -> httpx2.Response:
    """Return the whole answer; raises ``Transient`` when the service cannot be reached."""
    try:
        return await client.request(method, url, **given)  # type: ignore[arg-type]
    except httpx2.InvalidURL as error:
        raise Refused(f"{url} is no address of a web service") from error
    except httpx2.HTTPError as error:
        host = httpx2.URL(url).host
        raise Transient(f"{host} could not be reached: {type(error).__name__}") from error
