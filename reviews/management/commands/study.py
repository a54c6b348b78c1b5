"""``manage.py study``: create studies, list them, look at one."""

import argparse
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from agents.core.errors import BadInput, NotFound
from agents.core.policy import POLICIES
from agents.management.lookup import find_study, plain_errors
from agents.models import Document, Study
from agents.queries import with_counts
from agents.services import (
    add_dataset,
    add_document,
    create_study,
    load_bundle,
    missing_for_start,
    printed_tables,
    use_printed_runs,
)
from agents.services.digests import digest_next
from reviews.management.people import acting_user
from reviews.management.study_text import study_data, study_lines
from reviews.models import Role
from reviews.services import add_member

ROLES = ("instrument", "past", "reference")


class Command(BaseCommand):
    """Studies from the command line."""

    help = "Create studies, list them, or show one with its digest, space, constraints and runs."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser(
            "create", help="create a study from options or from a folder with a study.json"
        )
        source = create.add_mutually_exclusive_group(required=True)
        source.add_argument("--title", help="what the study is called")
        source.add_argument(
            "--from", dest="folder", metavar="FOLDER", help="a folder with study.json and its files"
        )
        create.add_argument("--goal", default="", help="what it is to find out, in a sentence")
        create.add_argument("--domain", default="")
        create.add_argument("--language", choices=("en", "zh-hans"), default="en")
        create.add_argument("--reasoner", choices=("optimiser", "language_model"), default="optimiser")
        create.add_argument(
            "--batch", type=int, default=1, help="experiments that the optimiser proposes at once"
        )
        create.add_argument(
            "--milestones", type=int, default=0, metavar="N", help="review the whole memory every N rounds"
        )
        create.add_argument("--policy", choices=POLICIES, default="every_step")
        create.add_argument(
            "--document", action="append", default=[], metavar="FILE", help="may be given again"
        )
        create.add_argument(
            "--dataset", action="append", default=[], metavar="FILE:ROLE", help=", ".join(ROLES)
        )
        create.add_argument(
            "--sheet", default="", help="of each XLSX dataset; the first filled one unless given"
        )
        create.add_argument(
            "--owner", default="", metavar="USER", help="who owns it; an administrator unless given"
        )
        listing = verbs.add_parser("list", help="list the studies, newest first")
        listing.add_argument("--archived", action="store_true", help="archived ones too")
        show = verbs.add_parser("show", help="show one study")
        show.add_argument("study", help="its slug (see `manage.py study list`)")
        past = verbs.add_parser(
            "past", help="use the runs that a document prints in a table as past experiments"
        )
        past.add_argument("study", help="its slug")
        past.add_argument("--table", required=True, metavar="LABEL", help='such as "Table 4"')
        past.add_argument("--measured", default="", help="what matters, when the study does not say it yet")
        for verb in (create, listing, show, past):
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            getattr(self, f"_{options['verb']}")(options)

    def _create(self, options: dict[str, Any]) -> None:
        owner = _owner(options["owner"])
        study = self._from_folder(options, owner) if options["folder"] else self._from_options(options, owner)
        if owner is not None:
            add_member(study=study, user=owner, role=Role.OWNER)
        study.refresh_from_db()
        self._print(study, as_json=options["json"])
        for document in study.documents.filter(status=Document.Status.FAILED):
            self.stderr.write(f"{document.name} could not be read: {document.error}")

    def _from_folder(self, options: dict[str, Any], owner: Any) -> Study:
        if options["document"] or options["dataset"] or options["goal"]:
            raise BadInput(
                "With --from, goal, documents and datasets are what study.json says; change it there."
            )
        study = load_bundle(Path(options["folder"]), created_by=owner, digest=False)
        self._read_documents(study)
        return study

    def _from_options(self, options: dict[str, Any], owner: Any) -> Study:
        datasets = [_dataset(given) for given in options["dataset"]]
        documents = [_file(given) for given in options["document"]]
        fields = {
            name: options[name]
            for name in ("goal", "domain", "language", "reasoner", "policy", "batch", "milestones")
        }
        study = create_study(title=options["title"], created_by=owner, **fields)
        try:
            for path in documents:
                with path.open("rb") as file:
                    add_document(study, file=file, name=path.name)
            for path, role in datasets:
                with path.open("rb") as file:
                    sheet = options["sheet"] if path.suffix.lower() in (".xlsx", ".xlsm") else ""
                    add_dataset(study, file=file, name=path.name, role=role, sheet=sheet)
        except Exception:
            # Half a study would be found later by somebody who does not know why.
            study.delete()
            raise
        self._read_documents(study)
        return study

    def _read_documents(self, study: Study) -> None:
        waiting = list(study.documents.filter(status=Document.Status.UPLOADED).order_by("created_at"))
        for number, document in enumerate(waiting, start=1):
            self.stderr.write(f"Reading {document.name} ({number} of {len(waiting)}) …")
            digest_next(study_id=study.pk)

    def _list(self, options: dict[str, Any]) -> None:
        studies = with_counts(
            Study.objects.all() if options["archived"] else Study.objects.filter(is_archived=False)
        )
        rows = [
            {"slug": slug, "title": title, "runs": runs, "open_reviews": waiting, "id": str(pk)}
            for slug, title, runs, waiting, pk in studies.order_by("-created_at").values_list(
                *("slug", "title", "run_count", "open_count", "pk")
            )
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        for row in rows:
            waits = f", {row['open_reviews']} waiting" if row["open_reviews"] else ""
            self.stdout.write(f"{row['slug']}  {row['title']}  ({row['runs']} runs{waits})")
        if not rows:
            self.stdout.write(
                "There are no studies yet. Try `manage.py study create --from examples/direct_arylation`."
            )

    def _show(self, options: dict[str, Any]) -> None:
        self._print(find_study(options["study"]), as_json=options["json"])

    def _past(self, options: dict[str, Any]) -> None:
        study = find_study(options["study"])
        printed = {
            table.label: document
            for document in study.documents.all()
            for table in printed_tables(document.digest_items.order_by("position"))
        }
        if options["table"] not in printed:
            raise BadInput(
                f"No document of this study prints runs in {options['table']!r}; "
                f"tables with runs: {', '.join(printed) or 'none'}."
            )
        use_printed_runs(printed[options["table"]], label=options["table"], measured=options["measured"])
        study.refresh_from_db()
        self._print(study, as_json=options["json"])

    def _print(self, study: Study, *, as_json: bool) -> None:
        data = study_data(study) | {"missing_for_start": missing_for_start(study)}
        if as_json:
            self.stdout.write(json.dumps(data, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(study_lines(data)))


def _owner(name: str) -> Any:
    """Return who owns a new study: nobody when there is no account yet, since an administrator sees all."""
    try:
        return acting_user(name)
    except BadInput:
        return None


def _file(given: str) -> Path:
    path = Path(given)
    if not path.is_file():
        raise NotFound(f"There is no file {given!r}; nothing was created.")
    return path


def _dataset(given: str) -> tuple[Path, str]:
    name, mark, role = given.rpartition(":")
    if mark and role in ROLES:
        return _file(name), role
    if mark and Path(name).is_file():
        raise BadInput(
            f"{given!r}: a dataset is one of {', '.join(ROLES)}, not {role!r}; nothing was created."
        )
    return _file(given), "reference"
