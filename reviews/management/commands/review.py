"""``manage.py review``: the review desk in a terminal."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand

from agents.core.canonical import digest_of
from agents.core.errors import BadInput, Conflict, NotFound, Unconfirmed
from agents.core.gates import REASON_CODES
from agents.core.text import BIDI_AND_ZERO_WIDTH, with_article
from agents.management.lookup import by_prefix, plain_errors
from agents.models import Run
from reviews.inbox import ORDERS, SHOWS, inbox_for
from reviews.management.answers import edit_fields, result_of
from reviews.management.batch_text import batch_data, batch_lines, outcome_data
from reviews.management.passwords import signing_of
from reviews.management.people import acting_user
from reviews.management.review_text import (
    kept_sentence,
    review_data,
    review_lines,
    row_data,
    row_line,
    verbs_of,
)
from reviews.models import Opinion, Review
from reviews.permissions import studies_of
from reviews.services import alike, apply_due, assign, comment, decide, decide_batch, left_out, relieve_absent
from reviews.services.batches import MOST
from reviews.services.opinions import shown_to
from reviews.services.signing import MEANINGS

CHANNEL = "command line"
LISTED = 200
VERDICTS = {
    "approve": "let it run as proposed",
    "edit": "change it and let it run",
    "answer": "enter the result by hand",
    "veto": "refuse it, with a reason that the reasoner reads",
    "stop": "stop the run for good",
    "retry": "try again (outcome and attention reviews)",
    "not-happened": "say that it did not happen (outcome reviews)",
}


class Command(BaseCommand):
    """Lists reviews, shows one, and decides through the same service as the web."""

    help = "List reviews, show one, or decide. A review is named by its id or the beginning of it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        listing = verbs.add_parser("list", help="what waits, riskiest and oldest first")
        listing.add_argument("--all", action="store_true", help="decided and cancelled ones after them")
        listing.add_argument("--study", default="", help="only of the study with this slug")
        listing.add_argument("--show", choices=SHOWS, default="needs", help="which section of the inbox")
        listing.add_argument("--order", choices=list(ORDERS), default="risk", help="what comes first")
        listing.add_argument(
            "--search", default="", metavar="TEXT", help="in the titles of reviews and studies"
        )
        show = verbs.add_parser("show", help="show everything that the card shows")
        made = {verb: verbs.add_parser(verb, help=text) for verb, text in VERDICTS.items()}
        given = verbs.add_parser("assign", help="give it to somebody, or back to everybody")
        given.add_argument("--to", default="", metavar="USER", help="everybody unless given")
        given.add_argument("--note", default="", help="why, or what to look at")
        due = verbs.add_parser(
            "due", help="apply deadlines that have passed, as the workers do by themselves"
        )
        many = verbs.add_parser(
            "batch", help="list what has the tool and policy of a review; with a verdict, decide all of it"
        )
        _batch_options(many)
        remark = verbs.add_parser("comment", help="say something of a passage of it")
        _comment_options(remark)
        for verb in (show, given, many, remark, *made.values()):
            verb.add_argument("review", help="its id, or the beginning of it")
        for verb in made.values():
            verb.add_argument("--note", default="", help="goes with the decision; the reasoner reads it")
            verb.add_argument(
                "--sign",
                nargs="?",
                const="reviewed",
                default="",
                choices=MEANINGS,
                help="sign it with your password, asked for or read from standard input or $DAYBOOK_SIGN_PASSWORD; what "
                "the signature means (reviewed unless said)",
            )
            verb.add_argument(
                "--digest", default="", help="refuse unless the review has this digest (or beginning)"
            )
        _edit_options(made["edit"])
        _answer_options(made["answer"])
        made["veto"].add_argument("--reason", choices=REASON_CODES, required=True)
        for verb in (listing, show, given, due, many, remark, *made.values()):
            verb.add_argument(
                "--user", default="", help="act as this account; the first administrator unless given"
            )
            verb.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the verb."""
        with plain_errors():
            if options["verb"] in ("list", "due"):
                getattr(self, f"_{options['verb']}")(options)
                return
            review = _find(options)
            if options["verb"] == "show":
                self._show(review, options)
            elif options["verb"] == "assign":
                self._assign(review, options)
            elif options["verb"] == "comment":
                self._comment(review, options)
            elif options["verb"] == "batch":
                self._batch(review, options)
            else:
                with hinting_confirmation():
                    self._decide(review, options)

    def _list(self, options: dict[str, Any]) -> None:
        user, study = acting_user(options["user"]), options["study"]
        asked = {"study_slug": study, "text": options["search"], "order": options["order"]}
        rows = list(inbox_for(user, show=options["show"], **asked)[:LISTED])
        if options["all"] and options["show"] != "decided":
            rows += list(inbox_for(user, show="decided", **asked)[:LISTED])
        if options["json"]:
            self.stdout.write(json.dumps([row_data(row) for row in rows], ensure_ascii=False))
            return
        self.stdout.write(
            "\n".join(visible(row_line(row)) for row in rows) or "Nothing waits for a decision."
        )

    def _show(self, review: Review, options: dict[str, Any]) -> None:
        user = acting_user(options["user"])
        if options["json"]:
            self.stdout.write(json.dumps(review_data(review, user), ensure_ascii=False))
        else:
            self.stdout.write(visible("\n".join(review_lines(review, user))))

    def _assign(self, review: Review, options: dict[str, Any]) -> None:
        to = acting_user(options["to"]) if options["to"] else None
        row = assign(gate=review.gate, user=acting_user(options["user"]), to=to, note=options["note"])
        name = to.get_username() if to else ""
        if options["json"]:
            self.stdout.write(json.dumps({"review": str(row.pk), "assigned_to": name}))
        else:
            self.stdout.write(f"Given to {name}." if name else "Given back to everybody.")

    def _due(self, options: dict[str, Any]) -> None:
        done = {"deadlines": apply_due(limit=LISTED), "relieved": relieve_absent(limit=LISTED)}
        if options["json"]:
            self.stdout.write(json.dumps(done))
        else:
            self.stdout.write(
                f"{done['deadlines']} deadlines applied, {done['relieved']} reviews of people who are away handed on."
            )

    def _comment(self, review: Review, options: dict[str, Any]) -> None:
        row = comment(
            gate=review.gate,
            user=acting_user(options["user"]),
            part=options["part"],
            quote=options["quote"],
            text=options["text"],
            send=options["send"],
        )
        if options["json"]:
            place = {"part": row.part, "start": row.start, "end": row.end, "quote": row.quote}
            self.stdout.write(
                json.dumps({"review": str(review.pk), **place, "text": row.text}, ensure_ascii=False)
            )
            return
        when = "The reasoner is told." if row.sent_at else "Kept; it goes to the reasoner with the decision."
        self.stdout.write(visible(f"On “{row.quote}”: {row.text}\n{when}"))

    def _batch(self, review: Review, options: dict[str, Any]) -> None:
        user = acting_user(options["user"])
        left = [_find({**options, "review": name}).pk for name in options["leave_out"]]
        rows = [row for row in alike(review, user)[:MOST] if row.pk not in left]
        digest = digest_of([[str(row.pk), row.gate.digest] for row in rows])
        if options["digest"] and not digest.startswith(options["digest"]):
            raise Conflict(
                f"The list has the digest {digest[:12]}…, not {options['digest']!r}: it is not what you looked at. "
                f"Read it again with `review batch {options['review']}`."
            )
        if not options["verdict"]:
            data = batch_data(rows, left_out(review, user), digest)
            self.stdout.write(
                json.dumps(data, ensure_ascii=False)
                if options["json"]
                else visible("\n".join(batch_lines(data)))
            )
            return
        outcomes = decide_batch(
            user=user,
            picks=[(row.pk, row.gate.digest) for row in rows],
            verdict=options["verdict"],
            note=options["note"],
            reason_code=options["reason"],
            channel=f"{CHANNEL} batch",
        )
        done = [outcome_data(one) for one in outcomes]
        text = "\n".join(
            f"{row['review'][:8]}  {row['verdict'] or row['told']}  {row['title']}" for row in done
        )
        self.stdout.write(json.dumps(done, ensure_ascii=False) if options["json"] else visible(text))

    def _decide(self, review: Review, options: dict[str, Any]) -> None:
        gate, verb = review.gate, options["verb"]
        if not gate.digest.startswith(options["digest"]):
            raise Conflict(
                f"The review has the digest {gate.digest[:12]}…, not {options['digest']!r}: it is not what you looked at. "
                f"Read it again with `review show {str(review.pk)[:8]}`."
            )
        if verb not in verbs_of(gate):
            raise NotFound(f"{with_article(gate.kind)} review takes {', '.join(verbs_of(gate))}; not {verb}.")
        user = acting_user(options["user"])
        decision = decide(
            gate=gate,
            user=user,
            verdict=verb.replace("-", "_"),
            shown_digest=shown_to(review, gate, user),
            channel=CHANNEL,
            note=options["note"],
            signing=signing_of(options["sign"], user),
            **_fields(review, options),
        )
        run = Run.objects.get(pk=review.run_id)
        if options["json"]:
            done = {
                "review": str(review.pk),
                "verdict": decision.verdict,
                "by": decision.by,
                "digest": gate.digest,
            }
            self.stdout.write(json.dumps(done | {"run": str(run.pk), "run_status": run.status}))
            return
        self.stdout.write(
            visible(f"{review.title}\n{decision.verdict} by {decision.by}, digest {gate.digest[:12]}.")
        )
        if isinstance(decision, Opinion):
            self.stdout.write(visible(kept_sentence(decision)))
        if run.status == "queued":
            self.stdout.write(
                f"The run goes on as soon as a worker takes it, or here: `manage.py run --resume {run.pk}`."
            )


def _comment_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quote", required=True, help="the passage, word for word")
    parser.add_argument("--text", required=True, help="what you say of it")
    parser.add_argument(
        "--part", default="hypothesis", metavar="PART",
        help="where it stands: hypothesis, refuted_by, reason, text, or arg.NAME",
    )  # fmt: skip
    parser.add_argument("--send", action="store_true", help="tell the reasoner now, not with the decision")


def _batch_options(parser: argparse.ArgumentParser) -> None:
    verdict = parser.add_mutually_exclusive_group()
    verdict.add_argument("--approve", action="store_const", const="approve", dest="verdict", default="")
    verdict.add_argument("--veto", action="store_const", const="veto", dest="verdict")
    parser.add_argument("--reason", choices=REASON_CODES, default="", help="why, for a veto")
    parser.add_argument("--note", default="", help="goes with each decision; the reasoner reads it")
    parser.add_argument(
        "--leave-out", action="append", default=[], metavar="REVIEW", help="not this one; may be given again"
    )
    parser.add_argument("--digest", default="", help="refuse unless the list has this digest (or beginning)")


def _edit_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument (of step 2: 2.NAME=VALUE); may be given again",
    )
    parser.add_argument(
        "--leave-out", action="append", default=[], type=int, metavar="STEP",
        help="a step of a list that does not run; may be given again",
    )  # fmt: skip
    parser.add_argument("--hypothesis", default="", help="what the hypothesis should say")
    parser.add_argument(
        "--refuted-by", default="", help="what would refute it; said from the prediction unless given"
    )
    parser.add_argument(
        "--replicate", action="store_true", help="declare it a replicate of a known experiment"
    )


def _answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--value", action="append", default=[], metavar="OBJECTIVE=NUMBER[±U] [UNIT]",
        help="a measurement: 71.2, 71.2±0.8, '71.2 %%', '<0.5', failed; may be given again",
    )  # fmt: skip
    parser.add_argument("--status", choices=("ok", "failed", "abandoned"), default="")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a condition that differed"
    )
    parser.add_argument(
        "--really-so", action="store_true", help="what was really done lies outside the limits, and was so"
    )
    parser.add_argument("--operator", default="")
    parser.add_argument("--instrument", default="")
    parser.add_argument(
        "--result", default="", metavar="JSON", help="the whole result of a tool that is no experiment"
    )


def _fields(review: Review, options: dict[str, Any]) -> dict[str, Any]:
    if options["verb"] == "veto":
        return {"reason_code": options["reason"]}
    if options["verb"] == "edit":
        return edit_fields(
            review.gate,
            changes=options["set"],
            leave_out=options["leave_out"],
            hypothesis=options["hypothesis"],
            refuted_by=options["refuted_by"],
            is_replicate=options["replicate"],
        )
    if options["verb"] == "answer":
        result = result_of(
            values=options["value"],
            status=options["status"],
            actual=options["set"],
            operator=options["operator"],
            instrument=options["instrument"],
            extra=options["result"],
        )
        return {"result": result, "is_confirmed": options["really_so"]}
    return {}


def _find(options: dict[str, Any]) -> Review:
    """Return the review that exists for the acting person."""
    user = acting_user(options["user"])
    rows = Review.objects.filter(run__study__in=studies_of(user))
    rows = rows.select_related("gate", "run__study", "claimed_by", "decision")
    hint = f"`manage.py review list --all` lists what {user.get_username()} may see."
    return by_prefix(rows, options["review"], what="review", hint=hint, field="gate__id")


@contextmanager
def hinting_confirmation() -> Iterator[None]:
    """Say how to confirm in a terminal what was refused as too unlikely."""
    try:
        yield
    except Unconfirmed as fault:
        raise BadInput(f"{fault} To confirm it, give --really-so.", fault.problems) from None


def visible(text: str) -> str:
    """Return ``text`` with control and direction-changing characters spelt out: a terminal would obey them."""
    return "".join(f"\\u{ord(c):04x}" if _is_hidden(c) else c for c in text)


def _is_hidden(char: str) -> bool:
    return (
        bool(BIDI_AND_ZERO_WIDTH.match(char)) or (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160
    )
