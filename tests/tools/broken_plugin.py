"""A plug-in that cannot be imported."""

raise RuntimeError("no licence")
