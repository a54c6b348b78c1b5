"""Whether the site lives and can work, for whatever watches it. Tells nothing about studies."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the process lives."""
    return JsonResponse({"status": "ok"})


@login_not_required
@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers and is migrated, else 503 with what is wrong."""
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return JsonResponse({"status": "the database does not answer"}, status=503)
    if pending:
        return JsonResponse(
            {"status": f"{len(pending)} migrations are pending: run manage.py migrate"}, status=503
        )
    return JsonResponse({"status": "ready"})
