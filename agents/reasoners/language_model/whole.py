"""The prompt of a run that re-reads: documents and every round in full, cut nowhere. Kept for comparison."""

from agents.core.brief import Brief
from agents.core.history import History
from agents.reasoners.language_model import lines as say
from agents.reasoners.language_model.section import Section


def document_sections(history: History) -> list[Section]:
    """Return the documents in full: they do not change during a run, and so belong to the head."""
    return [
        Section(f"document {number}", source.text.splitlines(), title=source.name, is_data=True)
        for number, source in enumerate(history.documents, start=1)
    ]


def history_sections(brief: Brief, history: History) -> list[Section]:
    """Return every round in full, what people said, and the findings, which an answer has to cite."""
    rounds = [line for text in history.rounds for line in text.splitlines()]
    return [
        Section("history", rounds, "All rounds, oldest first", is_data=True),
        Section("hypothesis", say.hypothesis_lines(brief), "Hypothesis"),
        Section("findings", say.finding_lines(brief), "Findings", is_data=True),
        Section("guidance", say.guidance_lines(brief), "A person says"),
        Section("vetoes", say.veto_lines(brief), "Vetoed"),
        Section("refusals", say.refusal_lines(brief), "Not accepted"),
        Section("budget", say.budget_lines(brief), "Budget left"),
    ]
