"""The four parts of a study's set-up as forms. The services check the deeper rules; these keep fields apart."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.core.budget import Budget
from agents.core.policy import CUSTOM, POLICIES
from agents.core.study import MOST_AT_ONCE, MOST_BETWEEN_MILESTONES
from reviews.forms.commas import NumberField
from reviews.present.words import BUDGET, REASONERS
from reviews.present.words import POLICIES as POLICY_WORDS


def line(**attrs: Any) -> forms.TextInput:
    """A line of text."""
    return forms.TextInput(attrs={"class": "form-control", "autocomplete": "off", **attrs})


def decimal() -> forms.TextInput:
    """A number, kept as typed until it is understood."""
    return line(inputmode="decimal")


def area(rows: int = 2) -> forms.Textarea:
    """Several lines of text."""
    return forms.Textarea(attrs={"class": "form-control", "rows": rows})


def select() -> forms.Select:
    """A choice."""
    return forms.Select(attrs={"class": "form-select"})


class TitleForm(forms.Form):
    """What the study is called."""

    title = forms.CharField(
        label=_("Title"), max_length=200, widget=forms.Textarea(attrs={"class": "form-control", "rows": 1})
    )

    def clean_title(self) -> str:
        """A title is one line, however it was wrapped."""
        return " ".join(str(self.cleaned_data["title"]).split())


class QuestionForm(forms.Form):
    """What the study asks."""

    goal = forms.CharField(
        label=_("Goal"),
        required=False,
        max_length=5000,
        widget=area(2),
        help_text=_("One sentence: what do you want to find out or reach?"),
    )
    initial_hypothesis = forms.CharField(
        label=_("First hypothesis"),
        required=False,
        max_length=5000,
        widget=area(2),
        help_text=_("If you have one."),
    )
    domain = forms.CharField(label=_("Field"), required=False, max_length=120, widget=line())


KINDS = (
    ("categorical", _("named levels")),
    ("ordered", _("numeric levels")),
    ("continuous", _("any number within")),
    ("integer", _("whole number within")),
    ("mixture", _("fraction of a whole")),
)


class ParameterForm(forms.Form):
    """One parameter of the space. A row without a name is no row."""

    name = forms.CharField(label=_("Name"), required=False, max_length=80, widget=line())
    label = forms.CharField(label=_("Label"), required=False, max_length=80, widget=line())
    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS, widget=select())
    unit = forms.CharField(label=_("Unit"), required=False, max_length=40, widget=line())
    low = NumberField(label=_("From"), required=False, widget=decimal())
    high = NumberField(label=_("To"), required=False, widget=decimal())
    levels = forms.CharField(
        label=_("Levels"),
        required=False,
        max_length=20_000,
        widget=area(1),
        help_text=_("separated by ; or new lines"),
    )

    def value(self) -> dict[str, Any] | None:
        """The parameter as JSON for the service, or None for an empty row."""
        data = self.cleaned_data
        if not data.get("name"):
            return None
        row: dict[str, Any] = {name: data[name] for name in ("name", "label", "kind", "unit")}
        if data["kind"] in ("categorical", "ordered"):
            row["levels"] = split_levels(data["levels"], is_numeric=data["kind"] == "ordered")
        else:
            row |= {"low": data["low"], "high": data["high"]}
        return row


def split_levels(typed: str, *, is_numeric: bool) -> list[Any]:
    """Return the levels of a list; what should be a number and is none stays text, for the service to name."""
    parts = [part.strip() for part in typed.replace("\n", ";").replace("；", ";").split(";")]
    return [_number(part) if is_numeric else part for part in parts if part]


def _number(part: str) -> float | str:
    try:
        return float(part)
    except ValueError:
        return part


class ObjectiveForm(forms.Form):
    """One thing that is measured."""

    name = forms.CharField(label=_("Measured"), required=False, max_length=80, widget=line(list="measured"))
    unit = forms.CharField(label=_("Unit"), required=False, max_length=40, widget=line())
    goal = forms.ChoiceField(
        label=_("Wanted"),
        choices=[
            ("maximise", _("more is better")),
            ("minimise", _("less is better")),
            ("target", _("a target")),
        ],
        widget=select(),
    )
    target = NumberField(label=_("Target"), required=False, widget=decimal())
    low = NumberField(label=_("Smallest possible"), required=False, widget=decimal())
    high = NumberField(label=_("Largest possible"), required=False, widget=decimal())

    def clean(self) -> dict[str, Any]:
        """Say beside the field what makes the range hold no value."""
        data: dict[str, Any] = super().clean() or {}
        low, high = data.get("low"), data.get("high")
        if low is not None and high is not None and low >= high:
            self.add_error("high", _("The largest possible value must be above the smallest."))
        return data

    def value(self) -> dict[str, Any] | None:
        """The objective as JSON for the service, or None for an empty row."""
        return dict(self.cleaned_data) if self.cleaned_data.get("name") else None


class ConstraintForm(forms.Form):
    """A limit that people state: a sentence, and, where it can be, a bound that the machine checks."""

    text = forms.CharField(label=_("Limit in words"), required=False, max_length=1000, widget=line())
    parameter = forms.CharField(
        label=_("Parameter"), required=False, max_length=80, widget=line(list="parameters")
    )
    op = forms.ChoiceField(
        label=_("is"),
        required=False,
        choices=[(op, op) for op in ("<=", "<", ">=", ">", "==", "!=")],
        widget=select(),
    )
    bound = forms.CharField(label=_("Value"), required=False, max_length=80, widget=line())

    def clean(self) -> dict[str, Any]:
        """Refuse half a bound: it would be dropped without a word."""
        data: dict[str, Any] = super().clean() or {}
        if data.get("parameter") and not data.get("bound"):
            self.add_error("bound", _("Say the value that the parameter is held to, or leave both empty."))
        if data.get("bound") and not data.get("parameter"):
            self.add_error("parameter", _("Say which parameter the value limits, or leave both empty."))
        return data

    def value(self) -> dict[str, Any] | None:
        """The constraint as JSON for the service (``id`` is given by the caller), or None for an empty row."""
        data = self.cleaned_data
        predicate = None
        if data.get("parameter") and data.get("bound"):
            predicate = {
                "kind": "bound",
                "parameter": data["parameter"],
                "op": data["op"],
                "value": _number(data["bound"]),
            }
        words = data.get("text") or (f"{data['parameter']} {data['op']} {data['bound']}" if predicate else "")
        return {"text": words, "predicate": predicate} if words else None


class WayForm(forms.Form):
    """How it works: reasoner, who measures, what is asked of people, which tools."""

    reasoner = forms.ChoiceField(choices=[(code, words[0]) for code, words in REASONERS.items()])
    experiment_tool = forms.ChoiceField(
        required=False,
        choices=[
            ("", _("As the study allows: its dataset, else a person")),
            ("measure", _("Look experiments up in the dataset")),
            ("ask_researcher", _("A researcher measures by hand")),
        ],
        widget=select(),
        label=_("Who measures"),
    )
    policy = forms.ChoiceField(choices=[(code, POLICY_WORDS[code][0]) for code in (*POLICIES, CUSTOM)])
    language = forms.ChoiceField(
        label=_("Language of proposals and report"),
        choices=[("en", "English"), ("zh-hans", "简体中文")],
        widget=select(),
    )
    batch = forms.IntegerField(
        label=_("Experiments in one review"),
        required=False,
        min_value=1,
        max_value=MOST_AT_ONCE,
        widget=line(inputmode="numeric"),
        help_text=_("The optimiser proposes this many at once, as one list. 1: one after another."),
    )
    milestones = forms.IntegerField(
        label=_("Rounds from one memory review to the next"),
        required=False,
        min_value=0,
        max_value=MOST_BETWEEN_MILESTONES,
        widget=line(inputmode="numeric"),
        help_text=_(
            "Then the whole memory is looked through: what is said twice is merged, what several runs show becomes a "
            "rule. You decide on each change. 0: never."
        ),
    )
    tools = forms.MultipleChoiceField(required=False)

    def clean_milestones(self) -> int:
        """An empty field is no review."""
        return self.cleaned_data["milestones"] or 0

    def clean_batch(self) -> int:
        """An empty field is one experiment at a time."""
        return self.cleaned_data["batch"] or 1

    def __init__(
        self, *args: Any, tools: list[tuple[str, str]], measuring: list[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        offered = [(name, _("The tool %(name)s") % {"name": title}) for name, title in measuring]
        self.fields["experiment_tool"].choices += offered  # type: ignore[attr-defined]
        self.fields["tools"].choices = tools  # type: ignore[attr-defined]


_BUDGET: dict[str, Any] = {**BUDGET}


class BudgetForm(forms.Form):
    """The limits. An empty field is no limit."""

    rounds = forms.IntegerField(
        label=_BUDGET["rounds"], required=False, min_value=1, max_value=100_000, widget=decimal()
    )
    experiments = forms.IntegerField(
        label=_BUDGET["experiments"], required=False, min_value=0, max_value=100_000, widget=decimal()
    )
    tokens = forms.IntegerField(label=_BUDGET["tokens"], required=False, min_value=0, widget=decimal())
    money = NumberField(label=_BUDGET["money"], required=False, min_value=0, widget=decimal())
    hours = NumberField(label=_("Hours of work"), required=False, min_value=0, widget=decimal())
    idle_steps = forms.IntegerField(
        label=_("Steps without an experiment before I am asked"),
        required=False,
        min_value=1,
        max_value=1000,
        widget=decimal(),
    )

    def __init__(self, data: Any = None, *, initial: dict[str, Any] | None = None, **kwargs: Any) -> None:
        given = dict(initial or {})
        if given.get("seconds") is not None:
            given["hours"] = round(given["seconds"] / 3600, 4)
        if initial is not None:
            given.setdefault("idle_steps", Budget().idle_steps)
        super().__init__(data, initial=given, **kwargs)

    def limits(self) -> dict[str, Any]:
        """The limits as the service takes them."""
        data = dict(self.cleaned_data)
        hours = data.pop("hours")
        if "idle_steps" not in self.data:
            data.pop("idle_steps")
        return {**data, "seconds": hours * 3600 if hours is not None else None}


class UploadForm(forms.Form):
    """A file for the study."""

    file = forms.FileField(label=_("File"))
    role = forms.CharField(required=False)
