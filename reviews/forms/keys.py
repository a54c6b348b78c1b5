"""The keys of the desk, one field an act."""

from typing import Any

from django import forms

from reviews.keys import ACTS


class KeysForm(forms.Form):
    """A key for each act; an empty field is no key."""

    def __init__(self, data: Any = None, *, keys: dict[str, str]) -> None:
        super().__init__(data, initial=keys)
        for act, (text, _usual) in ACTS.items():
            widget = forms.TextInput(attrs={"class": "form-control key", "autocomplete": "off", "size": 3})
            self.fields[act] = forms.CharField(label=str(text), required=False, max_length=20, widget=widget)
