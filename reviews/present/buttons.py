"""The buttons of a review: what each kind of gate may be answered with, in plain verbs."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy as _

from agents.core.gates import GateKind
from reviews.present.words import Text


@dataclass(frozen=True)
class Button:
    """A verdict that is given at once, or (``opens``) a form that asks for more."""

    label: Text
    icon: str
    verdict: str = ""
    opens: str = ""
    act: str = ""
    """What of ``reviews.keys`` presses it."""
    is_primary: bool = False
    is_danger: bool = False
    is_quiet: bool = False
    confirm: Text = ""


_VETO = Button(_("Veto…"), "ban", opens="veto", act="veto", is_danger=True)
_STOP = Button(
    _("Stop the run"),
    "square",
    verdict="stop",
    is_danger=True,
    confirm=_("Stop the run for good? Results so far are kept."),
)

BUTTONS: dict[GateKind, tuple[Button, ...]] = {
    GateKind.PROPOSAL: (
        Button(_("Approve and run"), "check", verdict="approve", act="approve", is_primary=True),
        Button(_("Edit…"), "pencil", opens="edit", act="edit"),
        Button(_("I measured it…"), "ruler", opens="measure", act="measure"),
        _VETO,
        Button(_("Note…"), "message-square", opens="note", act="note", is_quiet=True),
    ),
    GateKind.RESULT: (
        Button(_("Enter the result…"), "ruler", opens="measure", act="measure", is_primary=True),
        _VETO,
        _STOP,
    ),
    GateKind.OUTCOME: (
        Button(_("It happened: enter the result…"), "ruler", opens="measure", act="measure", is_primary=True),
        Button(_("It did not happen"), "circle-x", verdict="not_happened", act="veto"),
        Button(
            _("Do it again"),
            "undo-2",
            verdict="retry",
            confirm=_("Run it again? It may then have happened twice."),
        ),
        _STOP,
    ),
    GateKind.ATTENTION: (
        Button(_("Try again"), "undo-2", verdict="retry", act="approve", is_primary=True),
        _STOP,
    ),
    GateKind.FINISH: (
        Button(_("Finish the run"), "check", verdict="approve", act="approve", is_primary=True),
        Button(_("Not yet…"), "ban", opens="veto", act="veto"),
        _STOP,
    ),
}

_SIGNED = {"approve": "note", "retry": "retry", "not_happened": "not_happened"}
"""The form that a verdict opens where it is signed."""


def buttons_of(kind: GateKind, *, is_signed: bool) -> tuple[Button, ...]:
    """Return the buttons of a gate. Where decisions are signed, each but the stop opens a form for the signature."""
    if not is_signed:
        return BUTTONS[kind]
    shown = [button for button in BUTTONS[kind] if button.opens != "note"]
    return tuple(
        replace(button, verdict="", opens=_SIGNED[button.verdict], confirm="")
        if button.verdict in _SIGNED
        else button
        for button in shown
    )


FORM_TITLES: dict[str, Text] = {
    "retry": _("Do it again"),
    "not_happened": _("It did not happen"),
    "edit": _("Edit the proposal"),
    "measure": _("What was measured"),
    "veto": _("Why not?"),
    "note": _("Approve with a note"),
    "sign": _("Approve and sign"),
}


def forms_of(kind: GateKind, *, is_signed: bool = False) -> set[str]:
    """Return the forms that this kind of gate can open."""
    return {button.opens for button in buttons_of(kind, is_signed=is_signed) if button.opens}
