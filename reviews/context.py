"""What every page of a signed-in person shows: the rail's counts."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviews.queries import open_count


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the rail's counts, read only when a template shows them."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"inbox_count": SimpleLazyObject(lambda: open_count(user))}
