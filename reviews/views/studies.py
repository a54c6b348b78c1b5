"""Studies: the list, the page of one, its sources, its members."""

from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents import services
from agents.core.constraints import describe
from agents.core.errors import BadInput
from agents.core.science import Constraint, Objective, Parameter, Space
from agents.models import Document, Study
from agents.queries import experiments_of, with_counts
from reviews.forms.study import TitleForm
from reviews.models import Role
from reviews.permissions import RANK, require, role_in, studies_of, study_or_404
from reviews.present.estimate import estimate
from reviews.present.ledger import table_row
from reviews.present.sources import sources_view
from reviews.queries import members_of
from reviews.services import add_member
from reviews.views.common import answers_faults, page_of, person, said

TABS = (
    ("study", gettext_lazy("Overview")),
    ("study-digest", gettext_lazy("Digest")),
    ("study-data", gettext_lazy("Data")),
    ("study-tools", gettext_lazy("Tools")),
    ("study-policy", gettext_lazy("Policy")),
    ("study-calibration", gettext_lazy("Track record")),
)


@require_GET
def study_list(request: HttpRequest) -> HttpResponse:
    """List the studies, newest first."""
    rows = with_counts(studies_of(request.user).filter(is_archived=False)).order_by("-created_at", "id")
    return render(request, "studies/list.html", {"page": page_of(request, rows)})


@require_http_methods(["GET", "POST"])
@answers_faults
def study_new(request: HttpRequest) -> HttpResponse:
    """Begin a study with its title; the rest is set up on its own page."""
    form = TitleForm(request.POST or None, auto_id="new-%s")
    if request.method == "GET" or not form.is_valid():
        return render(request, "studies/new.html", {"form": form}, status=422 if form.is_bound else 200)
    study = services.create_study(title=form.cleaned_data["title"], created_by=person(request))
    add_member(study=study, user=person(request), role=Role.OWNER)
    return redirect("study-setup", slug=study.slug)


def study_page(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what the pages of a study share: the study and what this person may do in it."""
    role = role_in(request.user, study)
    here = (request.resolver_match.url_name if request.resolver_match else "") or ""
    tabs = [
        {
            "url": reverse(name, args=[study.slug]),
            "label": label,
            "is_here": name == here
            or (name, here) == ("study-tools", "source")
            or (name == "study-policy" and here.startswith("policy-")),
        }
        for name, label in TABS
    ]
    return {
        "study": study,
        "tabs": tabs,
        "role": role,
        "may_edit": role is not None and RANK[role] >= RANK[Role.RESEARCHER],
        "is_owner": role == Role.OWNER,
        "estimate": estimate(study),
        "missing": services.missing_for_start(study),
    }


@require_GET
def study_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The study: question, space, limits, sources, runs, members."""
    study = study_or_404(request.user, slug)
    constraints = [Constraint.model_validate(row) for row in study.constraints]
    documents = list(study.documents.all())
    context = study_page(request, study) | {
        "space": Space.model_validate(study.space or {}),
        "objectives": [Objective.model_validate(row) for row in study.objectives],
        "constraints": [_limit_row(limit, documents) for limit in constraints],
        "documents": documents,
        "datasets": study.datasets.all(),
        "runs": page_of(request, study.runs.select_related("study").order_by("-number"), per=10),
        "members": members_of(study),
        "roles": Role.choices,
        "past": experiments_of(study.pk).filter(run=None).count(),
    }
    return render(request, "studies/detail.html", context)


def _limit_row(limit: Constraint, documents: list[Document]) -> dict[str, Any]:
    """Return a limit with its rule in words and the document it comes from, found by name where no id was given."""
    source = limit.source
    found = next((d for d in documents if source.document_id == str(d.pk) or source.document == d.name), None)
    return {"limit": limit, "rule": describe(limit.predicate) if limit.predicate else "", "document": found}


@require_GET
def study_digest(request: HttpRequest, slug: str) -> HttpResponse:
    """What the documents were reduced to, each item with page and quote; read only."""
    study = study_or_404(request.user, slug)
    context = study_page(request, study) | sources_view(study) | {"may_edit": False, "is_read_only": True}
    return render(request, "studies/digest.html", context)


@require_GET
def study_data(request: HttpRequest, slug: str) -> HttpResponse:
    """The ledger of the study: past experiments and those of every run, newest first."""
    study = study_or_404(request.user, slug)
    parameters = [Parameter.model_validate(row) for row in (study.space or {}).get("parameters", [])]
    objectives = [Objective.model_validate(row) for row in study.objectives]
    constraints = [Constraint.model_validate(row) for row in study.constraints]
    page = page_of(request, experiments_of(study.pk).select_related("run").reverse(), per=50)
    context = study_page(request, study) | {
        "page": page,
        "columns": parameters,
        "objectives": objectives,
        "table": [table_row(row, parameters, objectives, constraints) for row in page.object_list],
    }
    return render(request, "studies/data.html", context)


@require_POST
@answers_faults
def study_start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a run of the study as it stands now."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.RESEARCHER)
    run = services.start_run(
        study,
        by=request.user.get_username(),
        user=person(request),
        memory=request.POST.get("memory", ""),
    )
    return redirect("run", pk=run.pk)


@require_POST
@answers_faults
def study_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a member or change a role; owners only."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.OWNER)
    name, role = request.POST.get("username", "").strip(), request.POST.get("role", "")
    user = get_user_model().objects.filter(username=name, is_active=True).first()
    if user is None:
        raise BadInput(
            _(
                "There is no account called “%(name)s”. An administrator makes it with `manage.py account add`."
            )
            % {"name": name}
        )
    if role not in Role.values:
        raise BadInput(_("Choose one of the roles."))
    owners = members_of(study).filter(role=Role.OWNER).exclude(user=user)
    if role != Role.OWNER and not owners.exists():
        raise BadInput(_("A study needs an owner: make somebody else one first."))
    add_member(study=study, user=user, role=role)
    said(request, _("%(name)s is now a member.") % {"name": name})
    return redirect("study", slug=slug)
