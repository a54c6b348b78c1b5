"""Which addresses a tool may reach: public ones; private ones only when the site names the host; some never."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable

from agents.core.errors import Refused, Transient

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Awaitable[list[str]]]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NEVER = tuple(
    ipaddress.ip_network(network)
    for network in ("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "100.100.100.200/32", "192.0.0.192/32")
)
"""Link-local networks and the addresses where clouds hand out credentials."""


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of ``host`` as this machine knows them."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Transient(f"{host} has no address here") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def pinned(host: str, port: int, named: Iterable[str], *, resolver: Resolver = resolve) -> str:
    """Return the one address to connect to. Every address of the host must be allowed, not only that one.

    ``named`` holds the hosts (``host`` or ``host:port``) that the site allows by name, whatever their address.
    Raises ``Refused``, or ``Transient`` when the host has no address.
    """
    addresses = await resolver(host, port)
    if not addresses:
        raise Transient(f"{host} has no address here")
    is_named = is_allowed_by_name(host, port, named)
    for text in addresses:
        problem = _problem(_unwrapped(ipaddress.ip_address(text.partition("%")[0])), is_named=is_named)
        if problem:
            raise Refused(f"{host} is not reached: its address {text} {problem}")
    return addresses[0]


def is_allowed_by_name(host: str, port: int, named: Iterable[str]) -> bool:
    """Return True when the site names ``host``, or ``host:port``."""
    plain = host.strip("[]").rstrip(".").lower()
    names = {name.strip("[]").lower() for name in named}
    return plain in names or f"{plain}:{port}" in names or f"[{plain}]:{port}" in names


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address inside an IPv6 one: it is where the packets go."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    if inner is None and address in _NAT64:
        inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return inner or address


def _problem(address: Address, *, is_named: bool) -> str:
    if any(address.version == network.version and address in network for network in _NEVER):
        return "is link-local or hands out credentials; tools never go there"
    if address.is_unspecified or address.is_multicast:
        return "is no address of a service"
    if address.is_global or is_named:
        return ""
    return "is not public; an administrator may allow the host by name in DAYBOOK_TOOL_HOSTS"
