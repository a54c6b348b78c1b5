"""The conclusion of a run: one call, plain Markdown."""

import re

from agents.core.brief import Brief
from agents.core.model import Message, ModelReply
from agents.reasoners.language_model import lines as say
from agents.reasoners.language_model.languages import is_in_language
from agents.reasoners.language_model.replies import Unusable
from agents.reasoners.language_model.replies.extract import without_thoughts
from agents.reasoners.language_model.section import Section, joined
from agents.reasoners.prompts import prompt_text

_WRAPPED = re.compile(r"\A```(?:markdown|md)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
FINDINGS = 30
"""Findings that a conclusion may draw on."""


def summary_messages(brief: Brief) -> list[Message]:
    """Return the prompt of the conclusion."""
    role = [prompt_text("summarise")]
    if brief.protocol.language != "en":
        role.append(prompt_text(f"language_{brief.protocol.language}"))
    findings = [f"{f.id} ({f.confidence:.1f}) {say.flat(f.text)}" for f in brief.findings[:FINDINGS]]
    material = [
        Section("hypothesis", say.hypothesis_lines(brief), "Hypothesis"),
        Section("findings", findings, "Findings", is_data=True),
        Section("experiments", say.ledger_lines(brief), "Experiments", is_data=True),
        Section("summary", say.summary_lines(brief), "Earlier", is_data=True),
        Section("steps", say.step_lines(brief), "Last steps", is_data=True),
        Section("vetoes", say.veto_lines(brief)[:10], "Vetoed"),
    ]
    head = [
        Section("role", role, is_ours=True),
        Section("goal", say.goal_lines(brief)),
        Section("constraints", say.constraint_lines(brief), "Constraints"),
    ]
    return [
        Message(role="system", content=joined(head)),
        Message(role="user", content=f"{joined(material)}\nThe conclusion in Markdown:"),
    ]


def read_summary(reply: ModelReply, language: str) -> str:
    """Return the Markdown of a reply without thoughts and fence. Raises ``Unusable`` when there is none."""
    text, _ = without_thoughts(reply.text)
    wrapped = _WRAPPED.match(text)
    text = (wrapped.group(1) if wrapped else text).strip()
    if reply.refusal or reply.finish == "content_filter":
        raise Unusable("refusal", "this is a plain laboratory report; write it")
    if not text:
        raise Unusable("empty", "the reply was empty")
    if reply.is_cut:
        raise Unusable("truncated", "the reply was cut off; be briefer", kept=text)
    if not is_in_language(text, language):
        raise Unusable("wrong_language", "write it in the language of the study", kept=text)
    return text
