"""How, by when and by whom a measurement is to be made."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.models import Gate
from reviews.bench.tasks import INSTRUCTIONS_LIMIT, may_do
from reviews.forms.numbers import MomentField, as_moment
from reviews.models import BenchTask


class BenchTaskForm(forms.Form):
    """Assign a task at the bench, say how and by when; handing over is assigning it to somebody else."""

    assignee = forms.ChoiceField(
        label=_("Who measures"), required=False, widget=forms.Select(attrs={"class": "form-select"})
    )
    due_at = MomentField(label=_("Due"), required=False)
    instructions = forms.CharField(
        label=_("Instructions"),
        required=False,
        max_length=INSTRUCTIONS_LIMIT,
        widget=forms.Textarea(attrs={"class": "form-control", "rows": 2}),
    )
    is_standing = forms.BooleanField(
        label=_("Later tasks of this run start with the same instructions and person"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )

    def __init__(self, data: Any = None, *, gate: Gate, task: BenchTask | None) -> None:
        assignee = task.assignee.get_username() if task and task.assignee else ""
        given = {
            "assignee": assignee,
            "due_at": task.due_at.isoformat() if task and task.due_at else "",
            "instructions": task.instructions if task else "",
            "is_standing": bool(task and task.is_standing),
        }
        super().__init__(data, initial=given, auto_id="task-%s")
        names = [member.user.get_username() for member in may_do(gate)]
        names += [assignee] if assignee and assignee not in names else []
        choice: Any = self.fields["assignee"]
        choice.choices = [("", _("Anybody")), *((name, name) for name in names)]

    def task(self) -> dict[str, Any]:
        """The fields as ``set_task`` takes them."""
        due = self.cleaned_data["due_at"]
        return {**self.cleaned_data, "due_at": as_moment(due) if due else None}
