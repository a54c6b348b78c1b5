"""The sections of a report, one module each: pure functions of the record."""
