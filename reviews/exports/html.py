"""The report as one HTML file that needs nothing else: styles and plots inside, no script, nothing loaded."""

from django.template.loader import render_to_string

from reviews.exports.blocks import Document


def write_html(document: Document) -> str:
    """Return the file. The template escapes every text; the policy in its head forbids what would slip through."""
    return render_to_string("exports/report.html", {"document": document})
