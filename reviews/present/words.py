"""Every code that a person meets, as a word with its colour and icon: state is always the three together."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True)
class Word:
    """How a code is shown. ``tone`` names a colour of ``tokens.css``; ``icon`` a symbol of the sprite."""

    label: Text
    tone: str = "quiet"
    icon: str = "circle"


RUN_STATES: dict[str, Word] = {
    "queued": Word(_("Queued"), "running", "hourglass"),
    "running": Word(_("Running"), "running", "activity"),
    "waiting": Word(_("Needs you"), "needs", "hand"),
    "bench": Word(_("Waiting on the bench"), "bench", "beaker"),
    "paused": Word(_("Paused"), "quiet", "pause"),
    "held": Word(_("Held: choose how it goes on"), "needs", "git-branch"),
    "pausing": Word(_("Pausing at the next step"), "quiet", "pause"),
    "stopping": Word(_("Stopping at the next step"), "failed", "square"),
    "succeeded": Word(_("Finished"), "done", "circle-check"),
    "failed": Word(_("Failed"), "failed", "octagon-x"),
    "cancelled": Word(_("Stopped"), "quiet", "square"),
}

REVIEW_STATES: dict[str, Word] = {
    "open": Word(_("Open"), "needs", "hand"),
    "decided": Word(_("Decided"), "done", "circle-check"),
    "cancelled": Word(_("Cancelled"), "quiet", "circle-x"),
}

VERDICTS: dict[str, Word] = {
    "approve": Word(_("Approved"), "done", "circle-check"),
    "edit": Word(_("Edited and approved"), "done", "pencil"),
    "answer": Word(_("Answered by hand"), "bench", "ruler"),
    "veto": Word(_("Vetoed"), "vetoed", "ban"),
    "stop": Word(_("Stopped the run"), "failed", "square"),
    "retry": Word(_("Try again"), "running", "undo-2"),
    "not_happened": Word(_("Did not happen"), "vetoed", "circle-x"),
}

GATES: dict[str, Word] = {
    "proposal": Word(_("Proposal"), "needs", "flask-conical"),
    "result": Word(_("Measure by hand"), "bench", "beaker"),
    "outcome": Word(_("Outcome unknown"), "failed", "circle-alert"),
    "attention": Word(_("Needs attention"), "failed", "triangle-alert"),
    "finish": Word(_("Proposal to finish"), "needs", "list-checks"),
}

RISKS: dict[str, Word] = {
    "low": Word(_("low risk"), "quiet", "circle"),
    "medium": Word(_("medium risk"), "needs", "triangle-alert"),
    "high": Word(_("high risk"), "failed", "octagon-x"),
}

REASONS: dict[str, Text] = {
    "already_known": _("Already known"),
    "confounded": _("Confounded"),
    "unsafe": _("Unsafe"),
    "too_costly": _("Too costly"),
    "wrong_statistic": _("Wrong statistic"),
    "off_topic": _("Off topic"),
    "other": _("Other"),
}

MEANINGS: dict[str, Text] = {
    "responsible": _("decided as responsible person"),
    "reviewed": _("reviewed"),
    "performed": _("performed by me"),
    "witnessed": _("witnessed"),
}
"""What a signature under a decision stands for."""

POLICIES: dict[str, tuple[Text, Text]] = {
    "every_step": (_("Ask me before every experiment"), _("Each round waits for a decision.")),
    "risky_only": (
        _("Ask me about risky steps only"),
        _("Low-risk, reversible steps that a machine runs pass; everything else waits."),
    ),
    "milestones_5": (_("Ask me every 5th round"), _("The rounds between pass by themselves.")),
    "milestones_10": (_("Ask me every 10th round"), _("The rounds between pass by themselves.")),
    "budget_shares": (
        _("Ask me at each quarter of the budget"),
        _("And for everything in its last tenth."),
    ),
    "first_use": (
        _("Ask me at the first use of each tool"),
        _("And whenever the risk is high."),
    ),
    "low_confidence": (
        _("Ask me when it is unsure"),
        _("Below 60 % confidence in its hypothesis, or when it does not say."),
    ),
    "hypothesis_change": (
        _("Ask me when the hypothesis changes"),
        _("The rounds that test the same hypothesis pass by themselves."),
    ),
    "auto": (
        _("Run unattended"),
        _("Proposals pass by themselves. Faults and hand measurements still wait."),
    ),
    "custom": (_("By your own rules"), _("An ordered table; what no rule lets through waits for a person.")),
}

DEADLINES: dict[str, Text] = {
    "escalate": _("an owner is asked"),
    "veto": _("it is vetoed"),
    "pause": _("the run is paused"),
}

PAUSES: dict[str, Text] = {
    "unanswered": _(
        "Two reviews in a row went unanswered past their deadline, so the run is paused. Resume it when "
        "somebody can answer."
    ),
}
"""Why a run was paused, where a person did not do it."""

DELIVERIES: dict[str, Word] = {
    "waiting": Word(_("Waiting"), "running", "clock"),
    "sending": Word(_("Being sent"), "running", "send"),
    "sent": Word(_("Sent"), "done", "circle-check"),
    "dropped": Word(_("No news any more"), "quiet", "circle-dashed"),
    "failed": Word(_("Not sent"), "failed", "circle-x"),
}

NOTICES: dict[str, Text] = {
    "opened": _("A review is open"),
    "assigned": _("A review was given to you"),
    "second": _("A second person is asked"),
    "disputed": _("Two people disagree"),
    "escalated": _("Nobody answered; an owner is asked"),
    "deadline": _("A deadline passed"),
    "ended": _("A run has ended"),
}

REASONERS: dict[str, tuple[Text, Text]] = {
    "optimiser": (
        _("Built-in optimiser"),
        _("Needs no key. Fills the space, then chooses by expected improvement."),
    ),
    "language_model": (
        _("Language model"),
        _("Reasons in words over any OpenAI-compatible endpoint; needs one set up."),
    ),
}

ROLES: dict[str, Text] = {
    "viewer": _("Viewer"),
    "researcher": _("Researcher"),
    "reviewer": _("Reviewer"),
    "owner": _("Owner"),
}

FINDINGS: dict[str, Word] = {
    "active": Word(_("Holds"), "done", "circle-check"),
    "superseded": Word(_("Replaced"), "quiet", "history"),
    "retracted": Word(_("Withdrawn"), "failed", "undo-2"),
    "vetoed": Word(_("Vetoed"), "vetoed", "ban"),
    "unreviewed": Word(_("Waits for a review"), "needs", "circle-dashed"),
}

STANCES: dict[str, Word] = {
    "for": Word(_("speaks for the hypothesis"), "done", "circle-check"),
    "against": Word(_("speaks against the hypothesis"), "failed", "circle-x"),
    "inconclusive": Word(_("is inconclusive"), "quiet", "circle-dashed"),
    "conflict": Word(_("contradicted by another finding"), "failed", "circle-x"),
    "settled": Word(_("a contradiction that was settled"), "quiet", "circle-dashed"),
}

MEASUREMENTS: dict[str, Word] = {
    "ok": Word(_("Measured"), "done", "circle-check"),
    "planned": Word(_("Planned"), "quiet", "circle-dashed"),
    "measured": Word(_("Measured"), "done", "circle-check"),
    "failed": Word(_("Failed"), "failed", "circle-x"),
    "abandoned": Word(_("Abandoned"), "quiet", "circle-x"),
    "below_detection": Word(_("Below detection"), "bench", "arrow-right"),
    "above_detection": Word(_("Above detection"), "bench", "arrow-right"),
    "invalid": Word(_("Invalid"), "failed", "circle-x"),
}

DOCUMENTS: dict[str, Word] = {
    "uploaded": Word(_("Waiting to be read"), "running", "hourglass"),
    "reading": Word(_("Being read"), "running", "book-open"),
    "ready": Word(_("Read"), "done", "circle-check"),
    "failed": Word(_("Could not be read"), "failed", "octagon-x"),
}

DATASETS: dict[str, Text] = {
    "instrument": _("Instrument: experiments are looked up here"),
    "past": _("Past experiments"),
    "reference": _("Reference"),
}

ORIGINS: dict[str, Text] = {"past": _("past"), "tool": _("tool"), "person": _("person")}

ITEMS: dict[str, tuple[Text, Text, str]] = {
    "goal": (_("Goal"), _("Goals"), "circle-dot"),
    "method": (_("Method"), _("Methods"), "flask-conical"),
    "constraint": (_("Constraint"), _("Constraints"), "lock"),
    "parameter": (_("Parameter"), _("Parameters"), "scale"),
    "result": (_("Printed result"), _("Printed results"), "table"),
    "hypothesis": (_("Hypothesis"), _("Hypotheses"), "lightbulb"),
}

BUDGET: dict[str, Text] = {
    "rounds": _("Rounds"),
    "experiments": _("Experiments"),
    "tokens": _("Tokens"),
    "money": _("Money"),
    "seconds": _("Time"),
    "idle_steps": _("Steps without an experiment"),
}

SPENT: dict[str, Text] = {name: label for name, label in BUDGET.items() if name != "idle_steps"}
"""The limits that are used up; the steps without an experiment begin anew with each one."""

_TABLES: dict[str, dict[str, Word]] = {
    "run": RUN_STATES,
    "review": REVIEW_STATES,
    "verdict": VERDICTS,
    "gate": GATES,
    "risk": RISKS,
    "finding": FINDINGS,
    "stance": STANCES,
    "measurement": MEASUREMENTS,
    "document": DOCUMENTS,
    "delivery": DELIVERIES,
}


def word(table: str, code: str) -> Word:
    """Return how ``code`` is shown. A code of a newer release is shown as it is, in the quiet colour."""
    return _TABLES[table].get(code) or Word(code.replace("_", " "))


def label(table: dict[str, Text], code: str) -> Text:
    """Return the label of ``code``, or the code itself in words when it is not known."""
    return table.get(code) or code.replace("_", " ")
