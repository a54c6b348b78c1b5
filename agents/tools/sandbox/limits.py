"""What code in the sandbox may use, whichever engine runs it."""

SECONDS = 20
"""Of processor time; the wall clock gets half as much again."""
WALL_S = 30.0
MEMORY_BYTES = 1024**3
FILE_BYTES = 16 * 1024**2
SCRATCH_BYTES = 64 * 1024**2
OPEN_FILES = 64
PRINTED_CHARACTERS = 20_000
ANSWER_BYTES = 4 * 1024**2
CODE_CHARACTERS = 20_000
