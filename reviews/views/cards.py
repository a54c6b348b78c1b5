"""The review card as templates need it: one context for inbox, run page, its own page and live updates."""

from dataclasses import dataclass
from typing import Any

from django import forms

from agents.calibration import calibration_for
from agents.core.calibration import Calibration
from agents.core.canonical import canonical_json
from agents.core.gates import GateKind, GateRequest
from agents.core.workflow import is_workflow
from agents.models import Gate
from reviews.bench.files import files_of, takes_files
from reviews.bench.tasks import is_bench, task_of
from reviews.forms.bench import BenchTaskForm
from reviews.forms.comments import CommentForm
from reviews.forms.decide import (
    ARGUMENT,
    EditForm,
    NoteForm,
    ResultForm,
    VetoForm,
    initial_of,
    shown_prediction,
)
from reviews.forms.lists import ListForm, list_initial
from reviews.forms.signing import SignForm
from reviews.models import BenchDraft, Decision, Draft, Review, Role
from reviews.permissions import RANK
from reviews.present.buttons import FORM_TITLES, Button, buttons_of, forms_of
from reviews.present.card import Card, make_card
from reviews.present.figures import number
from reviews.present.kept import kept_of
from reviews.present.lists import argument_changes, card_items, items_or_none
from reviews.present.people import People, people_of
from reviews.present.policy import why
from reviews.present.tooling import action_spec, result_schema_of, spec_of, specs_of
from reviews.present.words import REASONS
from reviews.services.comments import comments_for, parts_of
from reviews.services.people import candidates
from reviews.services.signing import is_signed


@dataclass(frozen=True)
class Edit:
    """One value that a person changed."""

    label: str
    old: Any
    new: Any


def card_context(
    *,
    gate: Gate,
    user: Any,
    role: Role | None,
    doing: str = "",
    form: forms.Form | None = None,
    sign_form: SignForm | None = None,
    notice: dict[str, Any] | None = None,
    back: str = "",
    comment_form: CommentForm | None = None,
) -> dict[str, Any]:
    """Return everything that ``reviews/card.html`` shows of ``gate`` to ``user``."""
    kind, review = GateKind(gate.kind), gate.review
    card = card_of(gate)
    people = people_of(review, user=user, role=role, gate_digest=gate.digest)
    may = people.may_decide
    signed = is_signed(gate.run)
    if review.status == "open" and may and kind is GateKind.RESULT and not doing:
        doing = "measure"
    if (
        doing not in forms_of(kind, is_signed=signed)
        or (doing == "measure" and _is_list(card))
        or not may
        or review.status != "open"
    ):
        doing = ""
    draft = draft_of(gate, user, doing) if doing else None
    return {
        "review": review,
        "card": card,
        "user": user,
        "exact": canonical_json(card.action.model_dump(mode="json")) if card.action else "",
        "why_asked": why(gate.judgement),
        "may_decide": may,
        "items": card_items(card.action, specs_of(gate.run), gate.request["content"]),
        "kept": kept_of(gate.run, card.action) if review.status == "open" else [],
        "may_remember": may and may_remember(gate, review) and not _is_list(card) and not signed,
        "people": people,
        "digest": people.digest,
        "waiting_edits": changes_of(gate, people.edit.answer) if people.edit else [],
        **assigning(review, role),
        "buttons": [
            button for button in buttons_of(kind, is_signed=signed) if not _is_senseless(button, card, people)
        ],
        "doing": doing,
        "form": form or (form_for(gate, doing, draft=typed_in(draft)) if doing else None),
        "sign_form": (sign_form or SignForm()) if doing and signed else None,
        "track": _track(gate, card) if review.status == "open" else None,
        "form_title": FORM_TITLES.get("sign" if signed and doing == "note" else doing, ""),
        "draft": draft,
        "notice": notice,
        "back": back,
        "card_key": _key(review, people.count),
        **(bench_context(gate, may=may) if kind is GateKind.RESULT or doing == "measure" else {}),
        **decided_context(review),
        **commenting(gate, user, role, form=None if doing else comment_form, is_busy=bool(doing)),
    }


def commenting(
    gate: Gate, user: Any, role: Role | None, *, form: CommentForm | None, is_busy: bool
) -> dict[str, Any]:
    """Return the comments that ``user`` sees, and the form for another while no other form is open."""
    review, parts = gate.review, parts_of(gate)
    rows = comments_for(review, user)
    is_open = review.status == Review.Status.OPEN
    may = is_open and role is not None and RANK[role] >= RANK[Role.RESEARCHER]
    mine = any(row.sent_at is None and row.user_id == user.pk for row in rows)
    fresh = CommentForm(parts=parts, key=str(gate.pk)) if may and parts and not is_busy else None
    return {
        "comments": rows,
        "comment_form": form or fresh,
        "may_send_comments": may and mine and not is_busy and review.mode != "second",
    }


def _track(gate: Gate, card: Card) -> Calibration | None:
    """Return how earlier predictions of this reasoner for this tool have held."""
    if card.prediction is None or card.action is None:
        return None
    return calibration_for(gate.run, tool=card.action.tool, objective=str(card.prediction["objective"]))


def _is_list(card: Card) -> bool:
    return card.action is not None and is_workflow(card.action)


def _is_senseless(button: Button, card: Card, people: People) -> bool:
    """A list has no result of its own that a person could enter; somebody's edit is approved or vetoed as it is."""
    return (button.opens == "measure" and _is_list(card)) or (
        people.edit is not None and button.opens in ("edit", "measure")
    )


def _key(review: Review, count: int) -> str:
    """Return what changes when a page that shows the card must say so: its state, and how many have answered."""
    said = f":{count}{'d' if review.is_disputed else ''}" if count else ""
    return f"{review.pk}:{review.status}{said}"


def may_remember(gate: Gate, review: Review) -> bool:
    """Return True when an approval of this gate may cover what comes later: a proposal that one reviewer answers."""
    return gate.kind == GateKind.PROPOSAL and review.mode == "review" and review.needs_role == Role.REVIEWER


def assigning(review: Review, role: Role | None) -> dict[str, Any]:
    """Return who the review may be given to, for those who may give it."""
    may = review.status == "open" and role is not None and RANK[role] >= RANK[Role.REVIEWER]
    return {"may_assign": may, "candidates": candidates(review) if may else []}


def card_of(gate: Gate) -> Card:
    """Return the card of a gate with its run."""
    request = GateRequest.model_validate(gate.request)
    content = request.content
    action = content.get("action") or (content.get("proposal") or {}).get("action")
    return make_card(request, state=gate.run.state or {}, spec=action_spec(gate.run, action))


def bench_context(gate: Gate, *, may: bool) -> dict[str, Any]:
    """Return how a measurement is to be made, and the files that it has so far."""
    is_open = gate.review.status == "open"
    task = task_of(gate) if is_bench(gate) else None
    return {
        "task": task,
        "task_form": BenchTaskForm(gate=gate, task=task) if may and is_open and is_bench(gate) else None,
        "files": list(files_of(gate)),
        "takes_files": is_open and takes_files(gate),
    }


def typed_in(draft: Draft | BenchDraft | None) -> dict[str, Any] | None:
    """Return the typed fields of a draft."""
    if isinstance(draft, BenchDraft):
        return dict(draft.fields)
    return draft.fields.get("data") if draft else None


def draft_of(gate: Gate, user: Any, doing: str) -> Draft | BenchDraft | None:
    """Return what was typed in this form of the card before, or None: a result by anybody, the rest by ``user``."""
    if doing == "measure":
        return BenchDraft.objects.filter(gate=gate).first()
    draft = Draft.objects.filter(gate=gate, user_id=user.pk).first()
    return draft if draft and draft.fields.get("doing") == doing else None


def form_for(gate: Gate, doing: str, *, data: Any = None, draft: dict[str, Any] | None = None) -> forms.Form:
    """Return the form that ``doing`` names, bound to ``data``, or filled from the draft or the proposal."""
    card = card_of(gate)
    spec = spec_of(gate.run, card.action.tool) if card.action else None
    if doing == "edit" and card.action and is_workflow(card.action):
        specs, items = specs_of(gate.run), items_or_none(card.action)
        claims = {
            "hypothesis": card.hypothesis,
            "refuted_by": card.refuted_by,
            "is_replicate": card.is_replicate,
        }
        return ListForm(
            data,
            initial={**list_initial(items, specs), **claims, **(draft or {})},
            items=items,
            specs=specs,
            is_experiment=bool(gate.request["content"].get("is_experiment")),
        )
    if doing == "edit" and card.action:
        schema = spec.input_schema if spec else {}
        initial = initial_of(card.action.arguments, schema, ARGUMENT)
        initial |= shown_prediction(card.prediction) if card.prediction else {}
        initial |= {
            "hypothesis": card.hypothesis,
            "refuted_by": card.refuted_by,
            "is_replicate": card.is_replicate,
        }
        form: forms.Form = EditForm(
            data,
            initial={**initial, **(draft or {})},
            schema=schema,
            prediction=card.prediction,
            is_experiment=bool(spec and spec.is_experiment),
        )
    elif doing == "measure":
        schema = result_schema_of(gate.run, spec) if spec else {}
        has_plan = card.action is not None and "actual" in schema.get("properties", {})
        planned = card.action.arguments if card.action and has_plan else None
        form = ResultForm(data, initial=draft or {}, schema=schema, planned=planned)
    elif doing == "veto":
        form = VetoForm(data, initial=draft or {})
        form.reason_codes = list(REASONS.items())  # type: ignore[attr-defined]
    else:
        form = NoteForm(data, initial=draft or {})
    return form


def decided_context(review: Any) -> dict[str, Any]:
    """Return the decision of a review with what it changed, or nothing while it is open."""
    decision: Decision | None = getattr(review, "decision", None)
    if decision is None:
        return {"decision": None, "edits": [], "result": [], "signatures": []}
    return {
        "decision": decision,
        "signatures": list(review.signatures.all()),
        "edits": edits_of(decision),
        "result": list(_flat(decision.answer.get("result") or {})),
    }


def edits_of(decision: Decision) -> list[Edit]:
    """Return what an edit changed: arguments and hypothesis, each with both sides."""
    answer = decision.answer or {}
    is_edit = decision.verdict == "edit" or any(
        row["verdict"] == "edit" for row in answer.get("opinions") or []
    )
    return changes_of(decision.review.gate, answer) if is_edit else []


def changes_of(gate: Gate, answer: dict[str, Any]) -> list[Edit]:
    """Return how ``answer`` differs from what ``gate`` proposed."""
    content = gate.request["content"]
    proposal = content.get("proposal") or {}
    old = content.get("action") or proposal.get("action") or {}
    edits = [Edit(*change) for change in argument_changes(old, answer.get("action") or {})]
    hypothesis = answer.get("hypothesis")
    if hypothesis:
        given = proposal.get("hypothesis", {})
        for label, name in (("hypothesis", "text"), ("refuted by", "refuted_by")):
            if given.get(name, "") != hypothesis.get(name, ""):
                edits.append(Edit(label, given.get(name, ""), hypothesis.get(name, "")))
    return edits


def _flat(value: dict[str, Any], under: str = "") -> Any:
    for name, inner in value.items():
        if name == "attachments":
            continue
        if isinstance(inner, list):
            yield f"{under}{name}", "; ".join(number(each) for each in inner)
        elif isinstance(inner, dict):
            yield from _flat(inner, f"{under}{name} · ")
        elif inner not in (None, ""):
            yield f"{under}{name}", inner
