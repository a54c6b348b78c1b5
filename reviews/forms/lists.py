"""The edit form of a list: each step may be left out or get other arguments; the list is checked as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.tools import ToolSpec
from agents.core.workflow import Item, references_in
from reviews.forms.decide import ARGUMENT, NoteForm, refuted_by_field
from reviews.forms.schema import Schema, flattened, nested, schema_fields

KEEP = "keep."


@dataclass(frozen=True)
class StepFields:
    """The fields of one step: whether it runs, and its arguments."""

    step: int
    tool: str
    title: str
    keep: forms.BoundField
    fields: list[forms.BoundField]


class ListForm(NoteForm):
    """A workflow, changed: hypothesis, and of each step whether it runs and with what."""

    hypothesis = forms.CharField(
        label=gettext_lazy("Hypothesis"),
        max_length=2000,
        widget=forms.Textarea(attrs={"class": "form-control", "rows": 2}),
    )
    refuted_by = refuted_by_field()
    is_replicate = forms.BooleanField(
        label=gettext_lazy("This repeats conditions on purpose (a replicate)"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )
    field_order = ("hypothesis", "refuted_by")

    def __init__(
        self,
        *args: Any,
        items: list[Item],
        specs: Mapping[str, ToolSpec],
        is_experiment: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._items, self._specs = items, specs
        if not is_experiment:
            del self.fields["is_replicate"]
        for item in items:
            self.fields[f"{KEEP}{item.step}"] = forms.BooleanField(
                label=_("Run step %(step)s") % {"step": item.step},
                required=False,
                widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
            )
            for name, field in step_fields(item, specs.get(item.tool)).items():
                self.fields[f"{_prefix(item)}{name}"] = field

    def steps(self) -> list[StepFields]:
        """The fields by step, in order."""
        return [
            StepFields(
                step=item.step,
                tool=item.tool,
                title=(spec.title or spec.name) if (spec := self._specs.get(item.tool)) else item.tool,
                keep=self[f"{KEEP}{item.step}"],
                fields=[self[name] for name in self.fields if name.startswith(_prefix(item))],
            )
            for item in self._items
        ]

    def clean(self) -> dict[str, Any]:
        """Refuse a list of nothing; what stands in a step that is left out needs not be right."""
        cleaned: dict[str, Any] = super().clean() or {}
        for item in self._items:
            if not cleaned.get(f"{KEEP}{item.step}"):
                for name in [name for name in self.errors if name.startswith(_prefix(item))]:
                    del self.errors[name]
        if not any(cleaned.get(f"{KEEP}{item.step}") for item in self._items):
            self.add_error(None, _("Every step is left out. Veto the list instead, with a reason."))
        return cleaned

    def arguments(self) -> dict[str, Any]:
        """The list as the arguments of a workflow: the steps that are kept, with their numbers."""
        kept = [item for item in self._items if self.cleaned_data[f"{KEEP}{item.step}"]]
        return {"items": [self._edited(item) for item in kept]}

    def _edited(self, item: Item) -> dict[str, Any]:
        prefix = _prefix(item)
        typed = {
            name.removeprefix(prefix): value
            for name, value in self.cleaned_data.items()
            if name.startswith(prefix)
        }
        # Without a schema there is no field to type in, so what was proposed stays.
        arguments = nested(typed) if typed or item.tool in self._specs else item.arguments
        return {"step": item.step, "tool": item.tool, "arguments": arguments}


def step_fields(item: Item, spec: ToolSpec | None) -> dict[str, forms.Field]:
    """Return the fields of a step; one that takes an earlier result is text, since its value is a reference."""
    fields = schema_fields(spec.input_schema if spec else {})
    for reference in references_in(item.arguments):
        name = ".".join(str(part) for part in reference.place)
        if name not in fields:
            continue
        text = forms.CharField(
            required=fields[name].required,
            label=fields[name].label,
            help_text=_("takes what step %(step)s gives; a plain value may stand here instead")
            % {"step": reference.step},
            widget=forms.TextInput(attrs={"class": "form-control mono", "autocomplete": "off"}),
        )
        text.unit, text.group = "", getattr(fields[name], "group", "")  # type: ignore[attr-defined]
        fields[name] = text
    return fields


def list_initial(items: list[Item], specs: Mapping[str, ToolSpec]) -> dict[str, Any]:
    """Return what the form of ``items`` begins with: every step kept, as proposed."""
    initial: dict[str, Any] = {}
    for item in items:
        spec = specs.get(item.tool)
        schema: Schema = spec.input_schema if spec else {}
        initial[f"{KEEP}{item.step}"] = True
        initial |= {
            f"{_prefix(item)}{name}": value for name, value in flattened(item.arguments, schema).items()
        }
    return initial


def _prefix(item: Item) -> str:
    return f"{ARGUMENT}{item.step}."
