"""The policy of a study: its rules in order, a form for one, presets, versions, and what it would have asked."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.core.errors import BadInput
from agents.core.policy import CUSTOM, POLICIES, PolicyTable, Rule, preset
from agents.models import Run, Study
from agents.services import current_policy, would_ask
from agents.services.policies import tool_titles
from agents.services.would_ask import Asked, WouldAsk
from agents.wiring import is_model_configured
from reviews import services
from reviews.forms.policy import TABLE_FIELDS, DeadlineForm, RuleForm, rule_initial
from reviews.models import Role
from reviews.permissions import require, study_or_404
from reviews.present.policy import THEN, deadline, rule_rows, why
from reviews.present.words import POLICIES as POLICY_WORDS
from reviews.views.common import answers_faults, page_of, person, said
from reviews.views.studies import study_page

RUNS_SHOWN = 10


@require_GET
def study_policy(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules in order, what happens otherwise, and the versions before."""
    study = study_or_404(request.user, slug)
    table = current_policy(study)
    context = study_page(request, study) | {
        "table": table,
        "rows": rule_rows(table),
        "deadline": deadline(table.deadline_hours, table.on_deadline) if table.deadline_hours else "",
        "deadline_form": DeadlineForm(initial=table.model_dump(include=TABLE_FIELDS)),
        "has_model": is_model_configured(),
        "presets": [(code, POLICY_WORDS[code][0]) for code in POLICIES],
        "versions": page_of(request, study.policies.order_by("-number"), per=10),
    }
    return render(request, "policy/index.html", context)


@require_http_methods(["GET", "POST"])
@answers_faults
def policy_rule(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A form for rule ``number``; 0 adds one at the end."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.OWNER)
    table = current_policy(study)
    if number > len(table.rules):
        raise Http404
    initial = rule_initial(table.rules[number - 1] if number else Rule())
    form = RuleForm(request.POST or None, initial=initial, tools=list(tool_titles(study).items()))
    status = 200
    if request.method == "POST":
        try:
            if form.is_valid():
                _put(study, request, form.rule(), number)
                return redirect("study-policy", slug=slug)
        except BadInput as fault:
            form.add_error(None, str(fault))
        status = 422
    context = study_page(request, study) | {
        "form": form,
        "number": number,
        "base": _base(request.POST, table),
    }
    return render(request, "policy/rule.html", context, status=status)


def _base(posted: QueryDict, table: PolicyTable) -> int:
    """Return the version that the form was shown with."""
    given = posted.get("base", "")
    return int(given) if given.isdigit() and len(given) < 9 else table.version


def _put(study: Study, request: HttpRequest, rule: Rule, number: int) -> None:
    def put(rules: list[Rule]) -> list[Rule]:
        return [*rules[: number - 1], rule, *rules[number:]] if number else [*rules, rule]

    base = _base(request.POST, current_policy(study))
    services.change_rules(study, user=person(request), base=base, change=put)
    said(request, _("The policy was changed. Runs under way keep theirs."))


@require_POST
@answers_faults
def policy_verb(request: HttpRequest, slug: str, verb: str) -> HttpResponse:
    """Move a rule up or down, remove it, take a preset, set the deadline."""
    study = study_or_404(request.user, slug)
    require(request.user, study, Role.OWNER)
    if verb == "preset":
        services.use_preset(study, user=person(request), name=request.POST.get("policy", ""))
    elif verb in ("up", "down", "remove"):
        services.change_rules(
            study,
            user=person(request),
            base=_base(request.POST, current_policy(study)),
            change=lambda rules: _moved(rules, verb, request.POST.get("rule", "")),
        )
    elif verb == "deadline":
        _set_deadline(study, request)
    else:
        raise Http404
    said(request, _("The policy was changed. Runs under way keep theirs."))
    return redirect("study-policy", slug=slug)


def _moved(rules: list[Rule], verb: str, given: str) -> list[Rule]:
    number = int(given) if given.isdigit() and len(given) < 6 else 0
    if not 1 <= number <= len(rules):
        raise BadInput(_("There is no such rule."))
    rest, rule = [*rules[: number - 1], *rules[number:]], rules[number - 1]
    if verb != "remove":
        place = max(0, number - 2) if verb == "up" else number
        rest.insert(place, rule)
    return rest


def _set_deadline(study: Study, request: HttpRequest) -> None:
    form = DeadlineForm(request.POST)
    if not form.is_valid():
        raise BadInput(" ".join(str(error) for errors in form.errors.values() for error in errors))
    base = _base(request.POST, current_policy(study))
    services.change_rules(study, user=person(request), base=base, change=list, **form.cleaned_data)


@require_GET
@answers_faults
def policy_would_ask(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the policy, or a preset, would have asked in past runs: totals by run, and one run by round."""
    study = study_or_404(request.user, slug)
    chosen = request.GET.get("policy", "")
    table = preset(chosen) if chosen in POLICIES else current_policy(study)
    runs = page_of(request, study.runs.select_related("study").order_by("-number"), per=RUNS_SHOWN)
    found = [would_ask(run, table) for run in runs.object_list]
    shown = _chosen_run(request, found, table, study)
    rounds = page_of(request, shown.gates if shown else [], per=50, name="rounds")
    context = study_page(request, study) | {
        "table": table,
        "chosen": chosen if chosen in POLICIES else "",
        "presets": [(code, POLICY_WORDS[code][0]) for code in POLICIES],
        "has_own": table.name == CUSTOM,
        "runs": runs,
        "found": found,
        "shown": shown,
        "page": rounds,
        "rounds": [_in_words(row) for row in rounds.object_list],
    }
    return render(request, "policy/would_ask.html", context)


def _chosen_run(
    request: HttpRequest, found: list[WouldAsk], table: PolicyTable, study: Study
) -> WouldAsk | None:
    asked = request.GET.get("run", "")
    if not asked.isdigit() or len(asked) > 9:
        return found[0] if found else None
    known = next((row for row in found if row.run.number == int(asked)), None)
    if known is not None:
        return known
    run = Run.objects.filter(study=study, number=int(asked)).select_related("study").first()
    if run is None:
        raise Http404
    return would_ask(run, table)


def _in_words(row: Asked) -> dict[str, Any]:
    """Return a gate with the outcome and the reason in words."""
    return {"gate": row, "then": THEN[row.judgement.then], "why": why(row.judgement)}
