"""Where tools may go: public addresses, private ones by name, some never; checked at every request."""

import httpx2
import pytest

from agents.core.errors import Refused, Transient
from agents.tools.faults import InvalidOutput
from agents.tools.outside.address import pinned
from agents.tools.outside.wire import guarded_client, sent

PRIVATE = [
    "127.0.0.1", "127.1", "127.0.0.53", "localhost", "LOCALHOST", "localhost.", "2130706433", "0x7f000001", "0177.0.0.1",
    "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "192.0.2.1", "240.0.0.1",
    "::1", "fc00::1", "fd12:3456::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1",
]  # fmt: skip
NEVER = ["169.254.169.254", "169.254.170.2", "fe80::1", "fd00:ec2::254", "100.100.100.200", "::ffff:169.254.169.254", "0.0.0.0", "::", "224.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE + NEVER)
async def test_what_is_not_public_is_not_reached(host):
    with pytest.raises((Refused, Transient)):
        await pinned(host, 80, [])


@pytest.mark.parametrize("host", NEVER)
async def test_some_addresses_are_not_reached_even_by_name(host):
    with pytest.raises(Refused):
        await pinned(host, 80, [host])


async def test_a_private_host_is_reached_when_the_site_names_it():
    assert await pinned("127.0.0.1", 8000, ["127.0.0.1"]) == "127.0.0.1"
    assert await pinned("127.0.0.1", 8000, ["127.0.0.1:8000"]) == "127.0.0.1"
    with pytest.raises(Refused):
        await pinned("127.0.0.1", 9000, ["127.0.0.1:8000"])


def answering(*answers):
    """A resolver that gives one list of addresses after the other."""
    left = list(answers)

    async def resolver(host, port):
        return left.pop(0) if len(left) > 1 else left[0]

    return resolver


async def test_one_private_address_among_public_ones_is_enough_to_refuse():
    with pytest.raises(Refused, match=r"10\.0\.0\.8"):
        await pinned("lab.example", 443, [], resolver=answering(["93.184.216.34", "10.0.0.8"]))


async def test_the_address_that_was_checked_is_the_one_that_is_used(monkeypatch):
    """A name that points elsewhere at its second look-up changes nothing: it is looked up once a request."""
    used = []

    async def handle(self, request):
        used.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        return httpx2.Response(200, stream=httpx2.ByteStream(b"ok"))

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", handle)
    resolver = answering(["93.184.216.34"], ["127.0.0.1"])
    async with guarded_client([], resolver=resolver) as client:
        await sent(client, "GET", "https://lab.example/x")
        assert used == [("93.184.216.34", "lab.example", "lab.example")]
        with pytest.raises(Refused):
            await sent(client, "GET", "https://lab.example/x")


async def test_without_encryption_only_named_hosts_are_asked():
    async with guarded_client([], resolver=answering(["93.184.216.34"])) as client:
        with pytest.raises(Refused, match="without encryption"):
            await sent(client, "GET", "http://lab.example/x")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "gopher://x/1", "ftp://x/", "http://", "https:///x"])
async def test_other_schemes_are_no_web_service(url):
    async with guarded_client(["x"]) as client:
        with pytest.raises((Refused, Transient)):
            await sent(client, "GET", url)


async def test_a_redirect_is_not_followed(httpserver):
    httpserver.expect_request("/a").respond_with_data("", status=302, headers={"Location": "/b"})
    async with guarded_client([httpserver.host]) as client:
        assert (await sent(client, "GET", httpserver.url_for("/a"))).status_code == 302


async def test_an_answer_without_end_is_cut(httpserver):
    httpserver.expect_request("/a").respond_with_data(b"x" * 5_000_000)
    async with guarded_client([httpserver.host]) as client:
        with pytest.raises(InvalidOutput, match="more than 4 MB"):
            await sent(client, "GET", httpserver.url_for("/a"))


async def test_a_compressed_answer_is_refused(httpserver):
    httpserver.expect_request("/a").respond_with_data(b"x", headers={"Content-Encoding": "gzip"})
    async with guarded_client([httpserver.host]) as client:
        with pytest.raises(InvalidOutput, match="compressed"):
            await sent(client, "GET", httpserver.url_for("/a"))
