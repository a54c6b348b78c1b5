"""The form that tries a tool, built from its input schema."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from agents.core.tools import ToolSpec
from reviews.forms.decide import ARGUMENT
from reviews.forms.schema import flattened, nested, schema_fields


class TryForm(forms.Form):
    """The arguments of one call. It begins with the tool's first example."""

    def __init__(self, data: Any = None, *, spec: ToolSpec) -> None:
        example = spec.examples[0] if spec.examples else {}
        initial = {
            f"{ARGUMENT}{name}": value for name, value in flattened(example, spec.input_schema).items()
        }
        super().__init__(data, initial=initial)
        for name, field in schema_fields(spec.input_schema).items():
            if isinstance(field, forms.JSONField) and not field.help_text:
                field.help_text = _("as JSON, for example [1, 2, 3]")
            self.fields[f"{ARGUMENT}{name}"] = field

    def arguments(self) -> dict[str, Any]:
        """The arguments as typed values; the gate checks them once more."""
        return nested({name.removeprefix(ARGUMENT): value for name, value in self.cleaned_data.items()})
