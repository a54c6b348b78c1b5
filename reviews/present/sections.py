"""Why a section stands in the prompt, and where what was cut from it still is: in the reader's language."""

from typing import Any

from django.utils.translation import gettext_lazy as _

WHY: dict[str, Any] = {
    "schema": _("The shape of the answer, so that a program can read it. Never cut."),
    "role": _("Who the model is and how it works. The same at every step."),
    "tools": _("The tools it may use. They are told with less detail when there are many."),
    "format": _("How to answer. Never cut."),
    "goal": _("The goal of the study stands in every prompt and is never cut."),
    "constraints": _("The limits of the study stand in every prompt and are never cut."),
    "numbers": _("Numbers of the documents, so that the paper need not be read again."),
    "guidance": _("What people said since the last step. It comes before the run's own memory."),
    "vetoes": _("What people refused, so that it is not proposed again."),
    "hypothesis": _("The present hypothesis and what speaks for and against it."),
    "findings": _("The findings that are surest now. The others stay in the store."),
    "summary": _("What older steps came to, in few lines."),
    "experiments": _("The best and the newest of the ledger."),
    "steps": _("The last steps and what came of them."),
    "observation": _("The newest result."),
    "refusals": _("Why the last proposal was not accepted."),
    "budget": _("What is left to spend."),
    "history": _("Every round in full: this run re-reads instead of remembering."),
}
CUT: dict[str, Any] = {
    "numbers": _("The others are kept with page and quote; a search of the documents brings them."),
    "findings": _("Less sure ones are kept; the model asks for them by meaning or number."),
    "experiments": _("All are in the ledger, and every proposal is checked against all of them."),
    "steps": _("Older steps are in the log; the model asks for a round by its number."),
    "observation": _("The whole result is in the record of its round; the model asks for it by number."),
    "vetoes": _("Older vetoes are kept, and a proposal like one of them is still noticed."),
    "guidance": _("Earlier remarks are in the log."),
}
KEPT_ELSEWHERE = _("It is kept in full in the record of the run.")


def why(name: str) -> Any:
    """Return why a section stands in the prompt; documents are numbered."""
    if name.startswith("document "):
        return _("A document in full: this run re-reads instead of remembering.")
    return WHY.get(name, "")


def where_cut(name: str) -> Any:
    """Return where the lines are that a section had no room for."""
    return CUT.get(name, KEPT_ELSEWHERE)
