"""``manage.py export RUN``: write a run as a report, a table or its log."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.management.lookup import find_run, plain_errors
from reviews.exports import FORMATS, Export, export_run


class Command(BaseCommand):
    """Writes one file, whole or not at all."""

    help = (
        "Export RUN (an id, its beginning, or STUDY#NUMBER) as a report, a table of experiments or its log."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("run", help="an id, its beginning, or STUDY#NUMBER")
        parser.add_argument(
            "--format", choices=list(FORMATS), help="taken from the name of the file unless given"
        )
        parser.add_argument(
            "-o", "--output", default="-", metavar="FILE", help="a file, a folder, or - (the default)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        output = options["output"]
        with plain_errors():
            run = find_run(options["run"])
            export = export_run(run, options["format"] or _format_of(output))
        if output == "-":
            self._print(export)
            return
        path = Path(output) / export.name if Path(output).is_dir() else Path(output)
        _write(path, export.content)
        self.stderr.write(f"Wrote {path} ({len(export.content):,} bytes).")

    def _print(self, export: Export) -> None:
        """Write the bytes as they are: a table begins with a mark that a terminal's encoding may not have."""
        binary = getattr(getattr(self.stdout, "_out", None), "buffer", None)
        if binary is None:
            self.stdout.write(export.content.decode(), ending="")
            return
        try:
            binary.write(export.content)
            binary.flush()
        except BrokenPipeError:
            # The reader of the pipe has seen enough; Python would complain once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _format_of(output: str) -> str:
    suffix = Path(output).suffix.removeprefix(".").lower()
    if suffix in FORMATS:
        return suffix
    raise CommandError(f"Say --format ({', '.join(FORMATS)}), or name a file that ends in one of them.")


def _write(path: Path, content: bytes) -> None:
    """Put the file in its place when it is complete, so that nobody reads half of one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as fault:
        raise CommandError(
            f"{path} cannot be written: {fault.strerror}. Choose another place with -o."
        ) from None
    finally:
        draft.unlink(missing_ok=True)
