"""The words for what came of a fault, the same for every side."""

RECOVERS = "recovers"
ASKS = "asks a person"
BAD = "EXECUTES A BAD VALUE"
SILENT = "SILENTLY WRONG"
CRASH = "CRASHES"
ENDLESS = "ENDLESS"
UNLIMITED = "WAITS, NO TIME LIMIT"
SWAMPED = "SWAMPS THE PROMPT"

GOOD_ENDS = (RECOVERS, ASKS)
CAP = 60
"""A loop that never stops by itself is stopped by the script after this many calls of the model."""
LONGEST_PROMPT = 100_000
"""Characters; a prompt beyond this is a tool's whole output."""
