"""The set-up of a study: one page in four parts that save as you go. What does not validate is kept as typed."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents import services
from agents.core.errors import BadInput
from agents.core.policy import CUSTOM
from agents.models import Study
from reviews.forms.parts import PARTS, Part, part_forms
from reviews.models import Role
from reviews.permissions import require, study_or_404
from reviews.present.sources import sources_view
from reviews.present.words import POLICIES, REASONERS
from reviews.views.common import answers_faults, wants_fragment
from reviews.views.studies import study_page

DRAFT_LIMIT = 200_000


@require_GET
@answers_faults
def study_setup(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the four parts, each as it is saved or as it was typed last."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.RESEARCHER)
    drafts = {name: _draft(study, name) for name in PARTS}
    context = study_page(request, study) | sources_view(study)
    for name in PARTS:
        context |= part_forms(name, study, data=drafts[name])
    has_own = study.policies.filter(name=CUSTOM).exists()
    context |= {
        "drafts": {name: data is not None for name, data in drafts.items()},
        "policies": [(code, *words) for code, words in POLICIES.items() if code != CUSTOM or has_own],
        "reasoners": [(code, *words) for code, words in REASONERS.items()],
    }
    return render(request, "studies/setup.html", context)


def _draft(study: Study, name: str) -> QueryDict | None:
    typed = (study.draft or {}).get(name)
    return QueryDict(typed) if isinstance(typed, str) else None


@require_POST
@answers_faults
def setup_part(request: HttpRequest, slug: str, part: str) -> HttpResponse:
    """Save one part. What the service refuses is kept as a draft and answered with what is wrong, by field."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.RESEARCHER)
    if part not in PARTS:
        raise Http404
    if study.policy == CUSTOM and part == "way" and request.POST.get("policy") != CUSTOM:
        require(request.user, study, Role.OWNER)  # the rules are the owner's
    problems = save_part(study, PARTS[part], request.POST)
    if not wants_fragment(request):
        return redirect(f"/studies/{study.slug}/setup/#{PARTS[part].anchor}")
    study.refresh_from_db()
    context = study_page(request, study) | {"part": part, "problems": problems}
    return render(request, "studies/saved.html", context, status=200)


def save_part(study: Study, part: Part, data: QueryDict) -> list[str]:
    """Change the study by what was typed; return what is wrong with it, after keeping the text as a draft."""
    forms = part.forms(study, data)
    problems = [problem for form in forms for problem in _problems(form)]
    if not problems:
        try:
            services.change_study(study, **part.fields(study, forms))
        except BadInput as fault:
            problems = [str(row.get("message") or row) for row in fault.problems] or [str(fault)]
    _keep(study, part.name, data if problems else None)
    return problems


def _problems(form: Any) -> list[str]:
    if form.is_valid():
        return []
    if hasattr(form, "forms"):
        return [problem for row in form.forms for problem in _problems(row)] or [
            _("Reload the page and try again.")
        ]
    return [
        f"{form.fields[name].label or name}: {error}" if name in form.fields else str(error)
        for name, errors in form.errors.items()
        for error in errors
    ]


def _keep(study: Study, name: str, data: QueryDict | None) -> None:
    draft = {key: value for key, value in (study.draft or {}).items() if key != name}
    if data is not None:
        typed = data.copy()
        typed.pop("csrfmiddlewaretoken", None)
        draft[name] = typed.urlencode()[:DRAFT_LIMIT]
    if draft != study.draft:
        services.change_study(study, draft=draft)
