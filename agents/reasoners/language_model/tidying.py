"""The milestone review by a language model: the whole memory in one prompt, a list of operations back."""

from collections.abc import Iterable, Sequence
from typing import Any

from agents.core.brief import Brief, WholeMemory
from agents.core.findings import Finding
from agents.core.model import Message, ModelReply, ModelRequest, ReplyFormat
from agents.core.proposal import MemoryOperation
from agents.core.rules import LEAST_SOURCES
from agents.reasoners.language_model import lines as say
from agents.reasoners.language_model.cutting import Count
from agents.reasoners.language_model.languages import is_in_language
from agents.reasoners.language_model.memory import LONGEST
from agents.reasoners.language_model.readings import shown, text_of
from agents.reasoners.language_model.replies import Candidate, Unusable, candidates
from agents.reasoners.language_model.section import Section, joined, shrink
from agents.reasoners.prompts import prompt_text

TIDY_LINE = '{"operations":[{"op":"","finding":"","other":"","text":"","sources":[],"scope":"","reason":""}]}'
MOST = 12
OPERATIONS = ("merge", "revise", "retire", "distil")
REPLY = 2048
"""Tokens of the window kept free for the reply, or a quarter of a small window."""
WHY = 8
"""Characters of the shortest reason: the tools that do it ask for as many."""


def tidy_format() -> ReplyFormat:
    """Return the format of the reply as a schema."""
    operation = {"type": "object", "properties": {"op": {"enum": list(OPERATIONS)}}, "required": ["op"]}
    shape = {
        "type": "object",
        "properties": {"operations": {"type": "array", "items": operation}},
        "required": ["operations"],
    }
    return ReplyFormat(name="milestone", shape=shape)


def tidy_request(brief: Brief, whole: WholeMemory, *, window: int, count: Count) -> ModelRequest:
    """Return the question. What does not fit the model's window is left out line by line, what matters least
    first, and the prompt says how much of it: findings of other runs, then the weakest of this one."""
    head = [
        Section("role", _role(brief), is_ours=True),
        Section("goal", say.goal_lines(brief)),
        Section("constraints", say.constraint_lines(brief), title="Constraints"),
    ]
    room = window - min(REPLY, window // 4)
    rest = [
        Section("hypothesis", say.hypothesis_lines(brief), "Hypothesis"),
        _section("contradictions", say.contradiction_lines(brief), "These contradict each other", 1, room),
        _section("rules", [_line(each, "rule ") for each in whole.rules], "Rules that are known", 2, room),
        _section("findings", [_line(each) for each in whole.findings], "Findings of this run", 3, room),
        _section("elsewhere", [_line(each) for each in whole.elsewhere], "Findings of other runs", 4, room),
    ]
    shrink(rest, room - count(joined(head)), count)
    sections = {each.name: count(each.text()) for each in [*head, *rest] if each.lines}
    return ModelRequest(
        role="refine",
        messages=[
            Message(role="system", content=joined(head)),
            Message(role="user", content=f"{joined(rest)}\nYour reply:"),
        ],
        reply=tidy_format(),
        sections=sections,
        left_out={each.name: each.left_out for each in rest if each.left_out},
    )


def _role(brief: Brief) -> list[str]:
    role = [prompt_text("milestone")]
    if brief.protocol.language != "en":
        role.append(prompt_text(f"language_{brief.protocol.language}"))
    return role


def _section(name: str, lines: list[str], title: str, rank: int, room: int) -> Section:
    return Section(name, lines, title, True, rank, 0, room, f"{name} stored")


def _line(finding: Finding, name: str = "") -> str:
    marks = [f"for {finding.support}, against {finding.against}"]
    marks += ["unverified"] if finding.unverified else []
    marks += ["not reviewed"] if finding.status == "unreviewed" else []
    scope = f" [{say.flat(finding.scope)}]" if finding.scope else ""
    return f"{name or finding.id + ' '}({', '.join(marks)}) {say.flat(finding.text)}{scope}"


def read_tidy(reply: ModelReply, whole: WholeMemory, language: str) -> list[MemoryOperation]:
    """Return the operations of a reply. Raises ``Unusable``; what of it is good is then kept."""
    faults: list[Unusable] = []
    for item in candidates(reply):
        if isinstance(item, Unusable):
            faults.append(item)
            continue
        given = _listed(item)
        if given is None:
            faults.append(Unusable("wrong_shape", "there is no list of operations"))
            continue
        return _operations(given, whole, language)
    raise faults[0]


def _listed(candidate: Candidate) -> list[Any] | None:
    given = candidate.value.get("operations")
    if isinstance(given, dict):
        return [given]
    return given if isinstance(given, list) else None


def _operations(given: Sequence[Any], whole: WholeMemory, language: str) -> list[MemoryOperation]:
    own = {each.id.casefold(): each.id for each in whole.findings}
    known = own | {each.id.casefold(): each.id for each in whole.elsewhere}
    found: list[MemoryOperation] = []
    problems: list[str] = []
    for item in given[:MOST]:
        read = _operation(item, own, known)
        if isinstance(read, str):
            problems.append(read)
        else:
            found.append(read)
    if len(given) > MOST:
        problems.append(f"at most {MOST} operations, received {len(given)}")
    if problems:
        raise Unusable("bad_part", "; ".join(problems), kept=found)
    if not all(is_in_language(each.text, language) for each in found if each.text):
        raise Unusable("wrong_language", "write the texts in the language of the study", kept=found)
    return found


def _operation(item: Any, own: dict[str, str], known: dict[str, str]) -> MemoryOperation | str:
    if not isinstance(item, dict):
        return f"operations: expected objects, received {shown(item)}"
    op = str(item.get("op", "")).strip().lower()
    if op not in OPERATIONS:
        return f"op: expected one of {', '.join(OPERATIONS)}, received {shown(item.get('op'))}"
    text, reason = text_of(item.get("text"))[:LONGEST], text_of(item.get("reason"))[:500]
    if len(reason) < WHY:
        return f"{op}: say the reason in at least {WHY} characters"
    if op in ("revise", "distil") and not text:
        return f"{op} needs a text"
    if op == "distil":
        sources = item.get("sources")
        names = [str(each).strip().casefold() for each in sources] if isinstance(sources, list) else []
        missing = [name for name in names if name not in known]
        if missing or len(set(names)) < LEAST_SOURCES:
            return f"distil needs at least {LEAST_SOURCES} sources of those listed; {_said(missing, names)}"
        return MemoryOperation(
            op="distil",
            text=text,
            sources=list(dict.fromkeys(known[name] for name in names)),
            scope=text_of(item.get("scope"))[:200],
            reason=reason,
        )
    names = [
        str(item.get(key) or "").strip().casefold() for key in ("finding", "other")[: 1 + (op == "merge")]
    ]
    missing = [name for name in names if name not in own]
    if missing or len(set(names)) < len(names):
        return f"{op}: name {'two findings' if op == 'merge' else 'a finding'} of this run; {_said(missing, names)}"
    finding, other = (own[name] for name in [*names, names[0]][:2])
    return MemoryOperation.model_validate(
        {
            "op": op,
            "finding": finding,
            "other": other if op == "merge" else "",
            "text": text if op == "revise" else "",
            "reason": reason,
        }
    )


def _said(missing: Iterable[str], names: Sequence[str]) -> str:
    listed = ", ".join(name or "(none)" for name in missing)
    return f"there is no {listed}" if listed else f"received {', '.join(names) or 'none'}"
