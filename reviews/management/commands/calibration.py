"""``manage.py calibration STUDY``: how predictions and proposals have held, and how long people took."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand

from agents.calibration import track_of
from agents.management.lookup import find_study, plain_errors
from reviews.management.people import acting_user
from reviews.models import Role
from reviews.permissions import require
from reviews.present.figures import span


class Command(BaseCommand):
    """Prints the track record of a study."""

    help = "Tell how a study's predictions held by tool and reasoner, what people made of proposals, and how fast."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("study", help="its slug (see `manage.py study list`)")
        parser.add_argument(
            "--user", default="", help="act as this account; the first administrator unless given"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        with plain_errors():
            study = find_study(options["study"])
            require(acting_user(options["user"]), study, Role.VIEWER)
            track = track_of(study)
        if options["json"]:
            told = track.model_dump(mode="json")
            for row, each in zip(told["calibrations"], track.calibrations, strict=True):
                row |= {"coverage": each.coverage, "is_overconfident": each.is_overconfident}
            for row, one in zip(told["agreements"], track.agreements, strict=True):
                row |= {"count": one.count, "share": one.share}
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        for each in track.calibrations:
            doubt = "  OVERCONFIDENT" if each.is_overconfident else ""
            self.stdout.write(
                f"{each.reasoner}, {each.tool}, {each.objective}: {each.inside} of {each.count} within {each.level:.0%} "
                f"intervals ({each.coverage:.0%}), bias {each.bias:+.3g} {each.unit}, miss {each.miss:.3g}{doubt}"
            )
        for one in track.agreements:
            self.stdout.write(
                f"{one.reasoner}: {one.approved} of {one.count} proposals approved as they were ({one.share:.0%}), "
                f"{one.edited} edited, {one.answered} answered by hand, {one.vetoed} vetoed, {one.stopped} stopped"
            )
        for wait in track.waits:
            self.stdout.write(
                f"{wait.kind}: {wait.count} decided, half within {span(wait.median)}, nine of ten within {span(wait.most)}"
            )
        if not (track.calibrations or track.agreements or track.waits):
            self.stdout.write("Nothing was predicted and measured, or decided by people, in this study yet.")
