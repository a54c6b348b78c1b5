"""Where messages may go: no address inside the network of the site unless its administrator names the host."""

import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings

from agents.core.errors import BadInput

SCHEMAS: frozenset[str] = frozenset(
    {
        *("discord", "slack", "tgram", "gchat", "msteams", "workflows", "wxteams", "pover", "pbul"),
        *("lark", "feishu", "dingtalk", "wecombot", "pagerduty", "opsgenie", "ntfy", "line", "zulip"),
    }
)
"""Services of Apprise that are reached at their own public address, so that nobody can point them elsewhere."""

NTFY_CLOUD = "ntfy.sh"


def check_webhook(url: str) -> str:
    """Return ``url`` when messages may be posted to it; raises ``BadInput`` that says why not."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if parts.username or parts.password:
        raise BadInput("The address holds a user name or password; put a secret into the field for it.")
    if host in settings.DAYBOOK_NOTIFY_HOSTS:
        if parts.scheme not in ("http", "https"):
            raise BadInput("A webhook is an http or https address.")
        return url
    if parts.scheme != "https" or not host:
        raise BadInput(
            "A webhook is an https address; the administrator names others in DAYBOOK_NOTIFY_HOSTS."
        )
    public_address(host, parts.port or 443)
    return url


def public_address(host: str, port: int) -> str:
    """Return an address of ``host`` that is public; raises ``BadInput`` when one of them is not, or none is known."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise BadInput(f"{host} is not known to this machine.") from None
    addresses = [str(row[4][0]) for row in found]
    for address in addresses:
        if not ipaddress.ip_address(address.partition("%")[0]).is_global:
            raise BadInput(
                f"{host} is an address inside the network of this site. An administrator can allow it in "
                "DAYBOOK_NOTIFY_HOSTS."
            )
    return addresses[0]


def pinned(url: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Return the address to post to, with headers and extensions for httpx, for a ``url`` that passes the check.

    A public host is reached at the very address that was looked at: its name may point elsewhere a moment later.
    """
    check_webhook(url)
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if host in settings.DAYBOOK_NOTIFY_HOSTS:
        return url, {}, {}
    address = public_address(host, parts.port or 443)
    shown = f"[{address}]" if ":" in address else address
    port = f":{parts.port}" if parts.port else ""
    target = parts._replace(netloc=f"{shown}{port}").geturl()
    return target, {"Host": f"{host}{port}"}, {"sni_hostname": host}


def check_apprise(url: str) -> str:
    """Return ``url`` when Apprise knows it and its service is one of the allowed; raises ``BadInput``."""
    schema = url.partition("://")[0].lower()
    allowed = SCHEMAS | set(settings.DAYBOOK_APPRISE_SCHEMAS)
    if schema not in allowed:
        raise BadInput(
            f"The service {schema or '(none)'} is not allowed here. Allowed: {', '.join(sorted(allowed))}; "
            "an administrator can add others in DAYBOOK_APPRISE_SCHEMAS."
        )
    from apprise import Apprise  # loads many services; only when somebody uses it

    made = Apprise.instantiate(url, suppress_exceptions=True)
    if made is None:
        raise BadInput(
            "Apprise does not understand this address; its documentation shows one for each service."
        )
    if (
        schema == "ntfy"
        and "ntfy" not in settings.DAYBOOK_APPRISE_SCHEMAS
        and getattr(made, "mode", "cloud") != "cloud"
    ):
        raise BadInput(f"Only topics of {NTFY_CLOUD} are allowed here, as ntfy://topic.")
    return url
