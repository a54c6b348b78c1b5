"""Forms of the policy: a rule by its conditions, and how long an approval is remembered."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.core.errors import BadInput
from agents.core.policy import Rule, is_too_short, parse_clauses, spell_clauses
from reviews.forms.commas import NumberField
from reviews.forms.study import decimal, line, select
from reviews.present.policy import EFFECTS, THEN
from reviews.present.words import DEADLINES, RISKS

ANY = ("", _("any"))
YES_NO = [ANY, ("yes", _("yes")), ("no", _("no"))]
PERCENT = ("novelty_from", "confidence_below", "share_from", "share_step")
FLAGS = ("is_reversible", "is_new_hypothesis", "is_first_use")


def _percent(label: Any) -> NumberField:
    field = NumberField(label=label, required=False, min_value=0, max_value=100, widget=decimal())
    field.unit = "%"  # type: ignore[attr-defined]
    return field


def _yes_no(label: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, required=False, choices=YES_NO, widget=select())


def _hours(label: Any) -> NumberField:
    field = NumberField(label=label, required=False, min_value=0.01, max_value=2160, widget=decimal())
    field.unit = "h"  # type: ignore[attr-defined]
    return field


def _deadline() -> NumberField:
    field = _hours(_("Deadline"))
    field.validators.append(_meetable)
    field.help_text = _("At least 5 minutes (0.084 h).")
    return field


def _meetable(hours: float) -> None:
    if is_too_short(hours):
        raise forms.ValidationError(_("A deadline is at least 5 minutes (0.084 h)."))


class RuleForm(forms.Form):
    """One rule. What is left empty is no condition."""

    gate = forms.ChoiceField(
        label=_("Applies to"),
        choices=[("proposal", _("a proposed action")), ("finish", _("a proposal to finish"))],
        widget=select(),
    )
    tool = forms.ChoiceField(label=_("Tool"), required=False, widget=select())
    arguments = forms.CharField(
        label=_("Arguments"),
        required=False,
        max_length=2000,
        widget=line(),
        help_text=_("for example: temperature > 80; base in KOAc, CsOPiv"),
    )
    effect = forms.ChoiceField(
        label=_("What it does"), required=False, choices=[ANY, *EFFECTS.items()], widget=select()
    )
    executor = forms.ChoiceField(
        label=_("Done by"),
        required=False,
        choices=[
            ANY,
            ("machine", _("a machine")),
            ("person", _("a person")),
            ("instrument", _("an instrument that reports later")),
        ],
        widget=select(),
    )
    is_reversible = _yes_no(_("Can be undone"))
    risk = forms.MultipleChoiceField(
        label=_("Risk"), required=False, choices=[(code, word.label) for code, word in RISKS.items()]
    )
    cost_from = NumberField(label=_("Cost, at least"), required=False, min_value=0, widget=decimal())
    every = forms.IntegerField(
        label=_("Every N rounds"), required=False, min_value=1, max_value=100_000, widget=decimal()
    )
    round_to = forms.IntegerField(
        label=_("First N rounds"), required=False, min_value=1, max_value=100_000, widget=decimal()
    )
    novelty_from = _percent(_("Distance from what is measured, at least"))
    is_new_hypothesis = _yes_no(_("Hypothesis changed"))
    confidence_below = _percent(_("Confidence, below"))
    share_from = _percent(_("Budget used, at least"))
    share_step = _percent(_("Each further share of the budget"))
    is_first_use = _yes_no(_("First use of the tool"))
    then = forms.ChoiceField(
        label=_("Then"), choices=[(code, word.label) for code, word in THEN.items()], widget=select()
    )
    role = forms.ChoiceField(
        label=_("Decided by"),
        choices=[("reviewer", _("a reviewer or owner")), ("owner", _("an owner"))],
        widget=select(),
    )
    deadline_hours = _deadline()
    on_deadline = forms.ChoiceField(
        label=_("After the deadline"), choices=list(DEADLINES.items()), widget=select()
    )
    note = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=500,
        widget=line(),
        help_text=_("Shown on the card; a refusal is told to the reasoner in these words."),
    )

    def __init__(self, *args: Any, tools: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["tool"].choices = [ANY, *tools]  # type: ignore[attr-defined]

    def clean_arguments(self) -> list[dict[str, Any]]:
        """Read the conditions on arguments."""
        try:
            return [clause.model_dump() for clause in parse_clauses(self.cleaned_data["arguments"])]
        except BadInput as fault:
            raise forms.ValidationError(str(fault)) from None

    def rule(self) -> Rule:
        """The rule that was typed."""
        data = dict(self.cleaned_data)
        for name in PERCENT:
            data[name] = None if data[name] is None else data[name] / 100
        for name in FLAGS:
            data[name] = {"yes": True, "no": False}.get(data[name])
        return Rule.model_validate(data)

    def conditions(self) -> list[forms.BoundField]:
        """The fields that say when, but the risk, which is a row of boxes."""
        names = (
            "gate",
            "tool",
            "arguments",
            "effect",
            "executor",
            "is_reversible",
            "cost_from",
            "every",
            "round_to",
        )
        return [self[name] for name in (*names, *PERCENT, "is_new_hypothesis", "is_first_use")]

    def outcome(self) -> list[forms.BoundField]:
        """The fields that say what then."""
        return [self[name] for name in ("then", "role", "deadline_hours", "on_deadline", "note")]


def rule_initial(rule: Rule) -> dict[str, Any]:
    """Return a rule as the initial data of its form."""
    data = rule.model_dump()
    data["arguments"] = spell_clauses(rule.arguments)
    for name in PERCENT:
        data[name] = None if data[name] is None else round(data[name] * 100, 6)
    for name in FLAGS:
        data[name] = {True: "yes", False: "no"}.get(data[name], "")
    return data


TABLE_FIELDS = {"deadline_hours", "on_deadline", "first_reader", "is_signed", "second_for_findings"}
"""What a table says beside its rules."""


class DeadlineForm(forms.Form):
    """What holds for every review: the deadline where a rule sets none, who reads first, who reads findings."""

    deadline_hours = _deadline()
    on_deadline = forms.ChoiceField(
        label=_("After the deadline"), choices=list(DEADLINES.items()), widget=select()
    )
    first_reader = forms.BooleanField(
        label=_("A language model reads every proposal first and says what it thinks"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )
    is_signed = forms.BooleanField(
        label=_("Decisions are signed: with the password again, and what the signature means"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )
    second_for_findings = forms.BooleanField(
        label=_("A change of a finding holds only when a second person has approved it"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )


class RememberForm(forms.Form):
    """What an approval covers besides this proposal, and until when."""

    scope = forms.ChoiceField(
        label=_("Do not ask again for"),
        choices=[
            ("same", _("exactly these arguments")),
            ("predicate", _("calls of this tool that fit a condition")),
            ("tool", _("any call of this tool")),
        ],
        initial="same",
        widget=select(),
    )
    predicate = forms.CharField(
        label=_("Condition"),
        required=False,
        max_length=2000,
        widget=line(),
        help_text=_("for example: temperature <= 80; base in KOAc, CsOPiv"),
    )
    rounds = forms.IntegerField(
        label=_("For N rounds"), required=False, min_value=1, max_value=100_000, widget=decimal()
    )
    hours = _hours(_("For"))
    note = forms.CharField(label=_("Why"), required=False, max_length=500, widget=line())
