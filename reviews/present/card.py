"""The review card: everything that a person needs to decide, and nothing that was not proposed."""

from dataclasses import dataclass, field
from typing import Any

from agents.core.contradictions import contradicts
from agents.core.gates import GateKind, GateRequest
from agents.core.proposal import Neighbour, Proposal
from agents.core.text import BIDI_AND_ZERO_WIDTH
from agents.core.tools import Action, ToolSpec
from reviews.present.diffs import Piece, difference

_NOTHING = object()


@dataclass(frozen=True)
class Argument:
    """One argument of an action. ``was`` is last round's value when it differs, else None."""

    name: str
    label: str
    value: Any
    unit: str = ""
    help: str = ""
    was: Any = None
    is_changed: bool = False


@dataclass(frozen=True)
class Nearest:
    """A measured experiment near the proposed one, and what differs from it."""

    value: float | None
    unit: str
    round: int | None
    run: int | None
    differs: list[tuple[str, Any, Any]]
    """Parameter, measured there, proposed here."""


@dataclass(frozen=True)
class Card:
    """What the card shows, whichever kind of gate it stands for."""

    kind: str
    round: int
    title: str
    digest: str
    risk: str
    cost: float
    action: Action | None = None
    tool_title: str = ""
    arguments: list[Argument] = field(default_factory=list)
    hypothesis: str = ""
    refuted_by: str = ""
    confidence: float | None = None
    change: list[Piece] = field(default_factory=list)
    """How the hypothesis differs from last round's; empty when it does not."""
    contradicted: list[dict[str, Any]] = field(default_factory=list)
    """The findings of the run that state the hypothesis's quantity otherwise: id and text."""
    prediction: dict[str, Any] | None = None
    reason: str = ""
    is_replicate: bool = False
    nearest: list[Nearest] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    effect: str = ""
    is_reversible: bool | None = None
    duration_s: float | None = None
    executor: str = "machine"
    fallback: str = ""
    """The tool that answers when this one takes longer than ``timeout_s``."""
    timeout_s: float = 0.0
    origin: str = ""
    """Where the tool comes from when it is not built in."""
    text: str = ""
    """Instructions, problem or answer, for the kinds that have one."""
    tries: list[dict[str, Any]] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    coercions: list[dict[str, Any]] = field(default_factory=list)
    """What the gate changed of the arguments: field, received, used."""
    is_experiment: bool = False
    """What it gives is filed among the study's measurements."""
    findings: list[str] = field(default_factory=list)
    """The findings that a proposal to finish rests on, by the run's own numbers."""

    @property
    def is_short_change(self) -> bool:
        """True when the hypothesis changed by a few words."""
        return sum(len(piece.text) for piece in self.change if piece.kind != "same") <= SHORT


SHORT = 160
"""Characters: a change that is not longer is shown open, under its hypothesis."""


def make_card(request: GateRequest, *, state: dict[str, Any], spec: ToolSpec | None) -> Card:
    """Return the card of ``request``. ``state`` is the run's, for what changed; ``spec`` is the action's tool."""
    content = request.content
    proposal = Proposal.model_validate(content["proposal"]) if content.get("proposal") else None
    action = proposal.action if proposal else _action(content.get("action"))
    last = last_arguments(state, action.tool) if action else {}
    return Card(
        kind=request.kind,
        round=request.round,
        title=request.title,
        digest=request.digest,
        risk=request.risk,
        cost=request.cost,
        action=action,
        tool_title=(spec.title or spec.name) if spec else (action.tool if action else ""),
        arguments=arguments_of(action, spec, last) if action else [],
        nearest=[nearest_of(row) for row in content.get("neighbours", [])],
        warnings=[*hidden_characters(action), *(_sentence(row) for row in content.get("warnings", []))],
        effect=spec.effect if spec else "",
        is_experiment=bool(content.get("is_experiment") or (spec and spec.is_experiment)),
        is_reversible=spec.is_reversible if spec else None,
        duration_s=spec.duration_s if spec else None,
        executor=spec.executor if spec else "machine",
        origin=spec.origin if spec else "",
        fallback=content.get("fallback", ""),
        timeout_s=content.get("timeout_s", 0.0),
        text=_text_of(request),
        tries=content.get("tries", []),
        coercions=content.get("coercions", []),
        findings=content.get("findings", []),
        **(_of_proposal(proposal, state) if proposal else {}),
    )


def _of_proposal(proposal: Proposal, state: dict[str, Any]) -> dict[str, Any]:
    before = previous_hypothesis(state, proposal.hypothesis.text)
    return {
        "hypothesis": proposal.hypothesis.text,
        "refuted_by": proposal.hypothesis.refuted_by,
        "confidence": proposal.hypothesis.confidence,
        "change": difference(before, proposal.hypothesis.text) if before else [],
        "contradicted": _contradicted(proposal.hypothesis.text, state),
        "prediction": proposal.prediction.model_dump() if proposal.prediction else None,
        "reason": proposal.reason,
        "is_replicate": proposal.is_replicate,
        "details": proposal.details,
    }


def _contradicted(claim: str, state: dict[str, Any]) -> list[dict[str, Any]]:
    standing = [row for row in state.get("findings", []) if row.get("status", "active") == "active"]
    return [row for row in standing if contradicts(claim, str(row.get("text", "")))]


def _action(given: dict[str, Any] | None) -> Action | None:
    return Action.model_validate(given) if given else None


def _text_of(request: GateRequest) -> str:
    fields = {GateKind.RESULT: "instructions", GateKind.ATTENTION: "problem", GateKind.FINISH: "answer"}
    return str(request.content.get(fields.get(request.kind, ""), ""))


def previous_hypothesis(state: dict[str, Any], text: str) -> str:
    """Return the text of the hypothesis before ``text``, or '' when there was none."""
    kept = [row["text"] for row in state.get("hypotheses", []) if row["text"] != text]
    return str(kept[-1]) if kept else ""


def last_arguments(state: dict[str, Any], tool: str) -> dict[str, Any]:
    """Return the arguments of the last completed step that used ``tool``."""
    for step in reversed(state.get("steps", [])):
        action = step.get("action") or {}
        if action.get("tool") == tool:
            return dict(action.get("arguments", {}))
    return {}


def arguments_of(action: Action, spec: ToolSpec | None, last: dict[str, Any]) -> list[Argument]:
    """Return the action's arguments in the schema's order, undeclared ones last, with labels and units."""
    properties = spec.input_schema.get("properties", {}) if spec else {}
    ordered = [name for name in properties if name in action.arguments]
    ordered += [name for name in action.arguments if name not in properties]
    return [_argument(name, action.arguments[name], properties.get(name, {}), last) for name in ordered]


def _argument(name: str, value: Any, schema: dict[str, Any], last: dict[str, Any]) -> Argument:
    was = last.get(name, _NOTHING)
    is_changed = was is not _NOTHING and was != value
    return Argument(
        name=name,
        label=str(schema.get("title") or name),
        value=value,
        unit=str(schema.get("unit", "")),
        help=str(schema.get("description", "")),
        was=was if is_changed else None,
        is_changed=is_changed,
    )


def nearest_of(row: dict[str, Any]) -> Nearest:
    """Return a neighbour as stored, for the card."""
    near = Neighbour.model_validate(row)
    differs = [(name, there, here) for name, (there, here) in near.differs.items()]
    return Nearest(value=near.value, unit=near.unit, round=near.round, run=near.run, differs=differs)


def _sentence(warning: Any) -> str:
    """A warning comes as a sentence, or as a record with one."""
    if isinstance(warning, dict):
        return str(warning.get("text") or warning.get("message") or warning)
    return str(warning)


def hidden_characters(action: Action | None) -> list[str]:
    """Name the arguments that hold characters a reader cannot see: they may make text look like other text."""
    if action is None:
        return []
    return [
        f"{name} holds hidden or direction-changing characters; read the exact value below the card."
        for name, value in action.arguments.items()
        if isinstance(value, str) and BIDI_AND_ZERO_WIDTH.search(value)
    ]
