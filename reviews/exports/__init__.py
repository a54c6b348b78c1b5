"""What leaves Daybook: a run as a report, a table of experiments or its log."""

from reviews.exports.formats import FORMATS, Export, Format, export_run

__all__ = ["FORMATS", "Export", "Format", "export_run"]
