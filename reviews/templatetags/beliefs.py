"""Which findings have a confidence to show."""

from typing import Any

from django import template

from agents.core.findings import is_belief

register = template.Library()


@register.filter
def is_claim(finding: Any) -> bool:
    """Return True for a finding, a row or its JSON, that evidence makes more or less likely."""
    if isinstance(finding, dict):
        return is_belief(str(finding.get("text", "")), str(finding.get("status", "active")))
    return is_belief(finding.text, finding.status)
