"""Documents as text by page, read in a child process that can be stopped."""

from agents.adapters.documents.limits import ReadLimits
from agents.adapters.documents.reader import read_document, render_page

__all__ = ["ReadLimits", "read_document", "render_page"]
